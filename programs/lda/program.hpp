#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/lda/priors.hpp"
#include "programs/lda/topic_counts.hpp"
#include "programs/lda/topic_walk.hpp"

namespace gas {

/// Latent Dirichlet allocation (Blei, Ng, Jordan 2003) by collapsed Gibbs sampling (Griffiths,
/// Steyvers 2004) on the graph of documents and words, whose edges are the tokens. A document draws
/// its tokens' topics one after the other with its own counts always up to date; the words' counts
/// are those of the round's start, but for the token itself. So the topics are the same, bit for
/// bit, on any ranks, threads and partition that leaves documents whole.
struct Lda {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::size_t topics = 100;  // at most TopicCounts::most_topics
  float alpha = 0.1F;        // per topic, above 0; where they differ, their mean
  float beta = 0.01F;        // above 0
  std::uint64_t words = 1;   // in the vocabulary: the parameter rows of the graph
  std::uint64_t seed = 1;
  /// In a round those documents draw whose turn it is, one of so many; at least 1. So a token is
  /// drawn anew in one round of `turns`, and by counts that fewer others change meanwhile.
  std::uint64_t turns = 1;
  /// Topics are drawn by Metropolis–Hastings walks; in a document's first round by priors alone, or
  /// exactly if rows were given.
  bool walks = false;
  bool given = false;  // words' rows, which stay until each document has drawn
  /// Words' rows are those of the tokens' topics, as rounds at staleness 0 leave them: rounds at
  /// rest need not write them again.
  bool rows_stay = false;
  bool only_rows = false;  // a round at rest writes words' rows and measures nothing

  struct Token {
    std::uint16_t topic = TopicCounts::none;
  };
  struct Document {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = TopicHistogram;
    static constexpr bool whole = true;
  };
  struct Word {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = TopicHistogram;
    using Published = gas::RowOf<float>;  // a TopicRow of φ_kw = (n_kw + β) / (n_k + Vβ)
  };
  using Data = Document;
  using Parameter = Word;
  using Edge = Token;
  using Summary = gas::VectorSum<std::int64_t>;  // of documents: n_k by topic, then log-likelihood
  struct Scratch {
    DocumentSweep sweep;
    TopicWalk walk;
  };

  std::size_t width(gas::AccumulatorOf<Document>) const { return topics; }
  std::size_t width(gas::AccumulatorOf<Word>) const { return topics; }
  std::size_t width(gas::PublishedOf<Word>) const {
    return walks ? TopicPicks::width(topics) : TopicRow::width(topics);
  }
  std::size_t width(gas::SummaryOf) const { return topics + 1; }

  /// Documents' Summary → Σ log Σ_k θ_dk φ_kw over all tokens, of the last round that measured.
  static double log_likelihood(const Summary& documents) {
    return static_cast<double>(documents.values.back()) * 0x1p-24;
  }

  void init(Word&, gas::RowView<float> out, const auto& v) const {
    write(out, v.id(), [&](std::size_t) { return 1.0F / static_cast<float>(words); });
  }
  void before_step(gas::Step step, const auto& last) {
    measures = step.at_rest;
    if (!step.is_parameter()) {
      if (!measures) ++sweep;
      if (inverse.empty()) inverse = without_one = std::vector<float>(topics, 0.0F);
      return;
    }
    for (std::size_t k = 0; k < topics; ++k) {
      const auto tokens = static_cast<double>(last.data().values[k]);
      const double prior = static_cast<double>(words) * static_cast<double>(beta);
      inverse[k] = static_cast<float>(1 / (tokens + prior));
      without_one[k] = tokens < 1 ? 1.0F : static_cast<float>(1 + 1 / (tokens - 1 + prior));
    }
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& sweep& inverse& without_one& found.alpha& found.beta;
    if (!found.alpha.empty()) take(found);
  }
  /// Goes on with these priors: words' rows have beta and the shares from their next round on.
  void take(const LdaPriors& priors) {
    found = priors;
    alpha = static_cast<float>(priors.alpha_sum() / static_cast<double>(topics));
    beta = static_cast<float>(priors.beta);
    shares = TopicShares(priors.alpha);
  }

  void gather(TopicHistogram& counts, Token token) const {
    if (token.topic != TopicCounts::none) counts.add(token.topic);
  }
  void apply(Document&, TopicHistogram& counts, auto& v) const {
    if (!measures && !has_turn(v.id())) return;
    if (walking())
      v.scratch().walk.begin(counts.counts, alpha, shares);
    else
      v.scratch().sweep.begin(counts.counts, alpha, shares, random(v.id()));
  }
  void scatter(Document&, TopicHistogram&, gas::EdgesView<Token, float> tokens, auto& v) const {
    const std::span<std::int64_t> summary = v.summary().values;
    const bool draws = !measures && has_turn(v.id());
    if (draws && begins()) {
      draw_first_topics(tokens, topics, first_prior(), shares, random(v.id()));
    } else if (draws && walking()) {
      v.scratch().walk.step(tokens, random(v.id()),
                            [&](std::size_t z, float weight) { return left_of(z, weight); });
    } else if (draws || (measures && !only_rows)) {
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens.fetch(i + 4);
        visit(TopicRow(tokens.published(i), topics), tokens[i], v.scratch().sweep, summary);
      }
    }
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].topic != TopicCounts::none) ++summary[tokens[i].topic];
  }
  void apply(Word&, TopicHistogram& counts, gas::RowView<float> out, const auto& v) const {
    if (measures ? rows_stay : given && sweep < turns) return;
    write(out, v.id(), [&](std::size_t k) {
      return (static_cast<float>(counts.counts[k]) + beta) * inverse[k];
    });
  }

  bool begins() const { return walks && !given && !measures && sweep <= turns; }
  bool walking() const { return walks && !measures && sweep > turns; }
  bool has_turn(std::uint64_t document) const {
    return turns == 1 || gas::Random(seed).stream(document).below(turns, 0) == sweep % turns;
  }
  /// Of a topic, in the first round. Where there are many topics, documents begin with few: with as
  /// many as larger priors give, topics take some rounds more to form.
  float first_prior() const {
    return topics > TopicCounts::most_dense ? std::min(alpha, 1.0F / static_cast<float>(topics))
                                            : alpha;
  }

  /// Measures a token, or draws its topic exactly.
  void visit(const TopicRow& row, Token& token, DocumentSweep& document,
             std::span<std::int64_t> summary) const {
    if (measures) {
      summary[topics] += std::llrint(std::log(document.likelihood(row)) * 0x1p24);
      return;
    }
    token.topic = document.draw(row, token.topic, [&](std::size_t z) {
      return left_of(z, row.weights[z]) / row.weights[z];
    });
  }
  /// A word's weight without a token of topic z. Above staleness 0 its row may be older than the
  /// token, and lack it.
  float left_of(std::size_t z, float weight) const {
    return std::max(weight - inverse[z], beta * inverse[z]) * without_one[z];
  }
  template <class Weight>
  void write(gas::RowView<float> out, std::uint64_t word, Weight weight) const {
    TopicRow::write(walks ? out.first(TopicRow::width(topics)) : out, topics, weight, shares);
    if (walks) TopicPicks::write(out, topics, random(~word).uniform_float(0), shares);
  }
  gas::Random random(std::uint64_t vertex) const {
    return gas::Random(seed).stream(sweep).stream(vertex);
  }

  std::uint64_t sweep = 0;           // rounds that drew
  bool measures = false;             // this round is at rest: it draws nothing
  std::vector<float> inverse{};      // 1 / (n_k + Vβ), of the published rows
  std::vector<float> without_one{};  // (n_k + Vβ) / (n_k − 1 + Vβ)
  TopicShares shares{};              // of alpha
  LdaPriors found{};                 // by take(), if it was called
};

}  // namespace gas
