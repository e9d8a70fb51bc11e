#include "tools/support/memory/check_memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "gas/base/error.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

/// By how much an estimate may be too high.
constexpr double margin = 1.1;
constexpr int most_ranks = 4096;

const Moment& highest(const std::vector<Moment>& moments) {
  return *std::ranges::max_element(moments, {}, &Moment::bytes);
}

/// What a run takes at least.
double least_of(const std::vector<Moment>& moments) {
  double most = 0;
  for (const Moment& moment : moments) most = std::max(most, moment.least.value_or(moment.bytes));
  return most;
}

std::string in_megabytes(double bytes) { return fmt::format("{:.0f} MB", bytes * 1e-6); }

/// Numbers of ranks that fit: on this machine, else with one on each of several machines like it.
std::string other_ranks(const MemoryPlan& plan, const Machine& machine) {
  const auto fits = [&](int ranks, int on_each, unsigned threads) {
    return highest(plan({ranks, threads})).bytes <= local_room(on_each);
  };
  const unsigned cores = machine.threads * static_cast<unsigned>(machine.ranks);
  std::vector<int> counts;
  for (int ranks = 1; ranks <= most_ranks; ranks += std::max(1, ranks / 8)) counts.push_back(ranks);
  for (const int ranks : counts)
    if (ranks != machine.ranks &&
        fits(ranks, ranks, std::max(1U, cores / static_cast<unsigned>(ranks))))
      return fmt::format("{} rank{} on this machine", ranks, ranks == 1 ? "" : "s");
  for (const int ranks : counts)
    if (ranks > 1 && fits(ranks, 1, cores))
      return fmt::format("{} ranks, each on a machine like this one", ranks);
  return "";
}

std::string shown(const std::vector<Moment>& moments, double taken, double room) {
  Table table({Table::Side::left, Table::Side::right});
  for (const Moment& moment : moments) table.row({moment.what, in_megabytes(moment.bytes + taken)});
  const double most = highest(moments).bytes + taken;
  table.row({"largest rank, about", in_megabytes(most)});
  table.row({"a rank may take", in_megabytes(room + taken)});
  if (most <= (room + taken) * margin) return table.text();
  return table.text() +
         (least_of(moments) <= room * margin
              ? "the run may not fit: a sample of the ids does not tell how many there are\n"
              : "the run does not fit\n");
}

}  // namespace

bool can_look_into_input(const Run& run) {
  bool can = true;
  for (const std::string& path : run.options.inputs) {
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::status(path, unknown);
    if (run.options.dry_run && std::filesystem::is_other(status))
      throw UsageError("--dry-run needs regular files, and " + path + " is not one");
    can = can && std::filesystem::is_regular_file(status);
  }
  return can;
}

Remedy fewer(const std::string& option, std::uint64_t value,
             std::function<MemoryPlan(std::uint64_t)> plan) {
  return [=](const Fits& fits) -> std::string {
    std::uint64_t low = 0, high = value;  // fits, does not
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (fits(plan(middle)) ? low : high) = middle;
    }
    return low == 0 ? "" : fmt::format("{} {}", option, low);
  };
}

Remedy instead(const std::string& option, MemoryPlan plan) {
  return [=](const Fits& fits) { return fits(plan) ? option : std::string(); };
}

bool check_memory(Run& run, const MemoryPlan& plan, const std::vector<Remedy>& remedies) {
  if (!plan) return true;
  Communicator& comm = run.transport;
  const Machine machine{comm.size(), run.options.threads};
  const double taken = all_max(comm, resident_bytes());
  const double room = all_min(comm, local_room(run.ranks_on_this_host));
  const std::vector<Moment> moments = plan(machine);
  const double needed = highest(moments).bytes;
  run.summary.estimated_memory_bytes = static_cast<std::uint64_t>(needed + taken);
  if (run.options.dry_run) {
    run.table = [text = shown(moments, taken, room)](const RunSummary&) { return text; };
    return false;
  }
  if (needed <= room * margin) return true;
  if (least_of(moments) <= room * margin) {
    run.warn(fmt::format(
        "the run may take {} of memory on a rank ({}), which may take {}: a sample of the ids does "
        "not tell how many there are",
        in_megabytes(needed + taken), highest(moments).what, in_megabytes(room + taken)));
    return true;
  }
  together(comm, [&] {
    if (comm.rank() != 0) return;
    std::vector<std::string> help;
    const auto offer = [&](std::string text) {
      if (!text.empty()) help.push_back(std::move(text));
    };
    offer(other_ranks(plan, machine));
    for (const Remedy& remedy : remedies)
      offer(remedy([&](const MemoryPlan& other) { return highest(other(machine)).bytes <= room; }));
    throw located_error(
        run.options.input_name(), 0, 0,
        fmt::format("a run that takes about {} of memory on a rank ({})",
                    in_megabytes(needed + taken), highest(moments).what),
        fmt::format("at most {}, which is what a rank may take; {}", in_megabytes(room + taken),
                    help.empty() ? "up to 4096 ranks would not fit either"
                                 : fmt::format("what would fit: {}", fmt::join(help, "; or "))));
  });
  return true;
}

}  // namespace gas::tools
