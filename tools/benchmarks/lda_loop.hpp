#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

/// Documents as compressed rows of tokens' words.
struct TokenRows {
  std::size_t documents, words;
  const std::uint64_t* offsets;
  const std::uint32_t* word;
};

/// Topics between sweeps; the arrays begin empty but for `topic` and `weights`.
struct TopicState {
  static constexpr std::uint16_t none = 0xffff;
  std::size_t topics;
  float alpha, beta;
  std::vector<std::uint16_t> topic;                  // by token
  std::vector<float> weights;                        // φ of a word in each topic, word by word
  std::vector<std::int32_t> counts{};                // likewise, of tokens
  std::vector<double> totals{};                      // of tokens, by topic, with Vβ
  std::vector<std::vector<std::int32_t>> changes{};  // of counts, by thread
  std::uint64_t sweep = 0;
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native).
#define GAS_BENCH_DECLARE(variant)                            \
  namespace gas::bench::variant {                             \
  void lda_sweep(const TokenRows&, TopicState&, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
