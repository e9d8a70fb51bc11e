#include "tools/support/graph/occurring.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "gas/graph/parallel.hpp"
#include "gas/graph/row_set.hpp"

namespace gas::tools {
namespace {

/// The rows of all ranks' lists. Collective.
RowSet on_any_rank(Team& team, std::uint64_t count, const std::vector<Row>& mine) {
  RowSet here(count, mine);
  if (team.size() == 1) return here;
  const HomeRange home{count, team.size()};
  std::vector<std::vector<Row>> told(static_cast<std::size_t>(team.size()));
  here.for_each([&](Row row) { told[static_cast<std::size_t>(home.home(row))].push_back(row); });
  std::vector<Row> at_home;
  for (const auto& rows : all_to_all(team, std::move(told)))
    at_home.insert(at_home.end(), rows.begin(), rows.end());
  std::ranges::sort(at_home);
  at_home.erase(std::unique(at_home.begin(), at_home.end()), at_home.end());
  std::vector<Row> all;
  for (const auto& rows : all_gather(team, std::span<const Row>(at_home)))
    all.insert(all.end(), rows.begin(), rows.end());
  return RowSet(count, all);
}

/// The masters of the rows that stay, at their new home ranges. Collective.
std::vector<Part> moved(Team& team, std::uint64_t count, const std::vector<Row>& kept,
                        const std::vector<Part>& masters) {
  const HomeRange before{count, team.size()}, after{kept.size(), team.size()};
  const std::uint64_t first = before.first(team.rank());
  std::vector<std::vector<Part>> out(static_cast<std::size_t>(team.size()));
  const auto begin = std::ranges::lower_bound(kept, first);
  for (auto row = begin; row != kept.end() && *row < first + masters.size(); ++row)
    out[static_cast<std::size_t>(after.home(static_cast<std::uint64_t>(row - kept.begin())))]
        .push_back(masters[*row - first]);
  std::vector<Part> mine;
  for (const auto& parts : all_to_all(team, std::move(out)))
    mine.insert(mine.end(), parts.begin(), parts.end());
  return mine;
}

}  // namespace

std::vector<Row> keep_occurring(Team& team, GraphShape& shape, EdgeList& edges, Partition* cut,
                                unsigned threads) {
  const RowSet occurring = on_any_rank(team, shape.targets, edges.target);
  std::vector<Row> kept;
  kept.reserve(occurring.size());
  occurring.for_each([&](Row row) { kept.push_back(row); });
  if (kept.size() == shape.targets) return kept;

  constexpr std::size_t block = std::size_t{1} << 18;
  in_parallel(threads, (edges.size() + block - 1) / block, [&](unsigned, std::size_t task) {
    const std::size_t last = std::min((task + 1) * block, edges.size());
    for (std::size_t e = task * block; e < last; ++e) edges.target[e] = occurring[edges.target[e]];
  });
  if (cut) cut->target_master = moved(team, shape.targets, kept, cut->target_master);
  shape.targets = kept.size();
  return kept;
}

}  // namespace gas::tools
