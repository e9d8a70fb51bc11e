#include "tools/pagerank/findings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "tools/support/ids/top.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t named_vertices = 3;
constexpr double float_rounding = 0x1p-24, double_rounding = 0x1p-50;  // of all ranks together

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string what(const Run& run, const PageRankOptions& ranking, const loaders::RowIds& ids,
                 const PageRanks& found) {
  std::string text = fmt::format(
      "ranked {} by {}{} in {}", counted(ids.rows(), "vertex", "vertices"),
      counted(run.summary.edges.value_or(0), "link", "links"), found.weighted ? " of weights" : "",
      counted(found.outcome.rounds, "round", "rounds"));
  if (found.outcome.converged)
    text += ", converged";
  else if (ranking.tolerance > 0)
    text += ", not converged yet";
  return text;
}

/// How much the highest have, and by the sum of squares how many would share the rank if each had
/// as much: of n vertices n where all are alike, 1 where one has all.
std::string concentration(Run& run, const Top& top, const std::vector<double>& ranks) {
  double sum = 0, squares = 0, highest = 0;
  for (const double rank : ranks) sum += rank, squares += rank * rank;
  sum = all_sum(run.transport, sum);
  squares = all_sum(run.transport, squares);
  const std::vector<Top::Entry> entries = top.gather(run.transport);
  for (const Top::Entry& entry : entries) highest += entry.value;
  return fmt::format(
      "concentration: the highest {} {:.1f} % of the rank; it is as uneven as if {:.1f} vertices "
      "had it all, alike",
      counted(entries.size(), "vertex has", "vertices have"), percent(highest, sum),
      squares > 0 ? sum * sum / squares : 0);
}

std::string dangling(Run& run, const PageRankOptions& ranking, const PageRanks& found) {
  const double all =
      all_sum(run.transport, std::accumulate(found.ranks.begin(), found.ranks.end(), 0.0));
  if (found.dangling == 0) return "vertices without links: none";
  const char* const goes = ranking.dangling == Dangling::ignore ? "is lost"
                           : ranking.teleport.empty()           ? "goes to all alike"
                                                      : "goes to where readers begin anew";
  return fmt::format("vertices without links have {:.1f} % of the rank: what they pass on {}",
                     percent(found.dangling, all), goes);
}

/// A bound in two digits, which is not less than it is.
std::string rounded_up(double bound) {
  const double digit = std::pow(10.0, std::floor(std::log10(bound)) - 1);
  return fmt::format("{:.2g}", digit > 0 ? std::ceil(bound / digit) * digit : bound);
}

/// A round takes any two rankings nearer to each other by the damping, so that what a round still
/// changed bounds how far away the solution is. Scaling both to the same sum afterwards, as is done
/// by need, may make them twice as far.
std::string exactness(const PageRankOptions& ranking, const PageRanks& found, bool by_need) {
  if (found.outcome.rounds == 0) return "how exact: no round was run";
  if (ranking.damping == 1) return "how exact: with a damping of 1 nothing is known";
  const double rounding = found.wide ? double_rounding : float_rounding;
  const double scaled = by_need && ranking.dangling == Dangling::spread ? 2 : 1;
  return fmt::format(
      "how exact: the differences from the exact ranks add up to {} at most",
      rounded_up((scaled * ranking.damping * found.delta + rounding) / (1 - ranking.damping)));
}

}  // namespace

std::vector<std::string> told_of(Run& run, const PageRankOptions& ranking,
                                 const loaders::RowIds& ids, const PageRanks& found) {
  Communicator& comm = run.transport;
  const Top highest = top_of(comm, ids.rows(), found.ranks, named_vertices);
  const Top top = top_of(comm, ids.rows(), found.ranks, run.options.top);
  return {what(run, ranking, ids, found), "highest: " + in_words(named(comm, ids, highest)),
          concentration(run, top, found.ranks), dangling(run, ranking, found),
          exactness(ranking, found, run.options.order == Order::priority)};
}

}  // namespace gas::tools
