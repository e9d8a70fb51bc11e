#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "programs/lda/topic_words.hpp"

namespace gas::tools {

/// A word of a topic: log φ_kw, and the logarithm of the word's share of all tokens.
struct RelevantWord {
  VertexId word = 0;
  double log_weight = 0, log_share = 0;

  /// λ log φ_kw + (1 − λ) log(φ_kw / p_w) (Sievert, Shirley 2014).
  double relevance(double lambda) const { return log_weight - (1 - lambda) * log_share; }
};

/// Steps of λ from 0 to 1 for which words are at hand.
constexpr int lambda_steps = 10;

/// p_w of this rank's block of words, from the topics' shares of all tokens. Local.
std::vector<double> word_shares(const TopicWords& phi, std::span<const double> topic_shares);

/// Of each of these topics the words that are among its `count` most relevant ones for some step of
/// λ, on rank 0; nothing elsewhere. O(topics × words × steps). Collective.
std::vector<std::vector<RelevantWord>> relevant_words(Communicator& comm, const TopicWords& phi,
                                                      std::span<const std::size_t> topics,
                                                      std::span<const double> shares,
                                                      std::size_t count);

}  // namespace gas::tools
