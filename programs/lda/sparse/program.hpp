#pragma once

#include "programs/lda/program.hpp"
#include "programs/lda/sparse/list_draws.hpp"
#include "programs/lda/sparse/topic_list.hpp"

namespace gas {

/// Lda of more than TopicCounts::most_dense topics, whose words publish lists of the topics that
/// they have tokens of in place of rows of all, in less memory. No rows are given.
struct LdaSparse : Lda {
  /// Are tokens of words with up to TopicList::most_in_order topics drawn exactly? Then a round
  /// takes about twice as long, and topics form in far fewer. Other tokens take Metropolis–Hastings
  /// walks, as Lda's.
  bool draws_lists = true;
  /// Where draws_lists, 1 / 2^halvings of the documents take part at first, and twice as many from
  /// each round on that is a multiple of rounds_of_part (at least 1), until all do: topics form in
  /// less time. A document that joins draws from the topics that its words have.
  std::uint32_t halvings = 0;
  std::uint64_t rounds_of_part = 1;
  struct Word {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = TopicHistogram;
    using Published = gas::ListOf<TopicList::Cell>;
  };
  using Parameter = Word;
  struct Scratch : Lda::Scratch {
    ListDraws lists;
    std::vector<float> row;                // of one word
    std::vector<std::uint16_t> occurring;  // topics, in it
  };

  void before_step(gas::Step step, const auto& last) {
    Lda::before_step(step, last);
    if (!draws_lists || step.is_parameter()) return;
    list_priors = {inverse, without_one, shares, alpha, beta};
    list_priors.add_up();
  }
  using Lda::apply;
  using Lda::width;
  std::size_t width(gas::AccumulatorOf<Word>) const { return topics; }

  void init(Word&, std::vector<TopicList::Cell>& out, const auto& v) const {
    TopicList::write_none(out, topics, static_cast<float>(topics) * first_weight(),
                          random(~v.id()).uniform(0));
  }
  void apply(Document& document, TopicHistogram& counts, auto& v) const {
    if (!takes_part(v.id())) return;
    Lda::apply(document, counts, v);
    if (draws_lists) v.scratch().lists.begin(counts.counts, list_priors);
  }
  using Tokens = gas::EdgesView<Token, gas::ListOf<TopicList::Cell>>;
  void scatter(Document&, TopicHistogram&, Tokens tokens, auto& v) const {
    if (takes_part(v.id())) measures ? measure(tokens, v) : draw(tokens, v);
    const std::span<std::int64_t> summary = v.summary().values;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].topic != TopicCounts::none) ++summary[tokens[i].topic];
  }
  void apply(Word&, TopicHistogram& counts, std::vector<TopicList::Cell>& out, auto& v) const {
    if (rows_stay && measures) return;
    write(v.scratch(), out, v.id(), counts.counts);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned version) {
    archive& halvings& rounds_of_part;
    Lda::serialize(archive, version);
  }
  /// Does a document take part in this round? In one that measures all do.
  bool takes_part(std::uint64_t document) const {
    const std::uint64_t doublings = sweep / rounds_of_part;
    if (measures || !draws_lists || doublings >= halvings) return true;
    const std::uint64_t place = gas::Random(seed).stream(0).stream(document).bits(0);
    return place % (1U << halvings) < 1U << doublings;
  }

  /// φ_kw of a word with `count` tokens of topic k, where there were rounds.
  float weight(std::uint32_t count, std::size_t k) const {
    return (static_cast<float>(count) + beta) * inverse[k];
  }

  ListPriors list_priors{};  // of this round's documents

 private:
  static constexpr std::size_t ahead = 16;

  /// What a word publishes, as those who draw and measure read it.
  struct Row {
    const LdaSparse& program;
    TopicList list;
    float weight(std::size_t k) const {
      return list.holds() ? program.weight(list.count(k), k) : program.first_weight();
    }
    float total() const { return list.total(); }
    std::size_t pick(std::size_t i) const { return list.pick(i); }
    void fetch(std::size_t k) const { list.fetch(k); }
    void fetch_pick(std::size_t i) const { list.fetch_pick(i); }
    void fetch_all() const { list.fetch_all(); }
  };
  /// See TopicWalk::step_by.
  template <bool draws_some>
  struct Words {
    const LdaSparse& program;
    ListDraws& lists;
    const Tokens& tokens;
    Row row(std::size_t i) const { return {program, TopicList(tokens.published(i))}; }
    void fetch(std::size_t i) const { tokens.fetch(i); }
    float left_of(std::size_t k, float weight) const { return program.left_of(k, weight); }
    static constexpr bool may_draw = draws_some;
    void changes(std::size_t k, float factor) { lists.changes(k, factor); }
    static bool draws(const Row& row) { return row.list.in_order(); }
    template <class Offer>
    std::size_t draw(const Row& row, std::size_t z, std::uint64_t bits, Offer offer) {
      return lists.draw(row.list, z, bits, offer);
    }
    template <class Offer>
    std::size_t draw_first(const Row& row, std::uint64_t bits, Offer offer) {
      return lists.draw_first(row.list, bits, offer);
    }
  };
  void draw(const Tokens& tokens, auto& v) const {
    if (begins())
      draw_first_topics(tokens, topics, first_prior(), shares, random(v.id()));
    else if (tokens.size() > 0 && tokens[0].topic == TopicCounts::none)
      v.scratch().walk.join_by(tokens, Words<true>{*this, v.scratch().lists, tokens},
                               random(v.id()));
    else
      draws_lists ? step<true>(tokens, v) : step<false>(tokens, v);
  }
  void measure(const Tokens& tokens, auto& v) const {
    if (only_rows) return;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens.fetch(i + ahead);
      const Row row{*this, TopicList(tokens.published(i))};
      DocumentSweep& document = v.scratch().sweep;
      const double likelihood =
          row.list.in_order() ? v.scratch().lists.likelihood(row.list) / document.smoothed_length
                              : document.likelihood(row);
      v.summary().values[topics] += std::llrint(std::log(likelihood) * 0x1p24);
    }
  }
  template <bool draws_some>
  void step(const Tokens& tokens, auto& v) const {
    v.scratch().walk.step_by(tokens, Words<draws_some>{*this, v.scratch().lists, tokens},
                             random(v.id()));
  }

  float first_weight() const { return 1.0F / static_cast<float>(words); }

  /// Forms a word's row, and writes what it publishes of it.
  void write(Scratch& scratch, std::vector<TopicList::Cell>& out, std::uint64_t word,
             std::span<const std::int32_t> counts) const {
    TopicList::find(counts, scratch.occurring);
    if (draws_lists && TopicList::write_in_order(out, counts, scratch.occurring)) return;
    std::vector<float>& row = scratch.row;
    row.resize(TopicPicks::width(topics));
    Lda::write(row, word,
               [&](std::size_t k) { return weight(static_cast<std::uint32_t>(counts[k]), k); });
    TopicList::write_table(out, counts, row, TopicRow(row, topics).total(), scratch.occurring);
  }
};

}  // namespace gas
