#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "programs/lda/sparse/topic_list.hpp"

namespace gas {

/// Exact draws of one document's tokens whose words' topics stand in order: a token looks at the
/// topics that its word has tokens of, and seldom at others (after SparseLDA: Yao, Mimno, McCallum
/// 2009), p(k) ∝ n_kw (n_dk + α_k) / (n_k + Vβ) + β (n_dk + α_k) / (n_k + Vβ), the token itself
/// left out. O(topics of the word). One per thread.
class ListDraws {
 public:
  /// Begins a document with counts by topic; `inverse` is 1 / (n_k + Vβ) and must stay, as must
  /// `without_one`, (n_k + Vβ) / (n_k − 1 + Vβ). O(topics).
  void begin(std::span<const std::int32_t> counts, float alpha, const TopicShares& shares,
             float beta, std::span<const float> inverse, std::span<const float> without_one) {
    topics_ = counts.size();
    inverse_ = inverse;
    without_one_ = without_one;
    beta_ = static_cast<double>(beta);
    draw_ = draw_kernel().draw_listed;
    by_topic_.resize(topics_ + pad);
    shares.add_priors(counts, alpha, by_topic_.data());
    std::array<double, 8> sum{};
    std::array<float, 8> most{};
    for (std::size_t k = 0; k < topics_; ++k) by_topic_[k] *= inverse[k];
    for (std::size_t k = 0; k < topics_; ++k) sum[k % 8] += static_cast<double>(by_topic_[k]);
    for (std::size_t k = 0; k < topics_; ++k)
      most[k % 8] = std::max(most[k % 8], inverse[k] * std::max(1.0F, without_one[k]));
    sum_ = std::accumulate(sum.begin(), sum.end(), 0.0);
    most_ = std::ranges::max(most);
    by_topic_[topics_] = 0;  // what fills up a list
  }

  /// The document has another number of tokens of topic k; `factor` is this and the prior.
  void changes(std::size_t k, float factor) {
    const float now = factor * inverse_[k];
    sum_ += static_cast<double>(now) - static_cast<double>(by_topic_[k]);
    by_topic_[k] = now;
  }

  /// The new topic of a token of topic z, which changes() took out of the document. offer(bits): a
  /// topic by the document's other tokens and priors, or TopicCounts::none.
  template <class Offer>
  std::size_t draw(const TopicList& list, std::size_t z, std::uint64_t bits, Offer offer) {
    const float with = by_topic_[z], without = with * without_one_[z];
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
    double sum = beta_ * sum_;
    for (const TopicList::Cell cell : list.cells())
      sum += static_cast<double>(cell & 0xffffU) * static_cast<double>(by_topic_[cell >> 16U]);
    return sum;
  }

 private:
  static constexpr std::size_t pad = 32;  // threads' arrays lie cache lines apart
  static constexpr std::uint64_t most_offers = 16;

  /// `sum`: of by_topic_.
  template <class Offer>
  std::size_t draw_of(const TopicList& list, std::size_t z, double sum, std::uint64_t bits,
                      Offer offer) const {
    const auto blocks = static_cast<std::uint32_t>(list.cells().size() / TopicList::block);
    const std::size_t k =
        draw_(list.cells().data(), blocks, by_topic_.data(), static_cast<std::uint32_t>(z),
              static_cast<float>(beta_ * sum), bits);
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
      if (chance * most_ < inverse_[k] * (k == z ? without_one_[z] : 1.0F)) return k;
    }
    double at = random.uniform(most_offers) * sum;
    std::size_t k = 0;
    while (k + 1 < topics_ && at >= static_cast<double>(by_topic_[k]))
      at -= static_cast<double>(by_topic_[k++]);
    return k;
  }

  std::size_t topics_ = 0;
  std::span<const float> inverse_, without_one_;
  gas::DrawListed draw_ = nullptr;
  std::vector<float> by_topic_;  // (n_dk + α_k) / (n_k + Vβ)
  double beta_ = 0, sum_ = 0;
  float most_ = 0;  // above each 1 / (n_k + Vβ), the token left out or not
};

}  // namespace gas
