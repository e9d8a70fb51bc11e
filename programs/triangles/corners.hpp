#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/program/lists.hpp"

namespace gas {

/// What Triangles gathers: how often each of some rows was counted, and which of other rows are
/// among them.
class Corners {
 public:
  using Element = gas::Counts<gas::VertexId>::Element;

  void add(gas::VertexId row, std::uint64_t count) { counts_.add(row, count); }
  void add(std::span<const Element> more) { counts_.add(more); }
  void clear() {
    for (const Element& element : counts_.elements())
      if (element.item / 64 < marks_.size()) marks_[element.item / 64] = 0;
    counts_.clear();
    marked_ = false;
  }
  std::span<const Element> elements() const { return counts_.elements(); }

  /// Counts a vertex by how many of its `neighbours`, ascending, are `members`, and those members
  /// once each. A member's mark is a bit, so that all fit a fast cache: looking at one costs no
  /// branch.
  void meet(std::span<const gas::VertexId> members, gas::VertexId vertex,
            std::span<const gas::VertexId> neighbours) {
    if (neighbours.empty()) return;
    const std::size_t words = std::max(members.back(), neighbours.back()) / 64 + 1;
    if (words > marks_.size()) marks_.resize(words);
    if (!marked_)
      for (const gas::VertexId member : members) {
        marks_[member / 64] |= std::uint64_t{1} << (member % 64);
        counts_.add(member, 0);
      }
    marked_ = true;
    if (common_.size() < neighbours.size()) common_.resize(neighbours.size());
    gas::VertexId* const common = common_.data();
    const std::uint64_t* const marks = marks_.data();
    std::size_t found = 0;
    for (const gas::VertexId row : neighbours) {
      common[found] = row;
      found += marks[row / 64] >> (row % 64) & 1U;
    }
    for (std::size_t i = 0; i < found; ++i) counts_.add(common[i], 1);
    counts_.add(vertex, found);
  }

 private:
  gas::Counts<gas::VertexId> counts_;
  std::vector<std::uint64_t> marks_;   // a bit per row
  std::vector<gas::VertexId> common_;  // of one neighbour's
  bool marked_ = false;
};

}  // namespace gas
