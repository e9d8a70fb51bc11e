// A sweep of collapsed Gibbs sampling over flat arrays, as one would write it by hand: a token
// looks at all topics; the words' counts are those of the sweep's start, but for the token itself.
#include "tools/benchmarks/lda_loop.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

namespace gas::bench::GAS_BENCH_VARIANT {

constexpr std::size_t block = 16;

/// The topic where the running sum of factor · weights passes the share `u` of the whole.
std::size_t draw(const float* factor, const float* weights, std::size_t topics, float u) {
  float sums[4096 / block], total = 0;
  const std::size_t blocks = (topics + block - 1) / block;
  for (std::size_t b = 0; b < blocks; ++b) {
    float sum = 0;
    if ((b + 1) * block <= topics) {
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 0; i < block; ++i) sum += factor[b * block + i] * weights[b * block + i];
    } else {
      for (std::size_t k = b * block; k < topics; ++k) sum += factor[k] * weights[k];
    }
    sums[b] = total += sum;
  }
  const float at = u * total;
  std::size_t b = 0;
  while (b + 1 < blocks && at >= sums[b]) ++b;
  float sum = b > 0 ? sums[b - 1] : 0;
  const std::size_t last = std::min(topics, (b + 1) * block) - 1;
  std::size_t k = b * block;
  while (k < last && at >= (sum += factor[k] * weights[k])) ++k;
  return k;
}

void lda_sweep(const TokenRows& x, TopicState& s, int threads) {
  const std::size_t topics = s.topics;
  s.counts.resize(x.words * topics);
  s.totals.resize(topics, static_cast<double>(x.words) * static_cast<double>(s.beta));
  s.changes.resize(static_cast<std::size_t>(threads));
  ++s.sweep;
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::int32_t>& changes = s.changes[static_cast<std::size_t>(omp_get_thread_num())];
    changes.assign(s.counts.size(), 0);
    std::vector<float> factor(topics);
#pragma omp for schedule(dynamic, 64)
    for (std::size_t d = 0; d < x.documents; ++d) {
      std::fill(factor.begin(), factor.end(), s.alpha);
      for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e)
        if (s.topic[e] != TopicState::none) factor[s.topic[e]] += 1;
      std::uint64_t state = (d + 1) * 0x9e3779b97f4a7c15U ^ s.sweep * 0xd1342543de82ef95U;
      for (std::uint64_t e = x.offsets[d]; e < x.offsets[d + 1]; ++e) {
        state = (state ^ state >> 29U) * 0xbf58476d1ce4e5b9U + 1;
        const float u = static_cast<float>(state >> 40U) * 0x1p-24F;
        const std::size_t z = s.topic[e], row = x.word[e] * topics;
        const float* const weights = s.weights.data() + row;
        const float before = z != TopicState::none ? factor[z] : 0;
        if (z != TopicState::none) {  // the token itself does not count
          const double n = s.totals[z], weight = double(weights[z]);
          factor[z] = (before - 1) * float((weight - 1 / n) * n / (n - 1) / weight);
        }
        const std::size_t now = draw(factor.data(), weights, topics, u);
        if (z != TopicState::none) {
          factor[z] = before - 1;
          --changes[row + z];
        }
        factor[now] += 1;
        ++changes[row + now];
        s.topic[e] = static_cast<std::uint16_t>(now);
      }
    }
#pragma omp for
    for (std::size_t i = 0; i < s.counts.size(); ++i)
      for (const auto& part : s.changes) s.counts[i] += part[i];
#pragma omp single
    {
      std::fill(s.totals.begin(), s.totals.end(), double(x.words) * double(s.beta));
      for (std::size_t w = 0; w < x.words; ++w)
        for (std::size_t k = 0; k < topics; ++k) s.totals[k] += s.counts[w * topics + k];
    }
#pragma omp for
    for (std::size_t w = 0; w < x.words; ++w)
      for (std::size_t k = 0; k < topics; ++k)
        s.weights[w * topics + k] =
            (float(s.counts[w * topics + k]) + s.beta) / static_cast<float>(s.totals[k]);
  }
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
