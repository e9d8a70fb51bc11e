#include "tools/support/output/model_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "loaders/read_small.hpp"
#include "tools/support/output/run_manifest.hpp"

namespace gas::tools {
namespace {

void local_check(const std::filesystem::path& path, const partition::FileEntry& file) {
  const FileSum found = local_sum(path);
  if (found.bytes != file.bytes)
    throw located_error(path, 0, 0, fmt::format("{} bytes", found.bytes),
                        fmt::format("{}, as in the manifest", file.bytes));
  if (found.checksum != file.checksum)
    throw located_error(path, 0, 0, "an altered file", "the file as it was written");
}

}  // namespace

ModelFolder::ModelFolder(Communicator& comm, const std::string& folder, const std::string& tool)
    : path_(folder) {
  const std::string manifest = path_ / "manifest.json";
  Bytes bytes;
  together(comm, [&] {
    if (comm.rank() == 0) bytes = local_read(manifest, manifest_limit);
  });
  const std::string text =
      broadcast_text(comm, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  together(comm, [&] {
    KnownFolder known = parse_run_manifest(text, manifest);
    if (known.tool != tool || known.model.empty())
      throw located_error(
          manifest, 0, 0,
          known.tool == tool ? "results of a run, but no model" : "a folder of " + known.tool,
          "a model of " + tool);
    for (const partition::FileEntry& file : known.files) {
      if (comm.rank() == 0) local_check(path_ / file.name, file);
      names_.push_back(file.name);
    }
    facts_ = std::move(known.model);
  });
}

std::vector<std::string> ModelFolder::ids(Communicator& comm, std::uint64_t count) const {
  constexpr const char* list = "parameter_ids.txt";
  std::vector<std::string> ids;
  if (has(list)) {
    ids = loaders::read_lines(comm, file(list));
  } else {
    const std::uint64_t first = facts_.count("first_id");
    for (std::uint64_t i = 0; i < count; ++i) ids.push_back(std::to_string(first + i));
  }
  together(comm, [&] {
    if (ids.size() != count)
      throw located_error(file(list), 0, 0, fmt::format("{} ids", ids.size()),
                          fmt::format("{}, as the model has", count));
  });
  return ids;
}

void keep_ids(Facts& facts, const loaders::RowIds& ids) {
  facts.set("ids_listed", !ids.trivial());
  facts.set("first_id", ids.trivial() ? Value(ids.base()) : Value());
}

bool ModelFolder::has(const std::string& name) const {
  return std::ranges::find(names_, name) != names_.end();
}

}  // namespace gas::tools
