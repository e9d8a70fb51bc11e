#include "partition/degrees.hpp"
#include "partition/edge_cut.hpp"
#include "partition/keyed_hash.hpp"
#include "partition/methods/method.hpp"
#include "partition/shapes.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

/// For each of this rank's edges, whether its source chooses the row.
std::vector<bool> source_chooses_row(Communicator& comm, const EdgeList& edges,
                                     const GraphShape& shape) {
  std::vector<bool> chooses(edges.size(), true);
  if (shape.bipartite) return chooses;
  const LowerEnds lower(comm, edges, shape);
  for (std::size_t e = 0; e < chooses.size(); ++e) chooses[e] = !lower.is_source(e);
  return chooses;
}

/// The source or the target, without a branch, which would be guessed wrong.
VertexId end(const EdgeList& edges, std::size_t e, bool source) {
  const VertexId from = edges.source[e], to = edges.target[e];
  return to ^ ((from ^ to) & (0U - (source ? 1U : 0U)));
}

}  // namespace

Partition grid_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  const std::vector<bool> by_source = source_chooses_row(comm, edges, shape);
  const auto row_end = [&](std::size_t e) { return end(edges, e, by_source[e]); };
  const auto column_end = [&](std::size_t e) { return end(edges, e, !by_source[e]); };
  const auto each = [&](auto end_of) {
    return [&edges, end_of](auto f) {
      for (std::size_t e = 0; e < edges.size(); ++e) f(end_of(e));
    };
  };
  const Grid grid = best_grid(
      {histogram(comm, block_degrees(comm, source_blocks(comm, shape), each(row_end))),
       histogram(comm, block_degrees(comm, target_blocks(comm, shape), each(column_end)))},
      options.parts);
  return vertex_cut(comm, edges, shape, options, [&](std::size_t first, std::span<Part> parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part row = hash_below(row_end(first + i), options.seed, grid.rows);
      const Part column = hash_below(column_end(first + i), ~options.seed, grid.columns);
      parts[i] = row * grid.columns + column;
    }
  });
}

}  // namespace gas::partition
