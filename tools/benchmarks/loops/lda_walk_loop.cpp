// A sweep of topics by Metropolis–Hastings walks over flat arrays, as one would write it by hand: a
// token is offered a topic of its document, then one of its word; the words' counts are those of
// the sweep's start, but for the token itself.
#include <algorithm>

#include "tools/benchmarks/loops/lda_loop.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

void lda_walk_sweep(const TokenRows& x, TopicState& s, int threads) {
  const std::size_t topics = s.topics, seed = ++s.sweep;
  std::vector<double> next(topics, double(x.words) * double(s.beta));
  double* const totals = next.data();
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> factor(topics);
#pragma omp for schedule(dynamic, 64) reduction(+ : totals[:topics])
    for (std::size_t d = 0; d < x.documents; ++d) {
      const std::uint64_t first = x.offsets[d], last = x.offsets[d + 1];
      const float length = float(last - first), whole = length + float(topics) * s.alpha;
      std::fill(factor.begin(), factor.end(), s.alpha);
      for (std::uint64_t e = first; e < last; ++e) ++factor[s.topic[e]];
      std::uint64_t state = (d + 1) * 0x9e3779b97f4a7c15U ^ seed * 0xd1342543de82ef95U;
      for (std::uint64_t e = first; e < last; ++e) {
        state = (state ^ state >> 29U) * 0xbf58476d1ce4e5b9U + 1;
        const std::uint64_t bits = state ^ state >> 32U;
        const float* const weights = s.weights.data() + x.word[e] * topics;
        const float at = float(bits >> 40U) * 0x1p-24F * whole;
        const std::size_t z = s.topic[e], picked = s.picks[x.word[e] * 64 + bits % 64];
        const std::size_t offered =
            at < length ? s.topic[std::min(first + std::uint64_t(at), last - 1)]
                        : std::min(std::size_t((at - length) / s.alpha), topics - 1);
        const float n = float(s.totals[z]), left = (weights[z] * n - 1) / (n - 1);
        --factor[z];
        const auto chance = [](std::uint64_t b) { return (float(b & 0xffffU) + 0.5F) * 0x1p-16F; };
        const bool takes = chance(bits >> 6U) * left < (offered == z ? left : weights[offered]);
        const std::size_t middle = takes ? offered : z;
        const float of_picked = factor[picked] * (picked == z ? left : weights[z]);
        const float of_middle = factor[middle] * (middle == z ? left : weights[z]);
        const std::size_t now = chance(bits >> 22U) * of_middle < of_picked ? picked : middle;
        ++factor[now];
        ++totals[now];
        s.topic[e] = static_cast<std::uint16_t>(now);
      }
    }
#pragma omp for schedule(dynamic, 64)
    for (std::size_t w = 0; w < x.words; ++w) {
      float* const weights = s.weights.data() + w * topics;
      std::fill_n(weights, topics, s.beta);
      for (std::uint64_t i = s.starts[w]; i < s.starts[w + 1]; ++i) ++weights[s.topic[s.tokens[i]]];
      float all = 0, sum = 0;
      for (std::size_t k = 0; k < topics; ++k) all += weights[k] /= float(totals[k]);
      const auto u = float((w + 1) * (seed * 0x9e3779b97f4a7c15U | 1U) >> 40U) * 0x1p-24F;
      for (std::size_t k = 0, i = 0; i < 64; ++k)
        for (sum += weights[k]; i < 64 && (k + 1 == topics || (float(i) + u) * all < sum * 64); ++i)
          s.picks[w * 64 + i] = static_cast<std::uint16_t>(k);
    }
  }
  s.totals.swap(next);
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
