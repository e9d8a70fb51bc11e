#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/page_array.hpp"
#include "gas/base/types.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Edges on their way into compressed rows: each lies at an owner vertex and has another end.
struct LooseEdges {
  std::vector<LocalId> owner;
  std::vector<VertexId> other;
  std::vector<float> value;        // one per edge in one of the two, or in neither
  std::vector<double> wide_value;  // as EdgeList
  bool both_ways = false;  // each stands for the edge from its other end as well; loops for one
  // Where both_ways and owner ends are not called by their rows: other ends are called as owner
  // ends are too, and these are the rows of all.
  std::span<const VertexId> row_of = {};

  std::size_t size() const { return owner.size(); }
};

/// The edges of owner vertex v are the positions offsets[v] … offsets[v+1]−1, ascending by the
/// other end, equal ones in the order of the input.
struct SortedRows {
  std::vector<EdgeOffset> offsets;
  std::vector<VertexId> others;
  std::vector<float> values;  // one of the two parallel to others, or neither
  std::vector<double> wide_values;
};

/// Calls f(values) for those that the edges have, or an empty list of floats.
template <class F>
void with_values(SortedRows& rows, F f) {
  if (rows.wide_values.empty())
    f(rows.values);
  else
    f(rows.wide_values);
}

/// Lays `edges` out, whose owner ends are below `owners` and other ends below `others`; the same
/// for every number of threads. Local. Edges that come by ascending owner end stay where they are
/// and only their rows are sorted. Otherwise they are dealt into blocks of vertices that fit a
/// cache, and each block is sorted there: O(edges) time; the input and the blocks are given back to
/// the system as they are used up, so that list, blocks and result take 9 bytes per edge at most
/// (13 with values, 17 with doubles), of which the result keeps 4 (8, 12). On few edges or many
/// threads more of the result stands beside the blocks.
SortedRows sort_rows(LooseEdges edges, std::size_t owners, std::uint64_t others, unsigned threads);

/// Edges from their other end (local): where each lies if they are laid out by neighbour, those of
/// one neighbour in the order of `next`. 4 or 8 bytes per neighbour while it lives.
class Turned {
 public:
  /// `count` is the number of local ids of the other end.
  Turned(const Adjacency& forward, LocalId count)
      : forward_(forward), offsets_(filled_soon<EdgeOffset>(static_cast<std::size_t>(count) + 1)) {
    for (const LocalId n : forward.neighbours) ++offsets_[n + 1];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    free_ = copied_soon<EdgeOffset>(std::span(std::as_const(offsets_)), [](auto, auto) {});
  }

  /// The row of the next edge; rows ascend. To be called before `next`, which passes the edge.
  LocalId row() {
    while (edge_ == forward_.offsets[row_ + 1]) ++row_;
    return row_;
  }
  EdgeOffset next() { return free_[forward_.neighbours[edge_++]]++; }

  /// The edges of neighbour n lie at offsets[n] … offsets[n + 1] − 1.
  std::vector<EdgeOffset> offsets() && { return std::move(offsets_); }

 private:
  const Adjacency& forward_;
  std::vector<EdgeOffset> offsets_, free_;
  EdgeOffset edge_ = 0;
  LocalId row_ = 0;
};

/// The same edges, listed by the other end and without Adjacency::edges (local); place(at, edge)
/// tells where each edge of `forward` came to lie. Neighbours are left out unless
/// `with_neighbours`. `count` is the number of local ids of the other end.
template <class Place>
Adjacency reversed(const Adjacency& forward, LocalId count, bool with_neighbours, Place place) {
  const std::size_t edges = forward.neighbours.size();
  Turned turned(forward, count);
  Adjacency backward;
  backward.neighbours =
      SharedList<LocalId>::filled(with_neighbours ? edges : 0, [&](std::span<LocalId> neighbours) {
        for (std::size_t e = 0; e < edges; ++e) {
          const LocalId row = turned.row();
          const EdgeOffset at = turned.next();
          if (with_neighbours) neighbours[at] = row;
          place(at, e);
        }
      });
  backward.offsets = std::move(turned).offsets();
  return backward;
}

}  // namespace gas
