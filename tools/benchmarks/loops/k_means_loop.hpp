#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

struct PointRows {
  std::size_t count, dimensions;
  const float* values;
};

/// k-means between rounds; `nearest` begins with K, which is no centroid.
struct LloydState {
  std::size_t k;
  std::vector<float> centroids;
  std::vector<std::uint32_t> nearest;
  std::vector<double> sums{};  // of the points of each centroid, and their number behind
  double objective = 0;        // of the round's assignment
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native).
#define GAS_BENCH_DECLARE(variant)                                \
  namespace gas::bench::variant {                                 \
  void k_means_round(const PointRows&, LloydState&, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
