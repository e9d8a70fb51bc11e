// Loss, gradient and curvature of logistic regression in one pass over the examples, as one would
// write it by hand.
#include "tools/benchmarks/loops/logistic_loop.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

namespace gas::bench::GAS_BENCH_VARIANT {

void logistic(const ExampleRows& x, const std::vector<double>& w, LossAt& at, int threads) {
  at.partial.resize(static_cast<std::size_t>(threads));
  at.slopes.resize(x.features);
  double loss = 0;
#pragma omp parallel num_threads(threads) reduction(+ : loss)
  {
    std::vector<LossAt::Slope>& mine = at.partial[static_cast<std::size_t>(omp_get_thread_num())];
    mine.assign(x.features, {});
#pragma omp for schedule(dynamic, 1024)
    for (std::size_t i = 0; i < x.examples; ++i) {
      double product = 0;
      for (std::uint64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e)
        product += w[x.columns[e]] * x.values[e];
      const double margin = x.labels[i] * product;
      const double rare = 1 / (1 + std::exp(std::abs(margin)));
      const double gradient = -x.labels[i] * (margin > 0 ? rare : 1 - rare);
      const double curvature = rare * (1 - rare);
      loss += std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
      for (std::uint64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        const double value = x.values[e];
        mine[x.columns[e]].gradient += gradient * value;
        mine[x.columns[e]].curvature += curvature * value * value;
      }
    }
#pragma omp for
    for (std::size_t j = 0; j < x.features; ++j) {
      at.slopes[j] = {};
      for (const auto& part : at.partial) {
        at.slopes[j].gradient += part[j].gradient;
        at.slopes[j].curvature += part[j].curvature;
      }
    }
  }
  at.loss = loss;
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
