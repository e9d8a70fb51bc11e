#pragma once

#include <algorithm>
#include <vector>

#include "gas/program/accumulator_array.hpp"

namespace gas {

/// Where pushes go: a fixed number of pieces, each with totals of its own for every local
/// parameter, added in shard order. The number depends on the graph, never on the threads, so that
/// floating-point results do not depend on them either. Exact totals (integers) may use one shard
/// per worker instead.
template <class Accumulator>
class Shards {
 public:
  /// Shards for `edges` pushes to `targets` totals: more where their memory stays small beside the
  /// edges'. A multiple of 8, which 2, 4 and 8 threads share evenly.
  static std::size_t count_for(std::size_t edges, std::size_t targets) {
    const std::size_t eights = edges / (256 * std::max<std::size_t>(targets, 1));
    return 8 * std::clamp<std::size_t>(eights, 1, 8);
  }

  void resize(std::size_t shards, std::size_t targets, std::size_t width) {
    shards_.resize(shards);
    for (AccumulatorArray<Accumulator>& shard : shards_) shard.resize(targets, width);
  }
  std::size_t size() const { return shards_.size(); }
  AccumulatorArray<Accumulator>& operator[](std::size_t shard) { return shards_[shard]; }

  /// The total of all shards for one target, added in shard order; `clears`: zero afterwards, for
  /// the next round, while it is in cache.
  template <bool clears>
  Accumulator sum(std::size_t target) requires SmallAccumulator<Accumulator> {
    Accumulator total{};
    for (AccumulatorArray<Accumulator>& shard : shards_) {
      total += shard[target];
      if constexpr (clears) shard.clear(target);
    }
    return total;
  }

 private:
  std::vector<AccumulatorArray<Accumulator>> shards_;
};

/// `to[name]` in push(to, …): the running total of the parameter with that row.
template <class Accumulator>
class PushTargets {
 public:
  explicit PushTargets(AccumulatorArray<Accumulator>& totals) : totals_(totals) {}
  typename AccumulatorArray<Accumulator>::Ref operator[](std::size_t name) { return totals_[name]; }

 private:
  AccumulatorArray<Accumulator>& totals_;
};

}  // namespace gas
