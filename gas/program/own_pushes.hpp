#pragma once

namespace gas {

/// What an in-place gather (see rank_local) learns of a neighbour besides its published value.
template <class Accumulator>
struct OwnPushes {
  Accumulator total{};  // what this shard has pushed to the neighbour in this step
  /// If each shard changes it by any A, (Σ A)² ≤ Σ cover × A² over the shards, as their 1 / cover
  /// sum to 1. Covers in proportion to 1 / √edges of the shard have the least sum over the edges.
  float cover = 1;
  bool shared = false;  // several ranks have it, so their changes arrive late
};

}  // namespace gas
