#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "gas/graph/local_graph.hpp"

namespace gas {

/// Edges from their other end (local): where each lies if they are laid out by neighbour, those of
/// one neighbour in the order of `next`. 4 or 8 bytes per neighbour while it lives.
class Turned {
 public:
  /// `count` is the number of local ids of the other end.
  Turned(const Adjacency& forward, LocalId count)
      : forward_(forward), offsets_(static_cast<std::size_t>(count) + 1, 0) {
    for (const LocalId n : forward.neighbours) ++offsets_[n + 1];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    free_.assign(offsets_.begin(), offsets_.end() - 1);
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

}  // namespace gas
