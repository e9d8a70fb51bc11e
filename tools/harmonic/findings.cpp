#include "tools/harmonic/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tools/support/ids/top.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t named_vertices = 3;

double mean(Communicator& comm, const std::vector<double>& values, double count) {
  const double sum = all_sum(comm, std::accumulate(values.begin(), values.end(), 0.0));
  return count > 0 ? sum / count : 0;
}

/// In percent of `whole`; an estimate may be above it.
double percent(double part, double whole) {
  return whole > 0 ? std::min(100.0, 100 * part / whole) : 0;
}

}  // namespace

std::vector<std::string> told_of(Run& run, std::uint64_t registers, const loaders::RowIds& ids,
                                 const HarmonicCentralities& found) {
  Communicator& comm = run.transport;
  const auto count = static_cast<double>(ids.rows());
  const std::vector<NamedValue> most =
      named(comm, ids, top_of(comm, ids.rows(), found.centrality, named_vertices));
  const double highest = most.empty() ? 0 : most.front().value;
  const auto alone =
      all_sum(comm, static_cast<std::uint64_t>(std::ranges::count(found.centrality, 0.0)));
  return {
      fmt::format("measured {} by {} in {}{}", counted(ids.rows(), "vertex", "vertices"),
                  counted(run.summary.edges.value_or(0), "link", "links"),
                  counted(found.outcome.rounds, "round", "rounds"),
                  found.outcome.converged ? ", to the end" : ", not to the end"),
      "most central: " + in_words(most),
      fmt::format(
          "how near: the most central is as near to all as if {:.1f} % of the others linked "
          "to it; the mean vertex {:.1f} %",
          percent(highest, count - 1), percent(mean(comm, found.centrality, count), count - 1)),
      fmt::format(
          "reach: {:.1f} % of pairs of vertices are joined by a path, the farthest by {} or "
          "more; no path leads to about {}",
          percent(mean(comm, found.reached_by, count) - 1, count - 1),
          counted(found.farthest, "link", "links"), counted(alone, "vertex", "vertices")),
      fmt::format(
          "how exact: a number is off by {:.1f} % as a rule (standard error); four times as many "
          "--registers halve it",
          100 * harmonic_error(registers))};
}

}  // namespace gas::tools
