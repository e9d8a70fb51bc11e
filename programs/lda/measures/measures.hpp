#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "programs/lda/lda.hpp"
#include "programs/lda/measures/coherence.hpp"
#include "programs/lda/measures/spread.hpp"

namespace gas {

/// How good a fit is, by which a number of topics is chosen. Alike on all ranks.
struct LdaMeasures {
  /// Mean over the tokens of log p(words, topics | priors), φ and θ integrated out (Griffiths,
  /// Steyvers 2004): what Mallet calls LL/token. None without a token.
  std::optional<double> joint;
  /// Means over the topics that have coherences; none if none has.
  std::optional<double> npmi, umass, mimno;
  TopicSpread spread;
  std::vector<TopicCoherence> of_topics;
};

/// Measures a fit by its documents and the `top_words` (2 to 64) most likely words of each topic;
/// `left_out` of the documents, whose tokens were held out, are not counted.
/// Takes about as long as some rounds, and what TopicSpread takes. Collective.
LdaMeasures lda_measures(const Context& context, const LdaFit& fit, std::size_t top_words = 10,
                         std::uint64_t left_out = 0);

/// One of several numbers of topics.
struct LdaTrial {
  std::size_t topics = 0;
  std::optional<double> objective;  // as LdaFolded has it
  std::optional<double> heldout;    // lda_heldout
  LdaMeasures measures;
  Outcome outcome;
};

struct LdaScan {
  std::size_t top_words = 10;       // 2 to 64
  const Matrix* heldout = nullptr;  // documents to score each fit on
  std::uint64_t left_out = 0;       // as lda_measures takes it
  /// Is given each fit in turn, which goes when it returns, unless it keeps a copy.
  std::function<void(LdaFit& fit, const LdaTrial& trial)> each = {};
};

/// Fits each of these numbers of topics to the same documents, which are laid out once, and
/// measures each; `options.topics` is not read. An interrupted fit is the last one. UsageError for
/// no number, or one that is there twice; else as lda(). Collective.
std::vector<LdaTrial> lda_scan(const Context& context, const Matrix& documents,
                               std::span<const std::size_t> topics, LdaOptions options,
                               const LdaScan& scan = {});

}  // namespace gas
