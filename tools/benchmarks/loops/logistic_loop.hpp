#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

/// Examples as compressed rows, with labels ±1.
struct ExampleRows {
  std::size_t examples, features;
  const std::uint64_t* offsets;
  const std::uint32_t* columns;
  const float* values;
  const double* labels;
};

/// Of the logistic loss at given weights: its sum, gradient, and the diagonal of its Hessian.
struct LossAt {
  struct Slope {
    double gradient = 0, curvature = 0;
  };
  double loss = 0;
  std::vector<Slope> slopes;                // by feature
  std::vector<std::vector<Slope>> partial;  // by thread
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native).
#define GAS_BENCH_DECLARE(variant)                                                       \
  namespace gas::bench::variant {                                                        \
  void logistic(const ExampleRows&, const std::vector<double>& w, LossAt&, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
