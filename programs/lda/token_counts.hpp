#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"

namespace gas {

/// How many tokens of each word are of each topic, n_kw, as the last round drew them. Each rank has
/// its block of words (BlockDistribution); all ranks have the same topics. A word has an entry for
/// each topic that it has tokens of, so that all take at most 6 bytes per token and 8 per word.
class TokenCounts {
 public:
  /// `for_each(visit)` calls visit(word, topic) for each token of this rank, twice alike; a word
  /// has at most 2³¹ − 1 on all ranks. Takes 2 bytes per token while it runs. Collective.
  template <class ForEach>
  TokenCounts(Communicator& comm, std::uint64_t words, std::size_t topics, ForEach for_each)
      : blocks_{words, comm.size()}, rank_(comm.rank()), topics_(topics) {
    Drawn drawn{std::vector<std::uint64_t>(words + 1, 0), {}};
    for_each([&](VertexId word, std::uint16_t) { ++drawn.end[word + 1]; });
    for (std::uint64_t w = 0; w < words; ++w) drawn.end[w + 1] += drawn.end[w];
    drawn.topic.resize(drawn.end.back());
    for_each([&](VertexId word, std::uint16_t topic) { drawn.topic[drawn.end[word]++] = topic; });
    take(comm, std::move(drawn));
  }

  std::uint64_t words() const { return blocks_.ids; }
  std::size_t topics() const { return topics_; }
  std::size_t local_words() const { return end_.size() - 1; }
  /// Of the i-th word of this rank's block the topics that it has tokens of, ascending, and how
  /// many of each. Local.
  std::span<const std::uint16_t> local_topics(std::size_t i) const {
    return std::span(topic_).subspan(end_[i], end_[i + 1] - end_[i]);
  }
  std::span<const std::int32_t> local_counts(std::size_t i) const {
    return std::span(count_).subspan(end_[i], end_[i + 1] - end_[i]);
  }
  /// The same with all topics: one word's behind the other's. Local.
  std::vector<std::int32_t> local_block() const;
  /// The tokens of each topic, n_k, of all words. Collective.
  std::vector<std::int64_t> of_topics(Communicator& comm) const;

 private:
  struct Drawn {
    std::vector<std::uint64_t> end;    // by word: of its tokens
    std::vector<std::uint16_t> topic;  // one word's tokens behind the other's
  };
  void take(Communicator& comm, Drawn drawn);

  BlockDistribution blocks_;
  int rank_;
  std::size_t topics_;
  std::vector<std::uint64_t> end_{0};  // end_[i + 1]: of the i-th word's entries
  std::vector<std::uint16_t> topic_;
  std::vector<std::int32_t> count_;
};

}  // namespace gas
