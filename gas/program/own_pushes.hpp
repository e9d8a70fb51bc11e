#pragma once

namespace gas {

/// What an in-place gather (see rank_local) learns of a neighbour besides its published value.
template <class Accumulator>
struct OwnPushes {
  Accumulator total{};  // what this shard has pushed to the neighbour in this step
  /// If each shard changes the neighbour by any A, then (Σ A)² ≤ Σ cover × A² over all shards,
  /// since their 1 / cover sum to 1. Among such factors, a cover proportional to 1 / √edges of the
  /// shard has the least sum over the edges.
  float cover = 1;
  bool shared = false;  // several ranks have it, so their changes arrive late
};

}  // namespace gas
