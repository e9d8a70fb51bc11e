#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// What a word publishes for a topic model: its weight φ_k in each topic, behind the running sums
/// of the weights over blocks of 16 topics, so that a topic is drawn from a whole row by looking at
/// blocks first.
struct TopicRow {
  static constexpr std::size_t block = 16;

  std::span<const float> sums;     // sums[b] = Σ of the weights of blocks 0 … b
  std::span<const float> weights;  // by topic

  TopicRow(std::span<const float> row, std::size_t topics)
      : sums(row.first(blocks(topics))), weights(row.subspan(blocks(topics))) {}

  static std::size_t blocks(std::size_t topics) { return (topics + block - 1) / block; }
  static std::size_t width(std::size_t topics) { return blocks(topics) + topics; }
  float total() const { return sums.back(); }

  /// Fills `row` with weight(k) of every topic and their sums.
  template <class Weight>
  static void write(std::span<float> row, std::size_t topics, Weight weight) {
    const std::span<float> weights = row.subspan(blocks(topics));
    for (std::size_t k = 0; k < topics; ++k) weights[k] = weight(k);
    float sum = 0;
    for (std::size_t b = 0; b < blocks(topics); ++b) {
      const std::size_t end = std::min(topics, (b + 1) * block);
      for (std::size_t k = b * block; k < end; ++k) sum += weights[k];
      row[b] = sum;
    }
  }
};

/// The topics of the tokens of one document, changed in place while it is swept. One per thread,
/// reused from document to document.
class TopicCounts {
 public:
  static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
  static constexpr std::size_t most_topics = none;

  /// Begins a document: its counts by topic; returns their sum. O(topics / 16 + topics that occur).
  std::int64_t begin(std::span<const std::int32_t> counts) {
    constexpr std::size_t pad = 32;  // threads' arrays lie cache lines apart
    if (count_.size() != counts.size() + pad) {
      count_.assign(counts.size() + pad, 0.0F);
      place_.assign(counts.size() + pad, 0);
      topic_.assign(counts.size() + pad, 0);
      sum_.assign(counts.size() + pad, 0.0F);
      size_ = 0;
    }
    for (std::size_t j = 0; j < size_; ++j) count_[topic_[j]] = 0;
    size_ = 0;
    std::int64_t tokens = 0;
    for (std::size_t first = 0; first < counts.size(); first += TopicRow::block) {
      const auto part = counts.subspan(first, std::min(TopicRow::block, counts.size() - first));
      std::int32_t any = 0;
      for (const std::int32_t n : part) any |= n;
      if (any == 0) continue;
      for (std::size_t k = 0; k < part.size(); ++k)
        if (part[k] != 0) {
          insert(first + k, static_cast<float>(part[k]));
          tokens += part[k];
        }
    }
    return tokens;
  }

  /// Gives a token that has no topic one from p(k) ∝ (n_k + alpha) · weight_k; u uniform in [0, 1).
  std::uint16_t draw_first(const TopicRow& row, float alpha, float u) {
    const std::size_t k = draw(row, alpha, row.weights.size(), 0, u);
    add(k);
    return static_cast<std::uint16_t>(k);
  }

  /// Gives a token of topic `z` a new one, from the same distribution without the token itself:
  /// z has one less, and a weight that is less by `own` (in [0, weight_z)).
  std::uint16_t draw_again(const TopicRow& row, float alpha, std::size_t z, float own, float u) {
    const float left = count_[z] - 1;
    count_[z] = left * ((row.weights[z] - own) / row.weights[z]);
    const std::size_t k = draw(row, alpha, z, own, u);
    count_[z] = left;
    add(k);
    if (count_[z] == 0) remove(z);
    return static_cast<std::uint16_t>(k);
  }

  /// Σ_k (n_k + alpha) · weight_k.
  double likelihood(const TopicRow& row, double alpha) const {
    double sum = alpha * static_cast<double>(row.total());
    for (std::size_t j = 0; j < size_; ++j)
      sum += static_cast<double>(count_[topic_[j]]) * static_cast<double>(row.weights[topic_[j]]);
    return sum;
  }

 private:
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

  /// The topics that occur, by their counts, against all topics, by alpha.
  std::size_t draw(const TopicRow& row, float alpha, std::size_t z, float own, float u) {
    const float* weights = row.weights.data();
    float sum = 0;
    for (std::size_t j = 0; j < size_; ++j) {
      sum += count_[topic_[j]] * weights[topic_[j]];
      sum_[j] = sum;
    }
    const float at = u * (sum + alpha * (row.total() - own));
    if (at >= sum) return draw_any(row, z, own, (at - sum) / alpha);
    std::size_t j = 0;
    while (at >= sum_[j]) ++j;
    return topic_[j];
  }

  /// The topic at `at` of the row's weights, topic z's less by `own`.
  static std::size_t draw_any(const TopicRow& row, std::size_t z, float own, float at) {
    const std::size_t blocks = row.sums.size(), own_block = z / TopicRow::block;
    std::size_t b = 0;
    for (std::size_t i = 0; i + 1 < blocks; ++i)
      b += at >= row.sums[i] - (i < own_block ? 0 : own) ? 1U : 0U;
    if (b > 0) at -= row.sums[b - 1] - (b - 1 < own_block ? 0 : own);
    const std::size_t last = std::min(row.weights.size(), (b + 1) * TopicRow::block) - 1;
    std::size_t k = b * TopicRow::block;
    for (; k < last; ++k) {
      const float weight = row.weights[k] - (k == z ? own : 0);
      if (at < weight) break;
      at -= weight;
    }
    return k;
  }

  std::vector<float> count_;          // by topic; 0 where it does not occur
  std::vector<std::uint16_t> place_;  // by topic: where it stands in topic_
  std::vector<std::uint16_t> topic_;  // the first size_: topics that occur, in a fixed order
  std::vector<float> sum_;
  std::size_t size_ = 0;
};
