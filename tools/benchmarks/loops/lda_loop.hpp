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

/// Topics between sweeps, from a start that gives every token one.
struct TopicState {
  std::size_t topics;
  float alpha, beta;
  std::vector<std::uint16_t> topic;                 // by token
  std::vector<float> weights;                       // φ by word and topic; 15 more may be read
  std::vector<double> totals;                       // of tokens, by topic, with Vβ
  std::vector<std::vector<std::int32_t>> counts{};  // by thread, as many as sweep
  std::vector<std::uint64_t> starts{}, tokens{};    // of walks: the tokens of each word
  std::vector<std::uint16_t> picks{};               // of walks: a word's sample of 64 topics
  std::uint64_t sweep = 0;
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native).
#define GAS_BENCH_DECLARE(variant)                                 \
  namespace gas::bench::variant {                                  \
  void lda_sweep(const TokenRows&, TopicState&, int threads);      \
  void lda_walk_sweep(const TokenRows&, TopicState&, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
