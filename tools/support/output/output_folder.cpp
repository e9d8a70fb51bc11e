#include "tools/support/output/output_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "tools/support/output/folder_exchange.hpp"

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.json";

// Runs on rank 0; what the file system says against it becomes a RunError on all ranks.
void on_rank_0(Communicator& comm, const std::function<void()>& work) {
  together(comm, [&] {
    if (comm.rank() != 0) return;
    try {
      work();
    } catch (const fs::filesystem_error& error) {
      throw RunError(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    }
  });
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

/// Beside folders that the run was given, as that of its checkpoints.
bool holds_something(const fs::path& folder, const std::vector<std::string>& given) {
  return std::any_of(
      fs::directory_iterator(folder), fs::directory_iterator(), [&](const auto& entry) {
        return !FolderLock::is_passing(entry.path()) &&
               !(entry.is_directory() &&
                 std::ranges::any_of(given, [&](auto& one) { return same_file(entry, one); }));
      });
}

/// What tells whether a file is still the one that was looked at; nothing if there is no file.
std::optional<FileState> state_of(const fs::path& file) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  const auto number = [](auto x) { return static_cast<std::int64_t>(x); };
  return FileState{number(found.st_dev),          number(found.st_ino),
                   number(found.st_size),         number(found.st_mtim.tv_sec),
                   number(found.st_mtim.tv_nsec), number(found.st_ctim.tv_sec),
                   number(found.st_ctim.tv_nsec)};
}

bool is_as_recorded(const fs::path& file, const partition::FileEntry& recorded) {
  return local_sum(file).checksum == recorded.checksum;
}

std::string text_of(const fs::path& file) {
  const Bytes bytes = local_read(file, manifest_limit);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Adds what lies in staging and is not known yet, in the order of names.
void add_files(const fs::path& staging, std::vector<partition::FileEntry>& files) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(staging))
    names.insert(entry.path().filename().string());
  for (const partition::FileEntry& file : files) names.erase(file.name);
  for (const std::string& name : names) {
    const FileSum sum = local_sum(staging / name);
    files.push_back({name, sum.bytes, sum.checksum});
    local_sync(staging / name);
  }
}

}  // namespace

OutputFolder::OutputFolder(Communicator& comm, OutputPlan plan)
    : comm_(comm), plan_(std::move(plan)), path_(plan_.path) {
  plan_.names.emplace_back(manifest_name);
  on_rank_0(comm_, [&] { local_prepare(); });
}

void OutputFolder::local_prepare() {
  const auto refuse_full = [&] {
    if (plan_.force || !fs::exists(path_) || !holds_something(path_, plan_.given)) return;
    throw UsageError(plan_.path +
                     ": the folder is not empty (--force replaces what an earlier run "
                     "wrote there, and leaves the rest)");
  };
  if (fs::exists(path_) && !fs::is_directory(path_))
    throw UsageError(plan_.path + ": is not a folder");
  if (!exchange_pending(path_)) refuse_full();
  lock_.emplace(path_);
  finish_exchange(path_);
  local_check_free(exchange_name);
  refuse_full();
  local_know_own();
  for (const std::string& name : plan_.names) local_check_free(name);
}

void OutputFolder::local_know_own() {
  const fs::path manifest = path_ / manifest_name;
  const auto manifest_state = state_of(manifest);
  if (!manifest_state) return;
  KnownFolder known;
  try {
    known = parse_run_manifest(text_of(manifest), manifest);
  } catch (const InputError&) {
    return;  // somebody else's: nothing here is known to be of a run
  }
  own_.emplace(manifest_name, *manifest_state);
  for (const partition::FileEntry& file : known.files) {
    const fs::path path = path_ / file.name;
    const auto state = state_of(path);
    if (state && fs::file_size(path) == file.bytes && !is_given(path) && is_as_recorded(path, file))
      own_.emplace(file.name, *state);
  }
}

bool OutputFolder::is_own(const std::string& name) const {
  const auto known = own_.find(name);
  return known != own_.end() && state_of(path_ / name) == known->second;
}

bool OutputFolder::is_given(const fs::path& file) const {
  return std::ranges::any_of(plan_.given, [&](const std::string& given) {
    if (same_file(file, given)) return true;
    if (fs::is_directory(given)) return same_file(file, fs::path(given) / file.filename());
    const fs::path folder = fs::absolute(given).parent_path();  // a file that is not there yet
    return fs::path(given).filename() == file.filename() && same_file(folder, file.parent_path());
  });
}

void OutputFolder::local_check_free(const std::string& name) const {
  const fs::path file = path_ / name;
  if (is_given(file))
    throw UsageError(file.string() +
                     ": the command line names this file, and the results would overwrite it: "
                     "choose another folder");
  if (fs::exists(fs::symlink_status(file)) && !is_own(name))
    throw UsageError(file.string() +
                     ": cannot be replaced, as no run wrote it, or it was changed since then: move "
                     "it away, or choose another folder");
}

void OutputFolder::write(RunManifest& manifest, const std::function<void(const fs::path&)>& write) {
  on_rank_0(comm_, [&] { lock_->make_staging(); });
  const fs::path staging = FolderLock::staging_of(path_);
  write(staging);
  on_rank_0(comm_, [&] {
    add_files(staging, manifest.files);
    local_place(manifest, staging);
    written_ = to_text(manifest);
    lock_.reset();
  });
}

void OutputFolder::amend(const RunManifest& manifest) {
  on_rank_0(comm_, [&] {
    try {
      const FolderLock lock(path_);
      if (text_of(path_ / manifest_name) != written_) return;
      lock.make_staging();
      const fs::path staged = FolderLock::staging_of(path_) / manifest_name;
      const std::string text = to_text(manifest);
      local_write(staged, std::as_bytes(std::span(text)));
      fs::rename(staged, path_ / manifest_name);
      local_sync(path_);
    } catch (const RunError&) {  // the results are whole without it
    }
  });
}

void OutputFolder::local_place(const RunManifest& manifest, const fs::path& staging) const {
  std::set<std::string> outdated;
  for (const auto& [name, state] : own_)
    if (name != manifest_name && is_own(name)) outdated.insert(name);
  for (const partition::FileEntry& file : manifest.files) {
    outdated.erase(file.name);
    if (std::ranges::find(plan_.names, file.name) == plan_.names.end())
      throw std::logic_error(file.name + " was not named to Options::take_output");
  }
  const std::string text = to_text(manifest);
  local_write(staging / manifest_name, std::as_bytes(std::span(text)));
  try {
    for (const partition::FileEntry& file : manifest.files) local_check_free(file.name);
    local_check_free(manifest_name);
  } catch (const UsageError& in_the_way) {
    int number = 1;
    const auto aside = [&] { return path_ / fmt::format("results-{}", number); };
    while (fs::exists(fs::symlink_status(aside()))) ++number;
    fs::rename(staging, aside());
    throw RunError(fmt::format("{}; the results are in {}", in_the_way.what(), aside().string()));
  }
  exchange_files(staging, path_, {outdated.begin(), outdated.end()});
}

}  // namespace gas::tools
