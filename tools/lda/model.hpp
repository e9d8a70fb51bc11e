#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "loaders/ids/row_ids.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/output/model_folder.hpp"

namespace gas::tools {

/// φ by word while a model is written or read again: row `word` holds the weights of its topics, on
/// the word's owning rank. All members are collective.
class WordRows {
 public:
  WordRows(Communicator& comm, std::uint64_t words, std::size_t topics);

  /// Takes rows from any ranks: weights(i) are those of rows[i]. They travel in pieces of some MiB.
  void put(std::span<const VertexId> rows,
           const std::function<std::span<const float>(std::size_t i)>& weights);
  /// The rows asked for, on the rank that asks.
  std::vector<float> get(std::span<const VertexId> rows) const;

  /// topic_word.npy: (topics, words).
  void write(const std::string& path) const;
  /// The `count` heaviest words of each topic, heaviest first, on rank 0; nothing elsewhere.
  std::vector<std::vector<VertexId>> top_words(std::size_t count) const;

 private:
  Communicator& comm_;
  BlockDistribution blocks_;
  std::size_t topics_;
  std::vector<float> values_;
};

/// A model as a folder has it, on every rank.
struct TopicModel {
  std::uint64_t topics = 0, words = 0;
  std::vector<float> weights;    // (topics, words)
  std::vector<std::string> ids;  // of the words

  float weight(std::size_t topic, VertexId word) const { return weights[topic * words + word]; }
};

/// Collective. InputError for what is no model: another shape, a weight that is not above 0, ids
/// that are not one per word.
TopicModel read_topic_model(Communicator& comm, const ModelFolder& folder);

}  // namespace gas::tools
