#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"

namespace gas {

/// φ of a topic model: what share each word has in a topic. Each rank has its block of words
/// (BlockDistribution); all ranks have the same topics. The communicator must outlive it.
class TopicWords {
 public:
  TopicWords(Communicator& comm, std::uint64_t words, std::size_t topics);

  std::uint64_t words() const { return blocks_.ids; }
  std::size_t topics() const { return topics_; }
  /// Of this rank's block of words, one word's topics behind the other's. Local.
  std::span<const float> block() const { return values_; }

  /// Takes words of any ranks: weights(i) are those of words[i]. They travel in pieces of some MiB.
  /// Collective.
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
  std::vector<float> values_;
};

}  // namespace gas
