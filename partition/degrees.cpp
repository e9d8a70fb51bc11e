#include "partition/degrees.hpp"

#include <limits>
#include <utility>

#include "partition/edge_cut.hpp"
#include "partition/home.hpp"

namespace gas::partition {
namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a > most - b ? most : a + b; }

RowTable<std::uint32_t> count(Team& team, HomeRange home, RowSet rows, const EdgeList& edges,
                              bool sources, bool targets) {
  struct Count {
    Row row;
    std::uint32_t times;
  };
  std::vector<std::uint32_t> times(rows.size(), 0);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (sources) ++times[rows[edges.source[e]]];
    if (targets) ++times[rows[edges.target[e]]];
  }
  std::vector<std::vector<Count>> out(static_cast<std::size_t>(team.size()));
  std::size_t number = 0;
  rows.for_each([&](Row row) {
    out[static_cast<std::size_t>(home.home(row))].push_back({row, times[number++]});
  });
  times = std::vector<std::uint32_t>();
  std::vector<std::uint32_t> total(home.count(team.rank()), 0);
  for (const auto& block : all_to_all(team, std::move(out)))
    for (const Count& each : block) {
      std::uint32_t& at = total[each.row - home.first(team.rank())];
      at = sum(at, each.times);
    }
  return fetch(team, home, std::span<const std::uint32_t>(total), std::move(rows));
}

}  // namespace

std::vector<bool> lower_sources(Team& team, const EdgeList& edges, const GraphShape& shape) {
  std::vector<bool> lower(edges.size());
  const auto source = count(team, source_home(team, shape), source_rows(edges, shape), edges, true,
                            !shape.bipartite);
  if (shape.bipartite) {
    const auto target =
        count(team, target_home(team, shape), target_rows(edges, shape), edges, false, true);
    for (std::size_t e = 0; e < lower.size(); ++e)
      lower[e] = source[edges.source[e]] <= target[edges.target[e]];
    return lower;
  }
  for (std::size_t e = 0; e < lower.size(); ++e) {
    const Row from = edges.source[e], to = edges.target[e];
    lower[e] = source[from] == source[to] ? from <= to : source[from] < source[to];
  }
  return lower;
}

}  // namespace gas::partition
