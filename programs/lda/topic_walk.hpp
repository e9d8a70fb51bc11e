#pragma once

#include <algorithm>

#include "programs/lda/topic_counts.hpp"

namespace gas {

/// Topics that a word proposes: a sample of `picks` topics from its weights, evenly spaced from a
/// random start, so that a topic's expected share is exactly its weight's. They stand behind the
/// word's TopicRow, as floats.
struct TopicPicks {
  static constexpr std::size_t picks = 64;  // a power of two

  static std::size_t width(std::size_t topics) { return TopicRow::width(topics) + picks; }
  static std::span<const float> of(std::span<const float> row) { return row.last(picks); }

  /// Fills the end of `row`, whose TopicRow is written; `u` is uniform in [0, 1).
  static void write(std::span<float> row, std::size_t topics, float u,
                    const TopicShares& shares = alike_topics) {
    if (!shares.alike()) return write_by_weight(row, topics, u);
    const TopicRow weights(row, topics);
    const float step = weights.total() / static_cast<float>(picks);
    std::size_t b = 0;
    for (std::size_t i = 0; i < picks; ++i) {
      const float at = (static_cast<float>(i) + u) * step;
      while (b + 1 < weights.sums.size() && at >= weights.sums[b]) ++b;
      const std::size_t last = std::min(topics, (b + 1) * TopicRow::block) - 1;
      std::size_t k = b * TopicRow::block;
      float sum = (b == 0 ? 0 : weights.sums[b - 1]) + weights.weights[k];
      while (k < last && at >= sum) sum += weights.weights[++k];
      row[row.size() - picks + i] = static_cast<float>(k);
    }
  }

 private:
  /// The same where the row's sums are not those of its weights.
  static void write_by_weight(std::span<float> row, std::size_t topics, float u) {
    const std::span<const float> weights = row.first(topics);
    float total = 0;
    for (const float weight : weights) total += weight;
    const float step = total / static_cast<float>(picks);
    std::size_t k = 0;
    float sum = weights[0];
    for (std::size_t i = 0; i < picks; ++i) {
      const float at = (static_cast<float>(i) + u) * step;
      while (k + 1 < topics && at >= sum) sum += weights[++k];
      row[row.size() - picks + i] = static_cast<float>(k);
    }
  }
};

/// A topic by the first `before` tokens of a document and the priors: p(k) ∝ n_k + prior_k. `u` is
/// uniform in [0, 1), and `prior` the mean.
template <class Edges>
std::size_t draw_beside(const Edges& edges, std::size_t before, std::size_t topics, float prior,
                        const TopicShares& shares, float u) {
  const auto all = static_cast<float>(topics), tokens = static_cast<float>(before);
  const float at = u * (tokens + all * prior);
  if (at < tokens) return edges[static_cast<std::size_t>(at)].topic;
  const float any = std::clamp((at - tokens) / prior, 0.0F, all);
  return shares.alike() ? static_cast<std::size_t>(std::min(any, all - 1)) : shares.draw(any);
}

/// Gives each token of a document its first topic, by the tokens before it. A sum S of all priors
/// makes a document of n tokens begin with about S ln(1 + n / S) topics. O(1) per token.
template <class Edges>
void draw_first_topics(const Edges& edges, std::size_t topics, float prior,
                       const TopicShares& shares, const gas::Random& random) {
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i].topic = static_cast<std::uint16_t>(
        draw_beside(edges, i, topics, prior, shares, random.uniform_float(i)));
}

/// Metropolis–Hastings walks of one document's tokens (after LightLDA: Yuan et al. 2015): each in
/// turn is offered the topic of a random token of the document, or any topic by its prior, then one
/// that its word picked. Detailed balance holds for the exact conditional distribution, the token
/// itself left out. O(1) per token, and three cache lines. One per thread.
class TopicWalk {
 public:
  static constexpr std::size_t passes_to_join = 6;  // with 4, topics take a round more to form

  /// Begins a document with counts by topic and the mean prior of each; `shares` must stay.
  void begin(std::span<const std::int32_t> counts, float alpha,
             const TopicShares& shares = alike_topics) {
    factor_.resize(counts.size());
    shares.add_priors(counts, alpha, factor_.data());
    alpha_ = alpha;
    shares_ = &shares;
  }

  /// A step of every token of the document, which must have a topic. `edges` as in
  /// gas::EdgesView, of a struct with a member `topic`, over rows with picks; left_of(k, weight_k):
  /// what is left of the weight without the token; random.bits(i): of token i.
  template <class Edges, class LeftOf>
  void step(const Edges& edges, const gas::Random& random, LeftOf left_of) {
    if (edges.size() == 0) return;
    const std::size_t picks_at = edges.published(0).size() - TopicPicks::picks;
    step_by(edges, PlainWords<Edges, LeftOf>{edges, picks_at, left_of}, random);
  }
  /// The same where words publish something else, as PlainWords has it: row(i) gives token i's;
  /// fetch(i) asks for where it lies, well before; i may lie behind the last token. Words that
  /// may_draw are told what each topic's factor changes to, and where draws(row), the token's topic
  /// is what they draw.
  template <class Edges, class Words>
  void step_by(const Edges& edges, Words words, const gas::Random& random) {
    shares_->alike() ? step_by<true>(edges, words, random) : step_by<false>(edges, words, random);
  }

  /// Gives the tokens of a document, begun without counts, topics, where words have topics by other
  /// documents, in several passes, so that it joins with few. A word that draws draws its token's
  /// topic, given those of the other tokens. Tokens of other words take theirs by these and the
  /// priors alone. `words`: as for step_by(), and they may_draw.
  template <class Edges, class Words>
  void join_by(const Edges& edges, Words words, const gas::Random& random) {
    for (std::size_t pass = 0; pass < passes_to_join; ++pass)
      join_once(edges, words, random.stream(pass));
  }

 private:
  /// A TopicRow with picks.
  struct PlainRow {
    const float* at;
    std::size_t picks_at;
    float weight(std::size_t k) const { return at[k]; }
    std::size_t pick(std::size_t i) const { return static_cast<std::size_t>(at[picks_at + i]); }
    void fetch(std::size_t k) const { __builtin_prefetch(at + k); }
    void fetch_pick(std::size_t i) const { __builtin_prefetch(at + picks_at + i); }
  };
  template <class Edges, class LeftOf>
  struct PlainWords {
    const Edges& edges;
    std::size_t picks_at;
    LeftOf left;
    PlainRow row(std::size_t i) const { return {edges.row(i), picks_at}; }
    void fetch(std::size_t) const {}
    float left_of(std::size_t k, float weight) const { return left(k, weight); }
    static constexpr bool may_draw = false;
  };

  /// In the first pass no token has a topic, and each sees those of the tokens before it.
  template <class Edges, class Words>
  void join_once(const Edges& edges, Words& words, const gas::Random& random) {
    const std::size_t tokens = edges.size();
    for (std::size_t i = 0; i < 2 * ahead; ++i) words.fetch(i);
    for (std::size_t i = 0; i < tokens; ++i) {
      words.fetch(i + 2 * ahead);
      if (i + ahead < tokens)
        if (const auto later = words.row(i + ahead); words.draws(later)) later.fetch_all();
      const std::size_t before = edges[i].topic;
      const bool first = before == TopicCounts::none;
      if (!first) {
        factor_[before] -= 1;
        words.changes(before, factor_[before]);
        edges[i].topic = TopicCounts::none;
      }
      const auto beside = [&](std::uint64_t bits) {
        return draw_beside(edges, first ? i : tokens, factor_.size(), alpha_, *shares_,
                           static_cast<float>(bits >> 40U) * 0x1p-24F);
      };
      const auto row = words.row(i);
      const std::uint64_t bits = random.bits(i);
      std::size_t k = words.draws(row) ? words.draw_first(row, bits, beside) : beside(bits);
      if (k == TopicCounts::none) k = before;  // the token itself was chosen
      factor_[k] += 1;
      words.changes(k, factor_[k]);
      edges[i].topic = static_cast<std::uint16_t>(k);
    }
  }

  template <bool alike, class Edges, class Words>
  void step_by(const Edges& edges, Words& words, const gas::Random& random) {
    const std::size_t tokens = edges.size(), topics = factor_.size();
    if (tokens == 0) return;
    const auto length = static_cast<float>(tokens);
    const float scale = (length + static_cast<float>(topics) * alpha_) * 0x1p-24F;
    const float inverse_alpha = 1 / alpha_;
    const auto most_prior = static_cast<float>(alike ? topics - 1 : topics);
    const auto last_token = static_cast<float>(tokens - 1);
    const auto offer = [&](std::uint64_t bits, std::size_t but = SIZE_MAX) -> std::size_t {
      const float at = static_cast<float>(bits >> 40U) * scale;
      const float by_prior = std::clamp((at - length) * inverse_alpha, 0.0F, most_prior);
      const std::size_t any = alike ? static_cast<std::size_t>(by_prior) : shares_->draw(by_prior);
      const auto token = static_cast<std::size_t>(std::min(at, last_token));
      const std::size_t of_token = token == but ? TopicCounts::none : edges[token].topic;
      return at < length ? of_token : any;
    };
    const auto ask = [&](std::size_t i) {
      const std::uint64_t bits = bits_[i % ahead] = random.bits(i);
      const auto row = words.row(i);
      if constexpr (Words::may_draw)
        if (words.draws(row)) return row.fetch_all();
      row.fetch(edges[i].topic);
      row.fetch(offer(bits));
      row.fetch_pick(pick(bits));
    };
    const auto walk = [&](const auto& row, std::size_t z, std::uint64_t bits) {
      const float weight = row.weight(z), left = words.left_of(z, weight);
      const std::size_t d = offer(bits);
      const bool takes_d = chance(bits >> 6U) * left < (d == z ? left : row.weight(d));
      const std::size_t middle = choose(takes_d, d, z);
      const std::size_t w = row.pick(pick(bits));
      const float at_w = factor_[w] * (w == z ? left : weight);
      const float at_middle = factor_[middle] * (middle == z ? left : weight);
      return choose(chance(bits >> 22U) * at_middle < at_w, w, middle);
    };
    for (std::size_t i = 0; i < 2 * ahead; ++i) words.fetch(i);
    for (std::size_t i = 0; i < std::min(ahead, tokens); ++i) ask(i);
    for (std::size_t i = 0; i < tokens; ++i) {
      const std::uint64_t bits = bits_[i % ahead];
      const auto row = words.row(i);
      const std::size_t z = edges[i].topic;
      std::size_t now;
      factor_[z] -= 1;
      if constexpr (Words::may_draw) {
        words.changes(z, factor_[z]);
        const auto beside = [&](std::uint64_t more) { return offer(more, i); };
        now = words.draws(row) ? words.draw(row, z, bits, beside) : walk(row, z, bits);
      } else {
        now = walk(row, z, bits);
      }
      factor_[now] += 1;
      if constexpr (Words::may_draw) words.changes(now, factor_[now]);
      edges[i].topic = static_cast<std::uint16_t>(now);
      if (i + ahead < tokens) ask(i + ahead);
      words.fetch(i + 2 * ahead);
    }
  }

  static constexpr std::size_t ahead = 32;
  // A token's 64 bits: 24 for the document's offer, 16 for each acceptance, 6 for the word's pick.
  static std::size_t pick(std::uint64_t bits) { return bits % TopicPicks::picks; }
  static float chance(std::uint64_t bits) {
    return static_cast<float>(bits & 0xffffU) * 0x1p-16F + 0x1p-17F;
  }

  /// Without a branch: acceptances are nearly coin tosses.
  static std::size_t choose(bool first, std::size_t a, std::size_t b) {
    return b ^ ((a ^ b) & (std::size_t{0} - static_cast<std::size_t>(first)));
  }

  float alpha_ = 0;
  const TopicShares* shares_ = &alike_topics;
  std::vector<float> factor_;  // by topic: its count, and its prior
  std::uint64_t bits_[ahead] = {};
};

}  // namespace gas
