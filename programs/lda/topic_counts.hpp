#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "gas/base/random.hpp"
#include "gas/program/accumulators.hpp"
#include "programs/lda/draw_kernel.hpp"
#include "programs/lda/topic_shares.hpp"

namespace gas {

/// What a word publishes for a topic model: its weight φ_k in each topic, and behind the weights
/// their running sums over blocks of 16 topics, so that a topic is drawn from a whole row by
/// looking at blocks first. Where topics' priors differ, the sums are of φ_k times their shares.
struct TopicRow {
  static constexpr std::size_t block = gas::DrawCounts::lanes;

  std::span<const float> weights;  // by topic; whole blocks may be read
  std::span<const float> sums;     // sums[b] = Σ of the weights times shares of blocks 0 … b

  TopicRow(std::span<const float> row, std::size_t topics)
      : weights(row.first(topics)), sums(row.subspan(topics, blocks(topics))) {}

  static std::size_t blocks(std::size_t topics) { return (topics + block - 1) / block; }
  static std::size_t width(std::size_t topics) {
    return std::max(topics + blocks(topics), blocks(topics) * block);
  }
  float total() const { return sums.back(); }
  float weight(std::size_t k) const { return weights[k]; }

  /// Fills `row` with weight(k) of every topic and their sums.
  template <class Weight>
  static void write(std::span<float> row, std::size_t topics, Weight weight,
                    const TopicShares& shares = alike_topics) {
    for (std::size_t k = 0; k < topics; ++k) row[k] = weight(k);
    float sum = 0;
    for (std::size_t b = 0; b < blocks(topics); ++b) {
      const std::size_t end = std::min(topics, (b + 1) * block);
      if (shares.alike())
        for (std::size_t k = b * block; k < end; ++k) sum += row[k];
      else
        for (std::size_t k = b * block; k < end; ++k) sum += row[k] * shares.share(k);
      row[topics + b] = sum;
    }
    std::ranges::fill(row.subspan(topics + blocks(topics)), 0.0F);
  }
};

/// The tokens of a document or word by topic: local_require_counts says whether 32 bits do.
using TopicHistogram = gas::HistogramOf<std::int32_t>;

/// f(its first topic, its counts) of each block of 16 topics that has tokens; and of the rest of
/// the topics, fewer than 16, in any case.
template <class F>
void for_each_used_block(std::span<const std::int32_t> counts, F f) {
  constexpr std::size_t block = TopicRow::block;
  std::size_t first = 0;
  for (; first + block <= counts.size(); first += block) {
    std::int32_t any = 0;
    for (std::size_t i = 0; i < block; ++i) any |= counts[first + i];
    if (any != 0) f(first, counts.subspan(first, block));
  }
  if (first < counts.size()) f(first, counts.subspan(first));
}

/// The topics of the tokens of one document, changed in place while it is swept. One per thread,
/// reused from document to document. Up to `most_dense` topics are all looked at for a draw; of
/// more only those that occur, and the rest by the row's sums.
class TopicCounts {
 public:
  static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
  static constexpr std::size_t most_topics = none;
  static constexpr std::size_t most_dense = gas::DrawCounts::lanes * gas::DrawCounts::most_blocks;

  /// Begins a document: its counts by topic, and the mean prior of each; returns the sum of the
  /// counts. `shares` must stay, and be those of the rows.
  std::int64_t begin(std::span<const std::int32_t> counts, float alpha,
                     const TopicShares& shares = alike_topics) {
    alpha_ = alpha;
    shares_ = &shares;
    return counts.size() <= most_dense ? begin_dense(counts) : begin_sparse(counts);
  }

  /// Gives a token that has no topic one from p(k) ∝ (n_k + alpha_k) · weight_k; 64 random bits.
  std::uint16_t draw_first(const TopicRow& row, std::uint64_t bits) {
    if (draw_ != nullptr)
      return static_cast<std::uint16_t>(draw_(dense_, row.weights.data(), 0, 0, 1, bits));
    const std::size_t k = draw(row, row.weights.size(), 0, bits);
    add(k);
    return static_cast<std::uint16_t>(k);
  }

  /// Gives a token of topic `z` a new one, from the same distribution without the token itself:
  /// z has one less, and a weight that is `kept` (in (0, 1]) of weight_z.
  std::uint16_t draw_again(const TopicRow& row, std::size_t z, float kept, std::uint64_t bits) {
    if (draw_ != nullptr)
      return static_cast<std::uint16_t>(
          draw_(dense_, row.weights.data(), static_cast<std::uint32_t>(z), 1, kept, bits));
    const float left = count_[z] - 1;
    count_[z] = left * kept;
    const std::size_t k = draw(row, z, row.weights[z] * (1 - kept), bits);
    count_[z] = left;
    add(k);
    if (count_[z] == 0) remove(z);
    return static_cast<std::uint16_t>(k);
  }

  /// Σ_k (n_k + alpha_k) · weight_k. Of what has weight(k) and total() alone only where there are
  /// more than `most_dense` topics.
  template <class Row>
  double likelihood(const Row& row) {
    if constexpr (std::is_same_v<Row, TopicRow>)
      if (draw_ != nullptr) return likelihood_dense(row);
    double sum = static_cast<double>(alpha_) * static_cast<double>(row.total());
    for (std::size_t j = 0; j < size_; ++j)
      sum += static_cast<double>(count_[topic_[j]]) * static_cast<double>(row.weight(topic_[j]));
    return sum;
  }

 private:
  static constexpr std::size_t pad = 32;  // threads' arrays lie cache lines apart

  std::int64_t begin_dense(std::span<const std::int32_t> counts) {
    const std::size_t blocks = TopicRow::blocks(counts.size());
    if (dense_.things != counts.size() || draw_ == nullptr) {
      draw_ = gas::draw_kernel().draw[blocks - 1];
      count_.assign(blocks * TopicRow::block + 2 * pad, 0.0F);
      dense_.things = static_cast<std::uint32_t>(counts.size());
    }
    const auto at = reinterpret_cast<std::uintptr_t>(count_.data() + pad) % 64;
    dense_.factor = count_.data() + pad - at / sizeof(float);
    dense_.last = dense_.before_last = 0;
    dense_.last_unit = dense_.before_last_unit = 0;
    std::int64_t tokens = 0;
    shares_->add_priors(counts, alpha_, dense_.factor);
    for (const std::int32_t count : counts) tokens += count;
    return tokens;
  }

  double likelihood_dense(const TopicRow& row) {
    dense_.settle();
    double lane[8] = {};
    const std::size_t topics = row.weights.size();
    std::size_t k = 0;
    for (; k + 8 <= topics; k += 8)
      for (std::size_t i = 0; i < 8; ++i)
        lane[i] +=
            static_cast<double>(dense_.factor[k + i]) * static_cast<double>(row.weights[k + i]);
    for (; k < topics; ++k)
      lane[k % 8] += static_cast<double>(dense_.factor[k]) * static_cast<double>(row.weights[k]);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }

  /// O(topics / 16 + topics that occur).
  std::int64_t begin_sparse(std::span<const std::int32_t> counts) {
    if (draw_ != nullptr || count_.size() != counts.size() + pad) {
      draw_ = nullptr;
      count_.assign(counts.size() + pad, 0.0F);
      place_.assign(counts.size() + pad, 0);
      topic_.assign(counts.size() + pad, 0);
      sum_.assign(counts.size() + pad, 0.0F);
      size_ = 0;
    }
    for (std::size_t j = 0; j < size_; ++j) count_[topic_[j]] = 0;
    size_ = 0;
    std::int64_t tokens = 0;
    for_each_used_block(counts, [&](std::size_t first, std::span<const std::int32_t> part) {
      for (std::size_t k = 0; k < part.size(); ++k)
        if (part[k] != 0) {
          insert(first + k, static_cast<float>(part[k]));
          tokens += part[k];
        }
    });
    return tokens;
  }

  void insert(std::size_t k, float count) {
    count_[k] = count;
    place_[k] = static_cast<std::uint16_t>(size_);
    topic_[size_++] = static_cast<std::uint16_t>(k);
  }
  void add(std::size_t k) {
    if (count_[k] == 0 && !listed(k))
      insert(k, 1);
    else
      count_[k] += 1;
  }
  void remove(std::size_t k) {
    topic_[place_[k]] = topic_[--size_];
    place_[topic_[size_]] = place_[k];
  }
  bool listed(std::size_t k) const { return place_[k] < size_ && topic_[place_[k]] == k; }

  /// The topics that occur, by their counts, against all topics, by alpha; topic z's weight is less
  /// by `own`.
  std::size_t draw(const TopicRow& row, std::size_t z, float own, std::uint64_t bits) {
    const float* weights = row.weights.data();
    if (own != 0) own *= shares_->share(z);
    float sum = 0;
    for (std::size_t j = 0; j < size_; ++j) {
      sum += count_[topic_[j]] * weights[topic_[j]];
      sum_[j] = sum;
    }
    const float u = static_cast<float>(bits >> 40U) * 0x1.0p-24F;
    const float at = u * (sum + alpha_ * (row.total() - own));
    if (at >= sum) return draw_any(row, z, own, (at - sum) / alpha_);
    std::size_t j = 0;
    while (at >= sum_[j]) ++j;
    return topic_[j];
  }

  /// The topic at `at` of the row's weights times shares, topic z's less by `own`.
  std::size_t draw_any(const TopicRow& row, std::size_t z, float own, float at) const {
    const std::size_t blocks = row.sums.size(), own_block = z / TopicRow::block;
    std::size_t b = 0;
    for (std::size_t i = 0; i + 1 < blocks; ++i)
      b += at >= row.sums[i] - (i < own_block ? 0 : own) ? 1U : 0U;
    if (b > 0) at -= row.sums[b - 1] - (b - 1 < own_block ? 0 : own);
    const std::size_t last = std::min(row.weights.size(), (b + 1) * TopicRow::block) - 1;
    std::size_t k = b * TopicRow::block;
    for (; k < last; ++k) {
      const float weight = row.weights[k] * shares_->share(k) - (k == z ? own : 0);
      if (at < weight) break;
      at -= weight;
    }
    return k;
  }

  float alpha_ = 0;
  const TopicShares* shares_ = &alike_topics;
  gas::Draw draw_ = nullptr;          // where all topics are looked at
  gas::DrawCounts dense_;             // in count_
  std::vector<float> count_;          // by topic; 0 where it does not occur
  std::vector<std::uint16_t> place_;  // by topic: where it stands in topic_
  std::vector<std::uint16_t> topic_;  // the first size_: topics that occur, in a fixed order
  std::vector<float> sum_;
  std::size_t size_ = 0;
};

/// What a thread knows of the document that it sweeps.
struct DocumentSweep {
  TopicCounts counts;
  gas::Random random{0};
  std::uint64_t token = 0;     // the next one's number in the document
  double smoothed_length = 0;  // tokens with a topic, and the priors of all topics

  void begin(std::span<const std::int32_t> by_topic, float alpha, const TopicShares& shares,
             gas::Random of_document) {
    const auto length = static_cast<double>(counts.begin(by_topic, alpha, shares));
    random = of_document;
    token = 0;
    smoothed_length = length + static_cast<double>(by_topic.size()) * static_cast<double>(alpha);
  }
  /// The next token's topic: a new one in place of `topic`, or its first; kept(z) as draw_again().
  template <class Kept>
  std::uint16_t draw(const TopicRow& row, std::uint16_t topic, Kept kept) {
    const std::uint64_t bits = random.bits(token++);
    return topic == TopicCounts::none ? counts.draw_first(row, bits)
                                      : counts.draw_again(row, topic, kept(topic), bits);
  }
  /// Σ_k θ_dk φ_kw.
  template <class Row>
  double likelihood(const Row& row) {
    return counts.likelihood(row) / smoothed_length;
  }
};

}  // namespace gas
