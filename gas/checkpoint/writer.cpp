#include "gas/checkpoint/writer.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"

namespace gas {
namespace {

namespace fs = std::filesystem;

constexpr auto look_again = std::chrono::milliseconds(5);

}  // namespace

CheckpointWriter::~CheckpointWriter() {
  // Ranks that could not write do not say so any more.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::uncaught_exceptions() == 0 && !done_ && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(look_again);
  abandoned_ = true;
  if (!thread_.joinable()) return;
  thread_.join();
  remove_unfinished();
}

/// What is not whole takes room that the next one may need.
void CheckpointWriter::remove_unfinished() const {
  std::error_code error;
  if (comm_.rank() == 0 && !fs::exists(checkpoint_ / "manifest.json", error) && !error)
    folder_.local_remove(checkpoint_);
}

std::string CheckpointWriter::begin(CheckpointManifest manifest, Sections mine) {
  std::string before = finish();
  std::string made;
  together(comm_, [&] {
    if (comm_.rank() == 0) made = folder_.local_make(manifest.round).filename();
  });
  checkpoint_ = folder_.path() / broadcast_text(comm_, made);
  std::vector<Sections> files;  // this rank's, or, gathered, of all by rank
  if (gathers_) {
    const std::size_t count = mine.size();
    files.resize(comm_.rank() == 0 ? static_cast<std::size_t>(comm_.size()) : 0);
    for (std::size_t s = 0; s < count; ++s) {
      std::vector<Bytes> out(static_cast<std::size_t>(comm_.size()));
      out[0] = std::move(mine[s]);
      std::vector<Bytes> in = comm_.exchange(std::move(out));
      for (std::size_t rank = 0; rank < files.size(); ++rank)
        files[rank].push_back(std::move(in[rank]));
    }
  } else {
    files.push_back(std::move(mine));
  }
  const auto first = gathers_ ? 0 : static_cast<std::uint64_t>(comm_.rank());
  manifest.ranks = static_cast<std::uint64_t>(comm_.size());
  abandoned_ = done_ = false;
  auto write = [this, first, files = std::move(files), manifest = std::move(manifest),
                completes = comm_.rank() == 0]() mutable {
    try {
      for (std::size_t i = 0; i < files.size(); ++i) {
        write_sections(checkpoint_ / rank_file_name(first + i), files[i]);
        Sections().swap(files[i]);
      }
      if (completes) complete(std::move(manifest));
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
    done_ = true;
  };
  try {
    // All threads have begun after this: whoever joins one waits for the disk alone.
    together(comm_, [&] { thread_ = std::thread(std::move(write)); });
  } catch (const ThrownTogether&) {  // a rank may have no further thread
    abandoned_ = true;
    finish();
    remove_unfinished();
    done_ = true;
    throw;
  }
  return before;
}

/// Rank 0's thread waits for files that other ranks may have failed to write: it is joined last.
std::string CheckpointWriter::finish() {
  const auto join = [&] {
    if (thread_.joinable()) thread_.join();
    return std::exchange(problem_, {});
  };
  std::string problem;
  if (comm_.rank() != 0) problem = join();
  const std::vector<int> failed = all_gather(comm_, problem.empty() ? 0 : 1);
  const auto first = std::ranges::find(failed, 1);
  if (first != failed.end()) abandoned_ = true;
  if (comm_.rank() == 0) problem = join();
  problem = broadcast_text(comm_, problem,
                           first == failed.end() ? 0 : static_cast<int>(first - failed.begin()));
  if (!problem.empty()) remove_unfinished();
  return problem;
}

/// Other ranks' files come from other processes: what tells of them is the folder.
void CheckpointWriter::complete(CheckpointManifest manifest) {
  std::error_code error;
  for (std::uint64_t rank = 0; rank < manifest.ranks; ++rank) {
    const fs::path file = checkpoint_ / rank_file_name(rank);
    while (!fs::exists(file, error)) {
      if (abandoned_) return;
      std::this_thread::sleep_for(look_again);
    }
    manifest.table_sums.push_back(table_sum(file));
  }
  local_sync(checkpoint_);
  write_manifest(checkpoint_, manifest);
  local_sync(folder_.path());
  try {
    folder_.local_prune(kept, checkpoint_);
  } catch (const fs::filesystem_error&) {
    // This checkpoint is whole all the same; the next one prunes again.
  }
}

}  // namespace gas
