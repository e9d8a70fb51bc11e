#pragma once

#include <cmath>

#include "gas/engine/engine.hpp"
#include "programs/lda/topic_counts.hpp"

namespace gas {

/// Topics of new documents under a trained model: Gibbs sampling of the tokens with the words' rows
/// φ fixed as they were handed over. With `halves`, document completion: the odd tokens of each
/// document (the first, third, …) are fitted, and the even ones scored by what θ, averaged over the
/// later rounds, says of them.
struct LdaFoldIn {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::size_t topics = 1;
  float alpha = 0.1F;  // per topic; where they differ, their mean
  std::uint64_t seed = 1;
  bool halves = false;
  TopicShares shares{};         // of alpha, and in the words' rows
  std::uint64_t settling = 50;  // halves: rounds before those that are averaged, at least 1

  struct Token {
    std::uint16_t topic = TopicCounts::none;
    float predicted = 0;  // of a scored token: Σ Σ_k θ_dk φ_kw over the averaged rounds
  };
  struct Document {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = TopicHistogram;
    static constexpr bool whole = true;
  };
  struct Word {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;  // a TopicRow, handed over
  };
  using Data = Document;
  using Parameter = Word;
  using Edge = Token;
  struct Summary {
    std::int64_t log_likelihood = 0;  // in 2⁻²⁴
    std::int64_t tokens = 0;
    Summary& operator+=(const Summary& other) {
      log_likelihood += other.log_likelihood;
      tokens += other.tokens;
      return *this;
    }
    /// Mean over the tokens measured; NaN without one.
    double mean() const {
      return static_cast<double>(log_likelihood) * 0x1p-24 / static_cast<double>(tokens);
    }
  };
  /// Documents' Summary → Σ log Σ_k θ_dk φ_kw over the tokens measured in the last round.
  static double log_likelihood(const Summary& documents) {
    return static_cast<double>(documents.log_likelihood) * 0x1p-24;
  }
  using Scratch = DocumentSweep;

  std::size_t width(gas::AccumulatorOf<Document>) const { return topics; }
  std::size_t width(gas::PublishedOf<Word>) const { return TopicRow::width(topics); }

  void before_step(gas::Step step, const auto&) {
    if (!step.is_parameter() && !step.at_rest) ++sweep;
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& sweep;
  }
  bool publishes(Word, gas::RowView<const float>, gas::RowView<const float>) const {
    return false;  // the words stay as they are
  }
  void gather(TopicHistogram& counts, Token token) const {
    if (token.topic != TopicCounts::none) counts.add(token.topic);
  }
  void apply(Document&, TopicHistogram& counts, auto& v) const {
    v.scratch().begin(counts.counts, alpha, shares, gas::Random(seed).stream(sweep).stream(v.id()));
  }
  void apply(Word&, auto&, gas::RowView<float>, const auto&) const {}

  void scatter(Document&, TopicHistogram&, gas::RowView<const float> word, Token& token,
               auto& v) const {
    const TopicRow row(word, topics);
    Scratch& scratch = v.scratch();
    const bool scored = halves && scratch.token % 2 == 1;
    if (!v.at_rest() && !scored) {
      token.topic = scratch.draw(row, token.topic, [](std::size_t) { return 1.0F; });
      return;
    }
    ++scratch.token;
    if (!v.at_rest()) {
      if (sweep > settling) token.predicted += static_cast<float>(scratch.likelihood(row));
    } else if (scored == halves) {
      const double p =
          scored ? static_cast<double>(token.predicted) / static_cast<double>(sweep - settling)
                 : scratch.likelihood(row);
      v.summary().log_likelihood += std::llrint(std::log(p) * 0x1p24);
      ++v.summary().tokens;
    }
  }

  std::uint64_t sweep = 0;  // rounds that drew
};

}  // namespace gas
