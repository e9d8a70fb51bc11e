#include "partition/degrees.hpp"

namespace gas::partition {
namespace {

constexpr std::uint32_t largest = std::numeric_limits<std::uint32_t>::max();

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a > largest - b ? largest : a + b; }

/// Of one kind of vertices, or of all of a plain graph: of all where they are fewer than the edges
/// of every rank, else of `rows_here()`.
template <class Rows>
RowTable<std::uint32_t> degrees(Communicator& comm, BlockDistribution blocks, Rows rows_here,
                                const EdgeList& edges, bool sources, bool targets) {
  const auto at_owner = block_degrees(comm, blocks, [&](auto count) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (sources) count(edges.source[e]);
      if (targets) count(edges.target[e]);
    }
  });
  const std::span<const std::uint32_t> mine(at_owner);
  if (all_min(comm, std::uint64_t{edges.size()}) >= blocks.ids)
    return {RowSet(0), true, whole(comm, mine)};
  return fetch(comm, blocks, mine, rows_here());
}

}  // namespace

std::vector<std::uint32_t> add_at_owner(Communicator& comm, BlockDistribution blocks,
                                        std::vector<std::uint32_t> counts) {
  if (comm.size() == 1) return counts;
  struct Count {
    VertexId row;
    std::uint32_t times;
  };
  std::vector<std::vector<Count>> out(static_cast<std::size_t>(comm.size()));
  for (int rank = 0; rank < comm.size(); ++rank)
    for (std::uint64_t row = blocks.first(rank); row < blocks.first(rank) + blocks.count(rank);
         ++row)
      if (counts[row] > 0)
        out[static_cast<std::size_t>(rank)].push_back({to_vertex_id(row), counts[row]});
  counts = std::vector<std::uint32_t>(blocks.count(comm.rank()), 0);
  for (const auto& block : all_to_all(comm, std::move(out)))
    for (const Count& each : block) {
      std::uint32_t& at = counts[each.row - blocks.first(comm.rank())];
      at = sum(at, each.times);
    }
  return counts;
}

LowerEnds::LowerEnds(Communicator& comm, const EdgeList& edges, const GraphShape& shape)
    : edges_(edges),
      bipartite_(shape.bipartite),
      source_(degrees(
          comm, source_blocks(comm, shape), [&] { return source_rows(edges, shape); }, edges, true,
          !shape.bipartite)),
      target_(shape.bipartite ? degrees(
                                    comm, target_blocks(comm, shape),
                                    [&] { return target_rows(edges, shape); }, edges, false, true)
                              : RowTable<std::uint32_t>{RowSet(0), false, {}}) {}

}  // namespace gas::partition
