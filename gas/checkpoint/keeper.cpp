#include "gas/checkpoint/keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gas/base/error.hpp"

namespace gas {

namespace fs = std::filesystem;

CheckpointKeeper::CheckpointKeeper(Communicator& comm, const CheckpointOptions& options,
                                   Identity identity)
    : comm_(comm),
      options_(options),
      identity_(std::move(identity)),
      folder_(comm, options.folder, options.gather, options.resume),
      writer_(comm, folder_, options.gather) {
  for (auto [name, value] : options.settings) {  // one may be called as what the engine tells
    while (std::ranges::count(identity_, name, &Identity::value_type::first) > 0)
      name = "the setting " + name;
    identity_.emplace_back(std::move(name), std::move(value));
  }
  together(comm, [&] {
    if (comm.rank() == 0 && !options.resume && !options.continues && !folder_.local_list().empty())
      throw RunError(options.folder +
                     ": found checkpoints of an earlier run, expected none: to continue that run, "
                     "resume it (--resume, checkpoint.resume); otherwise choose another folder");
  });
}

std::optional<LoadedCheckpoint> CheckpointKeeper::load() {
  if (!options_.resume) return std::nullopt;
  std::vector<fs::path> found;
  together(comm_, [&] {
    if (comm_.rank() == 0) found = folder_.local_list();
  });
  const auto count = static_cast<std::size_t>(all_max(comm_, std::uint64_t{found.size()}));
  found.resize(count);
  for (const fs::path& path : found) {
    if (auto loaded = try_load(folder_.path() / broadcast_text(comm_, path.filename().string()))) {
      together(comm_, [&] {
        if (options_.resumed && comm_.rank() == 0) options_.resumed(loaded->round);
      });
      return loaded;
    }
  }
  together(comm_, [&] { throw no_checkpoint(options_.folder); });
  return std::nullopt;
}

/// Nothing: it is damaged.
std::optional<LoadedCheckpoint> CheckpointKeeper::try_load(const fs::path& checkpoint) {
  CheckpointManifest manifest;
  std::string problem;
  together(comm_, [&] {
    if (comm_.rank() != 0) return;
    try {
      manifest = read_manifest(checkpoint);
    } catch (const InputError& error) {
      problem = error.what();
    }
    if (problem.empty()) require_alike(checkpoint, manifest, identity_);
  });
  manifest.table_sums = broadcast(comm_, std::span<const std::uint64_t>(manifest.table_sums));
  manifest.ranks = manifest.table_sums.size();
  LoadedCheckpoint loaded;
  loaded.round = all_max(comm_, manifest.round);
  loaded.seconds = all_max(comm_, manifest.seconds);
  loaded.same_ranks = manifest.ranks == static_cast<std::uint64_t>(comm_.size());
  const auto stride = options_.gather ? 1 : static_cast<std::uint64_t>(comm_.size());
  const bool reads = !options_.gather || comm_.rank() == 0;
  together(comm_, [&] {  // memory may run out
    try {
      for (auto rank = static_cast<std::uint64_t>(comm_.rank()); reads && rank < manifest.ranks;
           rank += stride)
        loaded.files.push_back(
            read_sections(checkpoint / rank_file_name(rank), manifest.table_sums[rank]));
    } catch (const InputError& error) {
      problem = error.what();
    }
  });
  for (const auto& text : all_gather(comm_, std::span<const char>(problem.data(), problem.size())))
    if (!text.empty()) {
      together(comm_, [&] {
        if (options_.warn && comm_.rank() == 0)
          options_.warn("a damaged checkpoint is skipped: " +
                        std::string(text.begin(), text.end()));
      });
      return std::nullopt;
    }
  loaded.same_ranks = loaded.same_ranks && !options_.gather;
  return loaded;
}

void CheckpointKeeper::go_on(const CheckpointOptions& options) {
  together(comm_, [&] {
    if (options.folder != options_.folder)
      throw UsageError(fmt::format(
          "checkpoint.folder: found {}, expected {} as in this engine's first run: an engine has "
          "one folder for checkpoints",
          options.folder, options_.folder));
  });
  options_ = options;
}

std::uint64_t CheckpointKeeper::rounds_until_due(std::uint64_t rounds) const {
  if (options_.every_rounds == 0) return std::numeric_limits<std::uint64_t>::max();
  return options_.every_rounds - rounds % options_.every_rounds;
}

bool CheckpointKeeper::local_is_due_by_time() const {
  return options_.every_seconds > 0 && comm_.rank() == 0 &&
         std::chrono::duration<double>(Clock::now() - last_).count() >= options_.every_seconds;
}

void CheckpointKeeper::write(std::uint64_t round, double seconds, Sections mine) {
  CheckpointManifest manifest;
  manifest.version = GAS_VERSION;
  manifest.identity = identity_;
  manifest.round = round;
  manifest.seconds = seconds;
  begun_ = false;
  std::string problem;
  try {
    tell(writer_.begin(std::move(manifest), std::move(mine)));
    begun_ = true;
  } catch (const RunError& error) {
    problem = error.what();  // on all ranks
  }
  tell(problem);
  last_ = Clock::now();
}

bool CheckpointKeeper::finish() {
  const std::string problem = writer_.finish();
  tell(problem);
  told_ = false;
  return begun_ && problem.empty();
}

/// A run does not end because its checkpoints cannot be written.
void CheckpointKeeper::tell(const std::string& problem) {
  if (problem.empty() || std::exchange(told_, true)) return;
  if (options_.lost) options_.lost(problem);
}

std::string told_by_newest(Communicator& comm, const CheckpointOptions& options,
                           const std::string& name) {
  const CheckpointFolder folder(comm, options.folder, options.gather, options.resume);
  std::string found;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    for (const fs::path& path : folder.local_list()) {
      try {
        const Identity identity = read_manifest(path).identity;
        const auto at = std::ranges::find(identity, name, &Identity::value_type::first);
        if (at != identity.end()) found = at->second;
        break;
      } catch (const InputError&) {
        continue;  // damaged
      }
    }
  });
  return broadcast_text(comm, found);
}

}  // namespace gas
