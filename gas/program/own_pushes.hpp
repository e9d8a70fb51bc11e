#pragma once

namespace gas {

/// What a gather in place (see rank_local) is told of a neighbour beside its published value.
template <class Accumulator>
struct OwnPushes {
  Accumulator total{};  // what this shard has pushed to it in this step
  /// (Σ A)² ≤ Σ cover × A² over all shards, whatever changes A they make to it: the sum of 1 /
  /// cover is 1. It is the least in sum over the edges: as 1 / √edges of the shard.
  float cover = 1;
  bool shared = false;  // several ranks have it, so that changes come back late
};

}  // namespace gas
