#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/lda/sparse/topic_list.hpp"

namespace gas {

/// What documents of a round that draw from lists begin with, in common.
struct ListPriors {
  std::vector<float> inverse;      // 1 / (n_k + Vβ)
  std::vector<float> without_one;  // (n_k + Vβ) / (n_k − 1 + Vβ)
  TopicShares shares;              // of alpha
  float alpha = 0, beta = 0;
  std::vector<float> by_topic{};  // α_k / (n_k + Vβ)
  double sum = 0;                 // of by_topic
  float most = 0;                 // above each 1 / (n_k + Vβ), a token left out or not

  /// Fills by_topic, sum and most from the others. O(topics).
  void add_up() {
    by_topic.resize(inverse.size());
    sum = most = 0;
    for (std::size_t k = 0; k < by_topic.size(); ++k) {
      by_topic[k] = of_tokens(0, k);
      sum += static_cast<double>(by_topic[k]);
      most = std::max(most, inverse[k] * std::max(1.0F, without_one[k]));
    }
  }
  /// (n_dk + α_k) / (n_k + Vβ) of a document with so many tokens of topic k.
  float of_tokens(std::int32_t count, std::size_t k) const {
    return (static_cast<float>(count) + alpha * shares.share(k)) * inverse[k];
  }
};

/// Exact draws of one document's tokens whose words' topics stand in order: a token looks at the
/// topics that its word has tokens of, and seldom at others (after SparseLDA: Yao, Mimno, McCallum
/// 2009), p(k) ∝ n_kw (n_dk + α_k) / (n_k + Vβ) + β (n_dk + α_k) / (n_k + Vβ), the token itself
/// left out. O(topics of the word). One per thread.
class ListDraws {
 public:
  /// Begins a document with counts by topic; `priors` must stay. O(topics): copies the priors, and
  /// adds the counts that are not 0.
  void begin(std::span<const std::int32_t> counts, const ListPriors& priors) {
    priors_ = &priors;
    topics_ = counts.size();
    draw_ = draw_kernel().draw_listed;
    by_topic_.resize(topics_ + pad);
    std::ranges::copy(priors.by_topic, by_topic_.begin());
    by_topic_[topics_] = 0;  // what fills up a list
    sum_ = priors.sum;
    for_each_used_block(counts, [&](std::size_t first, std::span<const std::int32_t> part) {
      for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] != 0) set(first + i, priors.of_tokens(part[i], first + i));
    });
  }

  /// The document has another number of tokens of topic k; `factor` is this and the prior.
  void changes(std::size_t k, float factor) { set(k, factor * priors_->inverse[k]); }

  /// The new topic of a token of topic z, which changes() took out of the document. offer(bits): a
  /// topic by the document's other tokens and priors, or TopicCounts::none.
  template <class Offer>
  std::size_t draw(const TopicList& list, std::size_t z, std::uint64_t bits, Offer offer) {
    const float with = by_topic_[z], without = with * priors_->without_one[z];
    by_topic_[z] = without;
    const double sum = sum_ + static_cast<double>(without) - static_cast<double>(with);
    const std::size_t k = draw_of(list, z, sum, bits, offer);
    by_topic_[z] = with;
    return k;
  }

  /// The first topic of a token.
  template <class Offer>
  std::size_t draw_first(const TopicList& list, std::uint64_t bits, Offer offer) const {
    return draw_of(list, DrawKernel::no_thing, sum_, bits, offer);
  }

  /// Σ_k (n_dk + α_k) φ_kw.
  double likelihood(const TopicList& list) const {
    double sum = static_cast<double>(priors_->beta) * sum_;
    for (const TopicList::Cell cell : list.cells())
      sum += static_cast<double>(cell & 0xffffU) * static_cast<double>(by_topic_[cell >> 16U]);
    return sum;
  }

 private:
  static constexpr std::size_t pad = 32;  // threads' arrays lie cache lines apart
  static constexpr std::uint64_t most_offers = 16;

  void set(std::size_t k, float now) {
    sum_ += static_cast<double>(now) - static_cast<double>(by_topic_[k]);
    by_topic_[k] = now;
  }

  /// `sum`: of by_topic_.
  template <class Offer>
  std::size_t draw_of(const TopicList& list, std::size_t z, double sum, std::uint64_t bits,
                      Offer offer) const {
    const auto blocks = static_cast<std::uint32_t>(list.cells().size() / TopicList::block);
    const std::size_t k =
        draw_(list.cells().data(), blocks, by_topic_.data(), static_cast<std::uint32_t>(z),
              static_cast<float>(static_cast<double>(priors_->beta) * sum), bits);
    return k < topics_ ? k : draw_any(z, sum, gas::Random(bits), offer);
  }

  /// A topic by the document's counts and priors over n_k + Vβ: by rejection, which nearly always
  /// is quick; else by looking at all.
  template <class Offer>
  std::size_t draw_any(std::size_t z, double sum, const gas::Random& random, Offer offer) const {
    for (std::uint64_t i = 0; i < most_offers; ++i) {
      const std::uint64_t bits = random.bits(i);
      const std::size_t k = offer(bits);
      if (k == TopicCounts::none) continue;
      const float chance = static_cast<float>(bits & 0xffffffU) * 0x1p-24F;
      if (chance * priors_->most < priors_->inverse[k] * (k == z ? priors_->without_one[z] : 1.0F))
        return k;
    }
    double at = random.uniform(most_offers) * sum;
    std::size_t k = 0;
    while (k + 1 < topics_ && at >= static_cast<double>(by_topic_[k]))
      at -= static_cast<double>(by_topic_[k++]);
    return k;
  }

  const ListPriors* priors_ = nullptr;
  std::size_t topics_ = 0;
  gas::DrawListed draw_ = nullptr;
  std::vector<float> by_topic_;  // (n_dk + α_k) / (n_k + Vβ)
  double sum_ = 0;
};

}  // namespace gas
