#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/lda/token_counts.hpp"
#include "programs/lda/topic_words.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"

namespace gas::tools {

/// A model as a folder has it, on every rank.
struct TopicModel {
  std::uint64_t topics = 0, words = 0;
  std::vector<float> weights;               // (topics, words)
  std::vector<std::string> ids;             // of the words
  std::optional<std::uint64_t> words_from;  // words_from of the INPUT that it was trained on
  std::vector<double> alpha;                // by topic; empty: alike, as the folder's facts say

  float weight(std::size_t topic, VertexId word) const { return weights[topic * words + word]; }
};

/// Collective. InputError for what is no model: another shape, a weight that is not above 0, ids
/// that are not one per word.
TopicModel read_topic_model(Communicator& comm, const ModelFolder& folder);

/// Writes topic_word.npy and topic_counts.npy: (topics, words). Takes writing_bytes on rank 0.
/// Collective.
void write_topic_word(Communicator& comm, const std::string& path, const TopicWords& phi);
void write_topic_counts(Communicator& comm, const std::string& path, const TokenCounts& counts);
/// Where `mine` of the words are the rank's own. Local.
double writing_bytes(std::uint64_t topics, std::uint64_t words, double mine);

}  // namespace gas::tools
