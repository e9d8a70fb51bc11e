#pragma once

#include <cmath>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/lda/split_merge/rising_factorial.hpp"
#include "programs/lda/topic_counts.hpp"

namespace gas {

/// Divides each topic in two. A document's tokens of a topic are all on one side of it, and go to
/// the side by whose counts, each token itself left out, they are likelier (classification EM,
/// Celeux, Govaert 1992, of multinomials with a Dirichlet prior). A round at rest measures what the
/// log of the joint likelihood of words and topics would gain if the sides were topics of their
/// own, and what it would if two topics were one.
struct TopicSides {
  std::size_t topics = 100;  // at most TopicCounts::most_dense
  double alpha = 0.1;        // per topic, above 0; where they differ, their mean
  double beta = 0.01;        // above 0
  std::uint64_t words = 1;   // in the vocabulary
  gas::Random random{1};     // of the first sides

  struct Token {
    std::uint16_t topic = TopicCounts::none;
    std::uint16_t side = 0;  // or 1
  };
  struct Document {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = TopicHistogram;
    static constexpr bool whole = true;
  };
  struct Word {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = TopicHistogram;
    using Published = gas::RowOf<float>;  // its tokens, by topic and side
  };
  using Data = Document;
  using Parameter = Word;
  using Edge = Token;
  /// Whole numbers, so that sums are the same on any ranks: tokens by topic and side; documents'
  /// changes of sides; of a round at rest gains by topic and by pair of topics, in units.
  using Summary = gas::VectorSum<std::int64_t>;
  static constexpr double unit = 0x1p-20;
  struct Scratch {
    std::vector<double> log_odds;     // of the sides, by topic
    std::vector<std::size_t> occurs;  // topics
  };

  std::size_t place(std::size_t topic, std::size_t side) const { return 2 * topic + side; }
  std::size_t changes() const { return 2 * topics; }
  std::size_t split(std::size_t topic) const { return 2 * topics + 1 + topic; }
  std::size_t merged(std::size_t a, std::size_t b) const { return split(topics) + a * topics + b; }

  std::size_t width(gas::AccumulatorOf<Document>) const { return 2 * topics; }
  std::size_t width(gas::AccumulatorOf<Word>) const { return 2 * topics; }
  std::size_t width(gas::PublishedOf<Word>) const { return 2 * topics; }
  std::size_t width(gas::SummaryOf) const { return merged(topics, 0); }

  void before_step(gas::Step step, const auto& last) {
    begins = !step.at_rest && step.round == 1;
    measures = step.at_rest;
    if (step.is_parameter()) return;
    if (begins) {
      of_word = RisingFactorial(beta);
      of_document = RisingFactorial(alpha);
      log_of = LogOfCount(beta);
    } else {
      totals.assign(last.data().values.begin(), last.data().values.end());
    }
  }
  /// Stops once no document changes sides.
  bool converged(const auto& last) const { return !begins && last.data().values[changes()] == 0; }

  void gather(TopicHistogram& counts, Token token) const {
    if (token.topic != TopicCounts::none) counts.add(place(token.topic, token.side));
  }
  void apply(Document&, TopicHistogram& counts, auto& v) const {
    Scratch& scratch = v.scratch();
    scratch.log_odds.assign(topics, 0);
    scratch.occurs.clear();
    for (std::size_t k = 0; k < topics; ++k)
      if (tokens_of(counts.counts, k) > 0) scratch.occurs.push_back(k);
    if (measures) add_merged(counts.counts, scratch.occurs, of_document, v.summary().values);
  }
  void scatter(Document&, TopicHistogram& counts, gas::EdgesView<Token, float> tokens,
               auto& v) const {
    const std::span<std::int64_t> summary = v.summary().values;
    if (!measures) {
      choose(counts.counts, tokens, v.id(), v.scratch(), summary);
      for (std::size_t i = 0; i < tokens.size(); ++i)
        if (Token& token = tokens[i]; token.topic != TopicCounts::none)
          token.side = v.scratch().log_odds[token.topic] > 0 ? 0 : 1;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (const Token token = tokens[i]; token.topic != TopicCounts::none)
        ++summary[place(token.topic, token.side)];
  }
  void apply(Word&, TopicHistogram& counts, gas::RowView<float> out, auto& v) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(counts.counts[i]);
    if (!measures) return;
    std::vector<std::size_t>& occurs = v.scratch().occurs;
    occurs.clear();
    const std::span<std::int64_t> summary = v.summary().values;
    for (std::size_t k = 0; k < topics; ++k) {
      const std::int64_t n = tokens_of(counts.counts, k);
      if (n == 0) continue;
      occurs.push_back(k);
      summary[split(k)] += std::llrint(
          (of_word(counts.counts[place(k, 0)]) + of_word(counts.counts[place(k, 1)]) - of_word(n)) /
          unit);
    }
    add_merged(counts.counts, occurs, of_word, summary);
  }

 private:
  std::int64_t tokens_of(std::span<const std::int32_t> counts, std::size_t k) const {
    return std::int64_t{counts[place(k, 0)]} + counts[place(k, 1)];
  }
  /// Writes for each topic of a document a number above 0 if its tokens go to side 0.
  void choose(std::span<const std::int32_t> counts, const gas::EdgesView<Token, float>& tokens,
              std::uint64_t document, Scratch& scratch, std::span<std::int64_t> summary) const {
    std::vector<double>& odds = scratch.log_odds;
    if (begins) {
      for (const std::size_t k : scratch.occurs) odds[k] = random.stream(document).uniform(k) - 0.5;
      return;
    }
    constexpr std::size_t ahead = 4;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens.fetch(i + ahead);
      const Token token = tokens[i];
      if (token.topic == TopicCounts::none) continue;
      const auto row = tokens.published(i);
      const float own = static_cast<float>(token.side);
      odds[token.topic] +=
          log_of(row[place(token.topic, 0)] - (1 - own)) - log_of(row[place(token.topic, 1)] - own);
    }
    const double all_beta = static_cast<double>(words) * beta;
    for (const std::size_t k : scratch.occurs) {
      const std::int64_t n = tokens_of(counts, k);
      const bool first = counts[place(k, 0)] > 0;
      const auto others = [&](std::size_t side) {
        const bool mine = first == (side == 0);
        return static_cast<double>(totals[place(k, side)] - (mine ? n : 0)) + all_beta;
      };
      odds[k] += static_cast<double>(n) * std::log(others(1) / others(0));
      if (odds[k] == 0) odds[k] = first ? 1 : -1;
      if (first != (odds[k] > 0)) ++summary[changes()];
    }
  }
  void add_merged(std::span<const std::int32_t> counts, const std::vector<std::size_t>& occurs,
                  const RisingFactorial& likelihood, std::span<std::int64_t> summary) const {
    for (std::size_t i = 0; i < occurs.size(); ++i) {
      const std::int64_t a = tokens_of(counts, occurs[i]);
      for (std::size_t j = i + 1; j < occurs.size(); ++j) {
        const std::int64_t b = tokens_of(counts, occurs[j]);
        summary[merged(occurs[i], occurs[j])] +=
            std::llrint((likelihood(a + b) - likelihood(a) - likelihood(b)) / unit);
      }
    }
  }

  bool begins = false, measures = false;
  std::vector<std::int64_t> totals{};  // tokens by topic and side
  RisingFactorial of_word{}, of_document{};
  LogOfCount log_of{};
};

}  // namespace gas
