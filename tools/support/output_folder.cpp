#include "tools/support/output_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

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

/// Whether a tool writes files of this name: what an earlier run left would contradict what is
/// written now (ids.txt beside another graph's ranks, …).
bool is_ours(const std::string& name) {
  static const std::array names{
      "assignments.npy", "centroids.npy",   "data.svm",      "docword.txt",    "document_topic.npy",
      "graph.txt",       "ids.txt",         "manifest.json", "model.json",     "parameter_ids.txt",
      "points.npy",      "predictions.npy", "ranks.npy",     "topic_word.npy", "topics.txt",
      "vocab.txt",       "weights.npy"};
  return std::ranges::find(names, name) != names.end() ||
         (name.starts_with("truth_") && name.ends_with(".npy")) ||
         (name.starts_with("part-") && name.ends_with(".bin"));
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
    std::vector<fs::path> outdated;
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.is_regular_file() && is_ours(entry.path().filename().string()))
        outdated.push_back(entry.path());
    for (const fs::path& file : outdated) fs::remove(file);
    for (const auto& entry : fs::directory_iterator(staging))
      fs::rename(entry.path(), path_ / entry.path().filename());
    fs::remove(staging);
  });
}

}  // namespace gas::tools
