#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/types.hpp"

namespace gas {

/// Edges on their way into compressed rows: each lies at a owner vertex and has another end.
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

}  // namespace gas
