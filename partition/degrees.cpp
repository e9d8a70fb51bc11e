#include "partition/degrees.hpp"

namespace gas::partition {
namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a > most - b ? most : a + b; }

/// Of one kind of vertices, or of all of a plain graph: of all where they are fewer than the edges
/// of every rank, else of `rows_here()`.
template <class Rows>
RowTable<std::uint32_t> degrees(Team& team, HomeRange home, Rows rows_here, const EdgeList& edges,
                                bool sources, bool targets) {
  const auto at_home = home_degrees(team, home, [&](auto count) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (sources) count(edges.source[e]);
      if (targets) count(edges.target[e]);
    }
  });
  const std::span<const std::uint32_t> mine(at_home);
  if (all_min(team, std::uint64_t{edges.size()}) >= home.rows)
    return {RowSet(0), true, std::move(all_gather(team, mine).values())};
  return fetch(team, home, mine, rows_here());
}

}  // namespace

std::vector<std::uint32_t> add_at_home(Team& team, HomeRange home,
                                       std::vector<std::uint32_t> counts) {
  if (team.size() == 1) return counts;
  struct Count {
    Row row;
    std::uint32_t times;
  };
  std::vector<std::vector<Count>> out(static_cast<std::size_t>(team.size()));
  for (int rank = 0; rank < team.size(); ++rank)
    for (std::uint64_t row = home.first(rank); row < home.first(rank) + home.count(rank); ++row)
      if (counts[row] > 0)
        out[static_cast<std::size_t>(rank)].push_back({to_row(row), counts[row]});
  counts = std::vector<std::uint32_t>(home.count(team.rank()), 0);
  for (const auto& block : all_to_all(team, std::move(out)))
    for (const Count& each : block) {
      std::uint32_t& at = counts[each.row - home.first(team.rank())];
      at = sum(at, each.times);
    }
  return counts;
}

LowerEnds::LowerEnds(Team& team, const EdgeList& edges, const GraphShape& shape)
    : edges_(edges),
      bipartite_(shape.bipartite),
      source_(degrees(
          team, source_home(team, shape), [&] { return source_rows(edges, shape); }, edges, true,
          !shape.bipartite)),
      target_(shape.bipartite ? degrees(
                                    team, target_home(team, shape),
                                    [&] { return target_rows(edges, shape); }, edges, false, true)
                              : RowTable<std::uint32_t>{RowSet(0), false, {}}) {}

}  // namespace gas::partition
