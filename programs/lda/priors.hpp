#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "programs/lda/token_counts.hpp"

namespace gas {

/// What a topic model expects before it sees tokens.
struct LdaPriors {
  std::vector<double> alpha;  // of a document's topics, by topic
  double beta = 0;            // of a topic's words, each

  double alpha_sum() const { return std::accumulate(alpha.begin(), alpha.end(), 0.0); }
};

/// How many tokens of a document are of a topic; at least 1.
struct TopicTokens {
  std::uint16_t topic = 0;
  std::int32_t count = 0;
};

/// Of some documents.
struct DocumentCounts {
  std::vector<std::size_t> end{0};  // end[i + 1]: of the i-th document's
  std::vector<TopicTokens> tokens;

  std::span<const TopicTokens> of(std::size_t i) const {
    return std::span(tokens).subspan(end[i], end[i + 1] - end[i]);
  }
};

/// A document's topics: out[k] = (n_k + alpha_k) / (n + Σ alpha).
void mixture(std::span<const TopicTokens> document, const LdaPriors& priors, std::span<float> out);

/// Calls `visit` with the tokens of each document of this rank that has any.
using DocumentVisit = std::function<void(std::span<const TopicTokens> document)>;
using EachDocument = std::function<void(const DocumentVisit& visit)>;

/// Log p(words, topics | priors) of all tokens, φ and θ integrated out (Griffiths, Steyvers 2004).
/// Collective.
double log_joint(Communicator& comm, const EachDocument& each, const TokenCounts& words,
                 const LdaPriors& priors);

/// The priors under which these topics of tokens are likeliest, from `priors` on: alpha by topic
/// and one beta, by Minka's fixed point on counts of counts (Wallach 2008, 2.3), to 10⁻⁵ of each or
/// for 200 steps. Between 10⁻⁶ and 10⁶: a topic without tokens has the least. The same, bit for
/// bit, on any ranks: sums are of whole numbers. Calls `each` once. Collective.
LdaPriors likeliest_priors(Communicator& comm, const EachDocument& each, const TokenCounts& words,
                           LdaPriors priors);

}  // namespace gas
