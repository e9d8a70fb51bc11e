#pragma once

#include <cstdint>

#include "partition/measure/quality.hpp"

namespace gas::partition {

/// Bytes of what a vertex of a program publishes and of the total that it gathers; 0: none. A plain
/// graph's vertices are data.
struct Widths {
  struct Kind {
    std::uint64_t published = 8, total = 8;
  };
  Kind data, parameter;
};

/// What a run with a rank per part will take.
struct Prediction {
  /// That all ranks together send as values and totals in a round in which every vertex publishes
  /// something new: the engine's messages, each with the byte before its entries. Values that stay
  /// as they were and empty running totals are not sent; a total whose width varies by its content
  /// (a row: 4 bytes and its elements, or its nonzeros with their places) counts as `total` bytes;
  /// complete totals that a program sends back to mirrors (scatter), sums over all vertices and
  /// control messages are not among them.
  std::uint64_t bytes_per_round = 0;
  /// That the rank which needs most holds at rest: its piece of the graph, published values, and
  /// totals to and from mirrors. Beside them a program has its vertices' own state and, if both
  /// kinds gather, the edges by parameter or totals by slot.
  std::uint64_t memory_per_rank = 0;
};

/// f(key, member) for what summaries say of a Prediction.
template <class F>
void for_each_key(const Prediction& prediction, F f) {
  f("bytes_per_round", prediction.bytes_per_round);
  f("memory_per_rank", prediction.memory_per_rank);
}

/// `value_bytes`: of an edge, 0 without values.
Prediction predict(const Measured& quality, bool bipartite, std::size_t value_bytes,
                   const Widths& widths);

}  // namespace gas::partition
