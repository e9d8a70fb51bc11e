#include "gas/checkpoint/writer.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"

namespace gas {
namespace {

namespace fs = std::filesystem;

/// Left by a rank that could not write its file.
std::string failure_name(std::uint64_t rank) { return rank_file_name(rank) + ".failed"; }

std::string told_by(Communicator& comm, const std::string& text, int root) {
  const std::vector<char> told =
      broadcast(comm, std::span<const char>(text.data(), text.size()), root);
  return {told.begin(), told.end()};
}

}  // namespace

CheckpointWriter::~CheckpointWriter() {
  if (std::uncaught_exceptions() > 0) abandoned_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string CheckpointWriter::begin(CheckpointManifest manifest, Sections mine) {
  std::string before = wait();
  std::string made;
  together(comm_, [&] {
    if (comm_.rank() == 0) made = folder_.local_make(manifest.round).filename();
  });
  checkpoint_ = folder_.path() / told_by(comm_, made, 0);
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
  thread_ = std::thread([this, first, files = std::move(files), manifest = std::move(manifest),
                         completes = comm_.rank() == 0]() mutable {
    try {
      for (std::size_t i = 0; i < files.size(); ++i) {
        write_one(first + i, files[i]);
        Sections().swap(files[i]);
      }
      if (completes) complete(std::move(manifest));
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
  });
  all_gather(comm_, 0);  // all threads have begun: whoever joins one waits for the disk alone
  return before;
}

std::string CheckpointWriter::finish() { return wait(); }

std::string CheckpointWriter::wait() {
  if (thread_.joinable()) thread_.join();
  const std::string mine = std::exchange(problem_, {});
  const std::vector<int> failed = all_gather(comm_, mine.empty() ? 0 : 1);
  for (std::size_t rank = 0; rank < failed.size(); ++rank)
    if (failed[rank] != 0) return told_by(comm_, mine, static_cast<int>(rank));
  return {};
}

void CheckpointWriter::write_one(std::uint64_t rank, const Sections& sections) {
  try {
    write_sections(checkpoint_ / rank_file_name(rank), sections);
  } catch (...) {
    try {
      local_write(checkpoint_ / failure_name(rank), std::span<const std::byte>());
    } catch (const RunError&) {
      // rank 0 waits until the run ends
    }
    throw;
  }
}

/// Other ranks' files come from other processes: what tells of them is the folder.
void CheckpointWriter::complete(CheckpointManifest manifest) {
  constexpr auto look_again = std::chrono::milliseconds(5);
  std::error_code error;
  for (std::uint64_t rank = 0; rank < manifest.ranks; ++rank) {
    const fs::path file = checkpoint_ / rank_file_name(rank);
    while (!fs::exists(file, error)) {
      if (abandoned_) return;
      if (fs::exists(checkpoint_ / failure_name(rank), error)) return;  // that rank tells why
      std::this_thread::sleep_for(look_again);
    }
    manifest.table_sums.push_back(table_sum(file));
  }
  local_sync(checkpoint_);
  write_manifest(checkpoint_, manifest);
  local_sync(folder_.path());
  folder_.local_prune(kept, checkpoint_);
}

}  // namespace gas
