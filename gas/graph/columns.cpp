#include "gas/graph/columns.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "gas/base/threads/parallel.hpp"
#include "gas/graph/distinct.hpp"
#include "gas/graph/row_set.hpp"

namespace gas {
namespace {

/// The rows of all ranks' lists. Collective.
RowSet on_any_rank(Communicator& comm, std::uint64_t count, const std::vector<VertexId>& mine) {
  RowSet here(count, mine);
  if (comm.size() == 1) return here;
  std::vector<VertexId> rows_here;
  here.for_each([&](VertexId row) { rows_here.push_back(row); });
  const std::vector<VertexId> at_owner =
      distinct_ids(comm, BlockDistribution{count, comm.size()}, std::move(rows_here));
  return RowSet(count, whole(comm, at_owner));
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

void add_ones(Communicator& comm, GraphShape& shape, EdgeList& edges, Partition& cut) {
  if (!edges.weighted()) edges.value.assign(edges.size(), 1.0F);
  const std::uint64_t first = BlockDistribution{shape.sources, comm.size()}.first(comm.rank());
  // From the back, each behind the edges of its row: edges that come by row still do.
  std::size_t rows = cut.source_master.size();
  std::size_t from = edges.size();
  std::size_t to = from + rows;
  const auto lengthen = [&](auto& list) {
    list.reserve(to);
    list.resize(to);
  };
  lengthen(edges.source);
  lengthen(edges.target);
  lengthen(edges.value);
  const bool parts = !cut.edge_part.empty() || cut.parts > 1;
  if (parts) lengthen(cut.edge_part);
  while (rows > 0) {
    --to;
    const bool moves = from > 0 && edges.source[from - 1] > first + rows - 1;
    from -= moves ? 1 : 0;
    rows -= moves ? 0 : 1;
    edges.source[to] = moves ? edges.source[from] : to_vertex_id(first + rows);
    edges.target[to] = moves ? edges.target[from] : to_vertex_id(shape.targets);
    edges.value[to] = moves ? edges.value[from] : 1;
    if (parts) cut.edge_part[to] = moves ? cut.edge_part[from] : cut.source_master[rows];
  }
  // One row more moves the bounds of the blocks.
  std::vector<Part> masters = whole(comm, cut.target_master);
  masters.push_back(0);
  for (const Part part :
       broadcast(comm, std::span<const Part>(cut.source_master)
                           .first(std::min<std::size_t>(1, cut.source_master.size()))))
    masters.back() = part;
  const BlockDistribution blocks{++shape.targets, comm.size()};
  const auto begin = masters.begin() + static_cast<std::ptrdiff_t>(blocks.first(comm.rank()));
  cut.target_master.assign(begin, begin + static_cast<std::ptrdiff_t>(blocks.count(comm.rank())));
}

}  // namespace gas
