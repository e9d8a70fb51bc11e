#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "programs/lda/topic_walk.hpp"

namespace gas {

/// What a word publishes for a topic model of many topics: how many of its tokens are of each topic
/// that it has tokens of, in place of a TopicRow. Up to `most_in_order` topics stand in ascending
/// order, in whole blocks of cells of 4 bytes each; what they lack has the topic behind the last
/// one and the count 0. More stand in a hash table, behind the sum of the row's weights and its
/// TopicPicks: of 8 to 16 bytes per topic that occurs, at most 4 per topic where these are a power
/// of two, and 132.
class TopicList {
 public:
  using Cell = std::uint32_t;
  static constexpr std::size_t block = gas::DrawCounts::lanes;
  static constexpr std::size_t most_in_order = block * gas::DrawCounts::most_blocks;
  /// The cells of a list that holds() nothing.
  static constexpr std::size_t empty = 1 + TopicPicks::picks / 2;

  explicit TopicList(std::span<const Cell> cells) : cells_(cells.data()), size_(cells.size()) {}

  /// Fills `occurring` with the topics that occur, ascending: what the functions below ask for.
  /// No branch but for blocks without one: which occur cannot be foreseen.
  static void find(std::span<const std::int32_t> counts, std::vector<std::uint16_t>& occurring) {
    occurring.resize(counts.size() + 1);
    std::size_t found = 0;
    for_each_used_block(counts, [&](std::size_t first, std::span<const std::int32_t> part) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        occurring[found] = static_cast<std::uint16_t>(first + i);
        found += part[i] != 0 ? 1U : 0U;
      }
    });
    occurring.resize(found);
  }

  /// Writes the topics that occur and their counts in order; false, and nothing is written, where
  /// there are too many of either.
  static bool write_in_order(std::vector<Cell>& out, std::span<const std::int32_t> counts,
                             std::span<const std::uint16_t> occurring) {
    if (occurring.size() > most_in_order || most_of(counts, occurring) > most_count) return false;
    take_room(out, width(occurring.size(), counts.size()));
    std::size_t at = 0;
    for (const std::uint16_t k : occurring)
      out[at++] = static_cast<Cell>(k) << 16U | static_cast<Cell>(counts[k]);
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.end(),
              static_cast<Cell>(counts.size()) << 16U);
    return true;
  }

  /// Writes a table of the counts of a word by topic; and of its row, as TopicPicks wrote it, the
  /// sum and the picks.
  static void write_table(std::vector<Cell>& out, std::span<const std::int32_t> counts,
                          std::span<const float> row, float total,
                          std::span<const std::uint16_t> occurring) {
    const std::size_t size = table_size(counts, occurring);
    take_room(out, empty + size);
    out[0] = std::bit_cast<Cell>(total);
    const std::span<const float> picks = TopicPicks::of(row);
    for (std::size_t i = 0; i < TopicPicks::picks; i += 2)
      out[1 + i / 2] = static_cast<Cell>(picks[i]) | static_cast<Cell>(picks[i + 1]) << 16U;
    const std::span<Cell> table(out.data() + empty, size);
    std::ranges::fill(table, 0U);
    if (!std::has_single_bit(size)) {  // the counts themselves
      std::ranges::copy(counts, table.begin());
      return;
    }
    for (const std::uint16_t k : occurring) {
      std::size_t at = k & (size - 1);
      while (table[at] != 0) at = (at + 1) & (size - 1);
      table[at] = static_cast<Cell>(k) << 16U | static_cast<Cell>(counts[k]);
    }
  }

  /// Writes a list that holds() nothing: all topics weigh the same, `total` in all. The picks stand
  /// evenly spaced, from `u` in [0, 1) on.
  static void write_none(std::vector<Cell>& out, std::size_t topics, float total, double u) {
    take_room(out, empty);
    out[0] = std::bit_cast<Cell>(total);
    const double step = static_cast<double>(topics) / static_cast<double>(TopicPicks::picks);
    const auto pick = [&](std::size_t i) {
      return std::min(static_cast<Cell>((static_cast<double>(i) + u) * step),
                      static_cast<Cell>(topics - 1));
    };
    for (std::size_t i = 0; i < TopicPicks::picks; i += 2)
      out[1 + i / 2] = pick(i) | pick(i + 1) << 16U;
  }

  /// Do the topics stand in order, with nothing else? By the number of cells alone.
  bool in_order() const { return size_ % block == 0; }
  std::span<const Cell> cells() const { return {cells_, size_}; }

  /// Were there counts to write?
  bool holds() const { return size_ != empty; }
  /// Of topic k; where it holds(). O(1) from a table.
  std::uint32_t count(std::size_t k) const {
    if (in_order()) {
      const std::span<const Cell> all = cells();
      const auto at = std::ranges::lower_bound(all, static_cast<Cell>(k) << 16U);
      return at != all.end() && *at >> 16U == k ? *at & most_count : 0;
    }
    const Cell* const table = cells_ + empty;
    const std::size_t size = size_ - empty, mask = size - 1;
    if ((size & mask) != 0) return table[k];
    for (std::size_t at = k & mask;; at = (at + 1) & mask) {
      if (table[at] >> 16U == k) return table[at] & most_count;  // an empty cell has 0 of topic 0
      if (table[at] == 0) return 0;
    }
  }
  /// Of a table, the sum of the weights, each times its topic's share.
  float total() const { return std::bit_cast<float>(cells_[0]); }
  std::size_t pick(std::size_t i) const { return cells_[1 + i / 2] >> (i % 2 * 16) & 0xffffU; }

  void fetch(std::size_t k) const {
    __builtin_prefetch(cells_ + empty + (k & (size_ - empty - 1)));
  }
  void fetch_pick(std::size_t i) const { __builtin_prefetch(cells_ + 1 + i / 2); }
  void fetch_all() const {
    for (std::size_t at = 0; at < size_; at += block) __builtin_prefetch(cells_ + at);
  }

  /// The cells of a word with so many topics, of `topics` in all, and counts of up to 16 bits.
  static std::size_t width(std::size_t occurring, std::size_t topics) {
    return occurring <= most_in_order
               ? (std::max<std::size_t>(occurring, 1) + block - 1) / block * block
               : empty + std::bit_ceil(std::clamp<std::size_t>(2 * occurring, 1, topics));
  }

 private:
  static constexpr std::int32_t most_count = std::numeric_limits<std::uint16_t>::max();

  static std::int32_t most_of(std::span<const std::int32_t> counts,
                              std::span<const std::uint16_t> occurring) {
    std::int32_t most = 0;
    for (const std::uint16_t k : occurring) most = std::max(most, counts[k]);
    return most;
  }

  /// A table of a power of two is at most half full, or has a cell for each topic; another size
  /// tells that some count has more than 16 bits. No size, with the `empty` cells before it, is one
  /// of whole blocks.
  static std::size_t table_size(std::span<const std::int32_t> counts,
                                std::span<const std::uint16_t> occurring) {
    std::size_t size =
        std::bit_ceil(std::clamp<std::size_t>(2 * occurring.size(), 1, counts.size()));
    if (most_of(counts, occurring) <= most_count) return size;
    size = counts.size() + 1;
    while (std::has_single_bit(size) || (empty + size) % block == 0) ++size;
    return size;
  }

  /// Neither more than is used nor a change of memory in every round.
  static void take_room(std::vector<Cell>& out, std::size_t size) {
    if (out.capacity() < size || out.capacity() > 3 * size) {
      out = std::vector<Cell>();  // frees what it had
      out.reserve(size);
    }
    out.resize(size);
  }

  const Cell* cells_;
  std::size_t size_;
};

}  // namespace gas
