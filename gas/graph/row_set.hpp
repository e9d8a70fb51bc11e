#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/types.hpp"

namespace gas {

/// As std::popcount, which is a call where the processor is not known to have the instruction.
inline std::uint32_t ones(std::uint64_t word) {
  word -= word >> 1 & 0x5555'5555'5555'5555;
  word = (word & 0x3333'3333'3333'3333) + (word >> 2 & 0x3333'3333'3333'3333);
  word = (word + (word >> 4)) & 0x0F0F'0F0F'0F0F'0F0F;
  return static_cast<std::uint32_t>(word * 0x0101'0101'0101'0101 >> 56);
}

/// Some of the rows below `count`, and the number of each among them, ascending. Takes 3/16 bytes
/// per row below `count`, so that a look-up mostly stays in the cache.
class RowSet {
 public:
  /// All rows of `lists`; O(count / 64) beside them.
  template <class... Rows>
  explicit RowSet(std::uint64_t count, const Rows&... lists)
      : members_(count / 64 + 1, 0), before_(members_.size()) {
    (add(lists), ...);
    for (std::size_t word = 0; word < members_.size(); ++word) {
      before_[word] = size_;
      size_ += ones(members_[word]);
    }
  }

  std::uint32_t size() const { return size_; }

  /// How many members are below `row`: the number of `row` if it is one.
  std::uint32_t operator[](VertexId row) const {
    const std::uint64_t below = members_[row / 64] & ((std::uint64_t{1} << row % 64) - 1);
    return before_[row / 64] + ones(below);
  }

  /// Calls f(row) for each, ascending.
  template <class F>
  void for_each(F f) const {
    for (std::size_t word = 0; word < members_.size(); ++word)
      for (std::uint64_t left = members_[word]; left != 0; left &= left - 1)
        f(to_vertex_id(word * 64 + static_cast<std::uint64_t>(std::countr_zero(left))));
  }

 private:
  void add(std::span<const VertexId> rows) {
    for (const VertexId row : rows) members_[row / 64] |= std::uint64_t{1} << row % 64;
  }

  std::vector<std::uint64_t> members_;
  std::vector<std::uint32_t> before_;  // members below each word
  std::uint32_t size_ = 0;
};

}  // namespace gas
