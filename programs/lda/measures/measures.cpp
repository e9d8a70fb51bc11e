#include "programs/lda/measures/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/base/rank_sums.hpp"

namespace gas {
namespace {

constexpr std::size_t most_top_words = 64;

void check_top_words(std::size_t count) {
  if (count < 2 || count > most_top_words)
    throw UsageError(fmt::format("top_words must be a number from 2 to {}", most_top_words));
}

/// Of those that are numbers.
std::optional<double> mean(const std::vector<TopicCoherence>& topics,
                           double TopicCoherence::*member) {
  double sum = 0, count = 0;
  for (const TopicCoherence& topic : topics)
    if (!std::isnan(topic.*member)) {
      sum += topic.*member;
      ++count;
    }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// Σ over documents of their length times θ_dk. Collective.
std::vector<double> tokens_by_topic(Communicator& comm, const LdaFit& fit) {
  const LdaPriors& priors = fit.priors;
  const double sum = priors.alpha_sum();
  std::vector<double> sums(priors.alpha.size(), 0);
  double smoothing = 0;  // Σ of length / (length + Σ α)
  fit.documents.local_for_each([&](std::span<const TopicTokens> document) {
    double length = 0;
    for (const TopicTokens& tokens : document) length += tokens.count;
    const double share = length / (length + sum);
    for (const TopicTokens& tokens : document) sums[tokens.topic] += share * tokens.count;
    smoothing += share;
  });
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += smoothing * priors.alpha[k];
  add_ranks(comm, sums);
  return sums;
}

}  // namespace

LdaMeasures lda_measures(const Context& context, const LdaFit& fit, std::size_t top_words,
                         std::uint64_t left_out) {
  Communicator& comm = context.transport();
  together(comm, [&] { check_top_words(top_words); });
  LdaMeasures found;
  if (fit.documents.tokens() > 0)
    found.joint =
        log_joint(
            comm, [&](const DocumentVisit& visit) { fit.documents.local_for_each(visit); },
            fit.documents.word_counts(), fit.priors) /
        static_cast<double>(fit.documents.tokens());
  found.of_topics =
      coherences(comm, fit.documents.local_graph(), fit.words.top_words(top_words), left_out);
  found.npmi = mean(found.of_topics, &TopicCoherence::npmi);
  found.umass = mean(found.of_topics, &TopicCoherence::umass);
  found.mimno = mean(found.of_topics, &TopicCoherence::mimno);
  found.spread = spread(comm, fit.words, tokens_by_topic(comm, fit));
  return found;
}

std::vector<LdaTrial> lda_scan(const Context& context, const Matrix& documents,
                               std::span<const std::size_t> topics, LdaOptions options,
                               const LdaScan& scan) {
  Communicator& comm = context.transport();
  together(comm, [&] {
    check_top_words(scan.top_words);
    if (topics.empty()) throw UsageError("no number of topics is given");
    std::vector<std::size_t> sorted(topics.begin(), topics.end());
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
      throw UsageError("a number of topics is given twice");
    for (const std::size_t count : topics) {
      options.topics = count;
      detail::check_fit(options);
    }
  });
  std::vector<LdaTrial> trials;
  const auto tokens = detail::lda_tokens(context, documents, std::ranges::max(topics));
  for (const std::size_t count : topics) {
    options.topics = count;
    LdaFit fit = detail::lda_on(context, documents, tokens, options);
    LdaTrial trial{count, fit.objective, std::nullopt, {}, fit.outcome};
    if (!fit.outcome.interrupted) {
      trial.measures = lda_measures(context, fit, scan.top_words, scan.left_out);
      if (scan.heldout != nullptr) {
        LdaOptions scoring = options;
        scoring.alpha_by_topic = fit.priors.alpha;
        trial.heldout = lda_heldout(context, *scan.heldout, fit.words, scoring);
        trial.outcome.interrupted = !trial.heldout;
        if (trial.heldout && !std::isfinite(*trial.heldout)) trial.heldout.reset();
      }
    }
    if (scan.each) scan.each(fit, trial);
    trials.push_back(std::move(trial));
    if (trials.back().outcome.interrupted) break;
  }
  return trials;
}

}  // namespace gas
