#include "gas/engine/run/options_alike.hpp"

#include <fmt/format.h>

#include <string>

#include "gas/base/alike.hpp"

namespace gas {

void check_options_alike(Communicator& comm, const RunOptions& options, std::uint64_t engine) {
  if (comm.size() == 1) return;
  const auto number = [](std::uint64_t value) {
    return value == ~std::uint64_t{0} ? std::string("no limit") : std::to_string(value);
  };
  const CheckpointOptions& checkpoint = options.checkpoint;
  Alike given{
      {"iterations", number(options.iterations)},
      {"staleness",
       options.staleness.bound == Staleness::async ? "async" : number(options.staleness.bound)},
      {"eager", fmt::format("{}", options.staleness.eager)},
      {"order", name_of(options.order, {"sweep", "priority"})},
      {"consistency", name_of(options.consistency, {"by_staleness", "snapshot", "vertex", "edge"})},
      {"topology", name_of(options.topology, {"automatic", "flat", "groups", "tree"})},
      {"trace", options.trace != nullptr ? "one" : "none"},
      {"checkpoint.folder", checkpoint.folder.empty() ? "none" : "one"},
      {"checkpoint.every_rounds", number(checkpoint.every_rounds)},
      {"checkpoint.every_seconds", fmt::format("{}", checkpoint.every_seconds)},
      {"checkpoint.resume", fmt::format("{}", checkpoint.resume)},
      {"checkpoint.gather", fmt::format("{}", checkpoint.gather)},
      {"checkpoint.waits", fmt::format("{}", checkpoint.waits)},
      {"the engine that runs", fmt::format("number {}", engine)}};
  given.insert(given.end(), checkpoint.settings.begin(), checkpoint.settings.end());
  check_alike(comm, given);
}

}  // namespace gas
