// A sweep of collapsed Gibbs sampling over flat arrays, as one would write it by hand: a token
// looks at all topics; the words' counts are those of the sweep's start, but for the token itself.
#include "tools/benchmarks/loops/lda_loop.hpp"

#include <omp.h>

#include <Eigen/Core>
#include <algorithm>

namespace gas::bench::GAS_BENCH_VARIANT {

using Block = Eigen::Map<const Eigen::Array<float, 16, 1>>;

void lda_sweep(const TokenRows& x, TopicState& s, int threads) {
  const std::size_t topics = s.topics, blocks = (topics + 15) / 16, seed = ++s.sweep;
  std::vector<double> next(topics, double(x.words) * double(s.beta));
  double* const totals = next.data();
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::int32_t>& counts = s.counts[static_cast<std::size_t>(omp_get_thread_num())];
    counts.assign(x.words * topics, 0);
    std::vector<float> factor(blocks * 16), sums(blocks + 1);
#pragma omp for schedule(dynamic, 64)
    for (std::size_t d = 0; d < x.documents; ++d) {
      std::fill_n(factor.begin(), topics, s.alpha);
      for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) ++factor[s.topic[e]];
      std::uint64_t state = (d + 1) * 0x9e3779b97f4a7c15U ^ seed * 0xd1342543de82ef95U;
      for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) {
        const float* const weights = s.weights.data() + x.word[e] * topics;
        const std::size_t z = s.topic[e];
        const float n = float(s.totals[z]), others = --factor[z];  // the token does not count
        factor[z] *= (weights[z] * n - 1) / (weights[z] * (n - 1));
        for (std::size_t b = 0; b < blocks; ++b)
          sums[b + 1] = sums[b] + (Block(&factor[b * 16]) * Block(weights + b * 16)).sum();
        state = (state ^ state >> 29U) * 0xbf58476d1ce4e5b9U + 1;
        const float at = static_cast<float>(state >> 40U) * 0x1p-24F * sums[blocks];
        std::size_t k = 0;
        while (k + 16 < topics && at >= sums[k / 16 + 1]) k += 16;
        for (float sum = sums[k / 16]; k + 1 < topics && at >= (sum += factor[k] * weights[k]);)
          ++k;
        factor[z] = others;
        ++factor[k];
        ++counts[x.word[e] * topics + k];
        s.topic[e] = static_cast<std::uint16_t>(k);
      }
    }
#pragma omp for reduction(+ : totals[:topics])
    for (std::size_t w = 0; w < x.words; ++w)
      for (std::size_t k = 0; k < topics; ++k)
        for (const auto& part : s.counts) totals[k] += part[w * topics + k];
#pragma omp for
    for (std::size_t w = 0; w < x.words; ++w)
      for (std::size_t k = 0; k < topics; ++k) {
        std::int32_t count = 0;
        for (const auto& part : s.counts) count += part[w * topics + k];
        s.weights[w * topics + k] = (float(count) + s.beta) / float(totals[k]);
      }
  }
  s.totals.swap(next);
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
