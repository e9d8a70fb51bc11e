#include <filesystem>
#include <optional>
#include <string_view>

#include "loaders/write.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {
namespace {

/// A line per row, in the order of the ranks. Collective.
void write_lines(Communicator& comm, const std::filesystem::path& path,
                 const std::function<void(const std::function<void(std::string_view)>&)>& each) {
  std::optional<loaders::OutputFile> file;
  together(comm, [&] {
    if (comm.rank() == 0) file.emplace(path);
  });
  each([&](std::string_view line) {
    file->write(line);
    file->write("\n");
  });
  together(comm, [&] {
    if (file) file->finish();
  });
}

}  // namespace

void write_ids(Communicator& comm, const std::filesystem::path& folder, const std::string& prefix,
               const loaders::RowIds& ids, const loaders::Names& names) {
  const auto write = [&](const std::string& file, const loaders::RowIds& lines) {
    write_lines(comm, folder / (prefix + file),
                [&](const auto& line) { lines.for_each(comm, line); });
  };
  if (!ids.trivial()) write("ids.txt", ids);
  if (all_max(comm, names.size()) > 0) write("names.txt", {comm, ids.rows(), names});
}

}  // namespace gas::tools
