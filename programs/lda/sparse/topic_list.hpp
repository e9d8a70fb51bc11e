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
/// that it has tokens of, in place of a TopicRow. A list of cells: the sum of the row's weights,
/// its TopicPicks, and a hash table of topics and counts. A token looks at one or two cells. It
/// takes 8 to 16 bytes per topic that occurs, at most 4 per topic where these are a power of two;
/// and 136.
class TopicList {
 public:
  using Cell = std::uint32_t;

  explicit TopicList(std::span<const Cell> cells)
      : cells_(cells.data()), size_(cells.size() - header) {}

  /// Writes the counts of a word by topic, and of its row, as TopicPicks wrote it, the sum and the
  /// picks. Without counts (none): a list that holds() nothing. `occurring`: memory for it.
  static void write(std::vector<Cell>& out, std::span<const std::int32_t> counts,
                    std::span<const float> row, float total,
                    std::vector<std::uint16_t>& occurring) {
    find(counts, occurring);
    const std::size_t size = table_size(counts, occurring);
    take_room(out, header + size);
    out[0] = std::bit_cast<Cell>(total);
    const std::span<const float> picks = TopicPicks::of(row);
    for (std::size_t i = 0; i < TopicPicks::picks; i += 2)
      out[1 + i / 2] = static_cast<Cell>(picks[i]) | static_cast<Cell>(picks[i + 1]) << 16U;
    const std::span<Cell> table(out.data() + header, size);
    std::ranges::fill(table, 0U);
    if (!std::has_single_bit(size)) {  // the counts themselves, or none
      std::ranges::copy(counts, table.begin());
      return;
    }
    for (const std::uint16_t k : occurring) {
      std::size_t at = k & (size - 1);
      while (table[at] != 0) at = (at + 1) & (size - 1);
      table[at] = static_cast<Cell>(k) << 16U | static_cast<Cell>(counts[k]);
    }
  }

  /// Were there counts to write?
  bool holds() const { return size_ > 0; }
  /// Of topic k; where it holds().
  std::uint32_t count(std::size_t k) const {
    const Cell* const table = cells_ + header;
    const std::size_t mask = size_ - 1;
    if ((size_ & mask) != 0) return table[k];
    for (std::size_t at = k & mask;; at = (at + 1) & mask) {
      if (table[at] >> 16U == k) return table[at] & 0xffffU;  // an empty cell has 0 of topic 0
      if (table[at] == 0) return 0;
    }
  }
  /// The sum of the weights, each times its topic's share.
  float total() const { return std::bit_cast<float>(cells_[0]); }
  std::size_t pick(std::size_t i) const { return cells_[1 + i / 2] >> (i % 2 * 16) & 0xffffU; }

  void fetch(std::size_t k) const { __builtin_prefetch(cells_ + header + (k & (size_ - 1))); }
  void fetch_pick(std::size_t i) const { __builtin_prefetch(cells_ + 1 + i / 2); }

  /// The cells of a word with so many topics, of `topics` in all, and counts of up to 16 bits.
  static std::size_t width(std::size_t occurring, std::size_t topics) {
    return header + std::bit_ceil(std::clamp<std::size_t>(2 * occurring, 1, topics));
  }

 private:
  static constexpr std::size_t header = 1 + TopicPicks::picks / 2;

  /// The topics that occur, ascending. No branch: which do cannot be foreseen.
  static void find(std::span<const std::int32_t> counts, std::vector<std::uint16_t>& occurring) {
    occurring.resize(counts.size() + 1);
    std::size_t found = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      occurring[found] = static_cast<std::uint16_t>(k);
      found += counts[k] != 0 ? 1U : 0U;
    }
    occurring.resize(found);
  }

  /// 0 without counts. A table of a power of two is at most half full, or has a cell for each
  /// topic; another size tells that some count has more than 16 bits: one more than the topics, or
  /// two.
  static std::size_t table_size(std::span<const std::int32_t> counts,
                                std::span<const std::uint16_t> occurring) {
    if (counts.empty()) return 0;
    std::int32_t most = 0;
    for (const std::uint16_t k : occurring) most = std::max(most, counts[k]);
    if (most <= std::numeric_limits<std::uint16_t>::max())
      return width(occurring.size(), counts.size()) - header;
    return counts.size() + (std::has_single_bit(counts.size() + 1) ? 2 : 1);
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
  std::size_t size_;  // of the table
};

}  // namespace gas
