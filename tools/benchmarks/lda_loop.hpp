#pragma once

#include <vector>

#include "gas/program/random.hpp"
#include "programs/topic_counts.hpp"

/// The plain loop that the LDA sweep is held against: the same sampler on flat arrays, for a range
/// of documents at a time.
struct LdaLoop {
  std::size_t topics, stride;               // stride: floats from one word's row to the next
  std::vector<std::size_t> document;        // first token by document, and the end
  std::vector<std::uint32_t> word;          // by token
  std::vector<std::uint16_t> topic;         // by token; TopicCounts::none at first
  std::vector<float> rows;                  // by word: a TopicRow
  std::vector<float> inverse, without_one;  // by topic, as Lda has them
  float alpha;

  /// Draws the tokens of the documents [first, last).
  void sweep(std::size_t first, std::size_t last, gas::Random random) {
    DocumentSweep sweep;
    std::vector<std::int32_t> counts(topics);
    for (std::size_t d = first; d < last; ++d) {
      std::ranges::fill(counts, 0);
      for (std::size_t i = document[d]; i < document[d + 1]; ++i)
        if (topic[i] != TopicCounts::none) ++counts[topic[i]];
      sweep.begin(counts, alpha, random.stream(d));
      for (std::size_t i = document[d]; i < document[d + 1]; ++i) {
        if (i + 4 < word.size())
          for (std::size_t k = 0; k < topics && k < 128; k += 16)
            __builtin_prefetch(rows.data() + word[i + 4] * stride + k);
        const TopicRow row({rows.data() + word[i] * stride, TopicRow::width(topics)}, topics);
        const std::uint64_t bits = sweep.random.bits(sweep.token++);
        const std::size_t z = topic[i];
        if (z == TopicCounts::none) {
          topic[i] = sweep.counts.draw_first(row, bits);
        } else {
          const float kept = (row.weights[z] - inverse[z]) * without_one[z] / row.weights[z];
          topic[i] = sweep.counts.draw_again(row, z, kept, bits);
        }
      }
    }
  }
};
