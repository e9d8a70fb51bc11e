#include "tools/support/output_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "gas/graph/error.hpp"

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

// Runs on rank 0; what the file system says against it becomes a RunError on all ranks.
void on_rank_0(Team& team, const std::function<void()>& work) {
  together(team, [&] {
    if (team.rank() != 0) return;
    try {
      work();
    } catch (const fs::filesystem_error& error) {
      throw RunError(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    }
  });
}

}  // namespace

OutputFolder::OutputFolder(Team& team, const std::string& path, bool force)
    : team_(team), path_(path) {
  on_rank_0(team, [&] {
    if (fs::exists(path_)) {
      if (!fs::is_directory(path_)) throw UsageError(path + ": is not a folder");
      if (!force && !fs::is_empty(path_))
        throw UsageError(path + ": the folder is not empty (--force writes into it all the same)");
    }
    fs::path place = fs::absolute(path_);
    while (!fs::exists(place)) place = place.parent_path();
    if (!fs::is_directory(place) || access(place.c_str(), W_OK | X_OK) != 0)
      throw RunError(fmt::format("{}: no folder can be made in {}", path, place.string()));
  });
}

void OutputFolder::write(const std::function<void(const fs::path&)>& write) {
  const fs::path staging = path_ / ".unfinished";
  on_rank_0(team_, [&] {
    fs::remove_all(staging);
    fs::create_directories(staging);
  });
  try {
    write(staging);
    on_rank_0(team_, [&] {});  // all are through
  } catch (...) {
    std::error_code ignored;
    if (team_.rank() == 0) fs::remove_all(staging, ignored);
    throw;
  }
  on_rank_0(team_, [&] {
    for (const auto& entry : fs::directory_iterator(staging))
      fs::rename(entry.path(), path_ / entry.path().filename());
    fs::remove(staging);
  });
}

}  // namespace gas::tools
