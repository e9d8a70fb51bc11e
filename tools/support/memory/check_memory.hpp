#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What the rank that takes most takes at a point of the run, in bytes beside what a process has
/// taken before it loads.
struct Moment {
  std::string what;
  double bytes = 0;
  std::optional<double> least = {};  // at least, if that is known to be less
};

/// Where a run is laid out.
struct Machine {
  int ranks = 1;
  unsigned threads = 1;  // per rank
};

/// The moments of a run on so many ranks and threads.
using MemoryPlan = std::function<std::vector<Moment>(const Machine& machine)>;

/// Whether INPUT is made of files that can be read twice. UsageError with --dry-run if a part of it
/// is a pipe or a device: the flag could not be obeyed. Local.
bool can_look_into_input(const Run& run);

/// What `look` tells of INPUT, where that can be looked into. An InputError of `look` is thrown
/// only with --dry-run: else loading INPUT tells better. `look` runs on rank 0; collective.
template <Plain Sizes>
std::optional<Sizes> look_at_input(Run& run, const std::function<Sizes()>& look) {
  std::vector<Sizes> told;
  together(run.transport, [&] {
    if (run.transport.rank() != 0 || !can_look_into_input(run)) return;
    try {
      told.push_back(look());
    } catch (const InputError&) {
      if (run.options.dry_run) throw;
    }
  });
  told = broadcast(run.transport, std::span<const Sizes>(told));
  return told.empty() ? std::nullopt : std::optional(told[0]);
}

/// What may help where a run does not fit: an option that makes it fit, or nothing, by asking which
/// plans do.
using Fits = std::function<bool(const MemoryPlan& plan)>;
using Remedy = std::function<std::string(const Fits& fits)>;

/// "OPTION N" with the largest N below `value` that fits; `plan(N)` is the run's with it.
Remedy fewer(const std::string& option, std::uint64_t value,
             std::function<MemoryPlan(std::uint64_t)> plan);
/// The option as it stands, if it fits.
Remedy instead(const std::string& option, MemoryPlan plan);

/// To be called before INPUT is loaded: puts the estimate by `plan` into the summary. InputError if
/// that is more than a tenth above what a rank may take, with what would fit: other numbers of
/// ranks, and `remedies`. Returns whether to go on: not with --dry-run, which prints the estimate
/// instead. An empty plan, of an INPUT that cannot be looked into, fits. Collective.
bool check_memory(Run& run, const MemoryPlan& plan, const std::vector<Remedy>& remedies = {});

}  // namespace gas::tools
