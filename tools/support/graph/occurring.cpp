#include "tools/support/graph/occurring.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "gas/base/parallel.hpp"
#include "gas/graph/row_set.hpp"

namespace gas::tools {
namespace {

/// The rows of all ranks' lists. Collective.
RowSet on_any_rank(Communicator& comm, std::uint64_t count, const std::vector<VertexId>& mine) {
  RowSet here(count, mine);
  if (comm.size() == 1) return here;
  const BlockDistribution blocks{count, comm.size()};
  std::vector<std::vector<VertexId>> told(static_cast<std::size_t>(comm.size()));
  here.for_each(
      [&](VertexId row) { told[static_cast<std::size_t>(blocks.owner(row))].push_back(row); });
  std::vector<VertexId> at_owner;
  for (const auto& rows : all_to_all(comm, std::move(told)))
    at_owner.insert(at_owner.end(), rows.begin(), rows.end());
  std::ranges::sort(at_owner);
  at_owner.erase(std::unique(at_owner.begin(), at_owner.end()), at_owner.end());
  std::vector<VertexId> all;
  for (const auto& rows : all_gather(comm, std::span<const VertexId>(at_owner)))
    all.insert(all.end(), rows.begin(), rows.end());
  return RowSet(count, all);
}

/// The masters of the rows that stay, at their new blocks. Collective.
std::vector<Part> moved(Communicator& comm, std::uint64_t count, const std::vector<VertexId>& kept,
                        const std::vector<Part>& masters) {
  const BlockDistribution before{count, comm.size()}, after{kept.size(), comm.size()};
  const std::uint64_t first = before.first(comm.rank());
  std::vector<std::vector<Part>> out(static_cast<std::size_t>(comm.size()));
  const auto begin = std::ranges::lower_bound(kept, first);
  for (auto row = begin; row != kept.end() && *row < first + masters.size(); ++row)
    out[static_cast<std::size_t>(after.owner(static_cast<std::uint64_t>(row - kept.begin())))]
        .push_back(masters[*row - first]);
  std::vector<Part> mine;
  for (const auto& parts : all_to_all(comm, std::move(out)))
    mine.insert(mine.end(), parts.begin(), parts.end());
  return mine;
}

}  // namespace

std::vector<VertexId> keep_occurring(Communicator& comm, GraphShape& shape, EdgeList& edges,
                                     Partition* cut, unsigned threads) {
  const RowSet occurring = on_any_rank(comm, shape.targets, edges.target);
  std::vector<VertexId> kept;
  kept.reserve(occurring.size());
  occurring.for_each([&](VertexId row) { kept.push_back(row); });
  if (kept.size() == shape.targets) return kept;

  constexpr std::size_t block = std::size_t{1} << 18;
  in_parallel(threads, (edges.size() + block - 1) / block, [&](unsigned, std::size_t task) {
    const std::size_t last = std::min((task + 1) * block, edges.size());
    for (std::size_t e = task * block; e < last; ++e) edges.target[e] = occurring[edges.target[e]];
  });
  if (cut) cut->target_master = moved(comm, shape.targets, kept, cut->target_master);
  shape.targets = kept.size();
  return kept;
}

}  // namespace gas::tools
