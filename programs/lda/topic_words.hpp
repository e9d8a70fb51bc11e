#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "programs/lda/token_counts.hpp"

namespace gas {

/// φ of a topic model: what share each word has in a topic. Each rank has its block of words
/// (BlockDistribution); all ranks have the same topics. The communicator must outlive it.
class TopicWords {
 public:
  static constexpr std::size_t piece = std::size_t{1} << 18U;  // floats that travel at once

  /// Weights of 0, for put(). Takes 4 bytes per word and topic.
  TopicWords(Communicator& comm, std::uint64_t words, std::size_t topics);
  /// φ_kw = (n_kw + beta) · inverse[k], in memory that the counts take. beta above 0.
  TopicWords(Communicator& comm, TokenCounts counts, float beta, std::vector<float> inverse);

  std::uint64_t words() const { return blocks_.ids; }
  std::size_t topics() const { return topics_; }
  std::size_t local_words() const { return blocks_.count(comm_.rank()); }
  /// Of the i-th word of this rank's block all topics. O(topics). Local.
  void local_row(std::size_t i, std::span<float> out) const;
  /// And one topic. O(log topics). Local.
  float local_weight(std::size_t i, std::size_t topic) const;
  /// The i-th word's topics from `first` on, out.size() of them; O(out.size() + log topics). Local.
  void local_part(std::size_t i, std::size_t first, std::span<float> out) const;
  /// Of this rank's block of words all topics, one word's behind the other's: 4 bytes per word and
  /// topic. Local.
  std::vector<float> local_block() const;

  /// Takes words of any ranks, where it was made for that: weights(i) are those of words[i]. They
  /// travel in pieces of a MiB. Collective.
  void put(std::span<const VertexId> words,
           const std::function<std::span<const float>(std::size_t i)>& weights);
  /// The topics of the words asked for, on the rank that asks. Collective.
  std::vector<float> get(std::span<const VertexId> words) const;
  /// The `count` heaviest words of each topic, heaviest first, on rank 0; nothing elsewhere.
  /// Collective.
  std::vector<std::vector<VertexId>> top_words(std::size_t count) const;

 private:
  Communicator& comm_;
  BlockDistribution blocks_;
  std::size_t topics_;
  std::vector<float> values_;  // of all words of the block and topics, or none:
  std::optional<TokenCounts> counts_;
  float beta_ = 0;
  std::vector<float> inverse_;  // by topic
};

}  // namespace gas
