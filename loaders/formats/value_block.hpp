#pragma once

#include <algorithm>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/page_array.hpp"
#include "gas/graph/edge_list.hpp"
#include "loaders/narrow.hpp"

namespace gas::loaders::detail {

/// The values of a block of edges, in order: floats, or doubles if the reader asked for them and a
/// float does not hold each.
class ValueBlock {
 public:
  ValueBlock() = default;
  /// Room for so many.
  ValueBlock(std::size_t capacity, bool wide)
      : narrow_(wide ? 0 : capacity), wide_(wide ? capacity : 0), is_wide_(wide) {}

  std::size_t size() const { return is_wide_ ? wide_.size() : narrow_.size(); }
  bool is_wide() const { return is_wide_; }
  double operator[](std::size_t i) const {
    return is_wide_ ? wide_.view()[i] : static_cast<double>(narrow_.view()[i]);
  }
  /// Without wide values, `value` is one that a float holds.
  void put(std::size_t i, double value) {
    if (is_wide_)
      wide_.data()[i] = value;
    else
      narrow_.data()[i] = static_cast<float>(value);
  }

  /// Drops all but the first; the block is complete then, and becomes floats if they do.
  void cut(std::size_t size) {
    narrow_.cut(is_wide_ ? 0 : size);
    wide_.cut(is_wide_ ? size : 0);
    if (!is_wide_ || !std::all_of(wide_.view().begin(), wide_.view().end(), fits_float)) return;
    narrow_ = PageArray<float>(size);
    std::transform(wide_.view().begin(), wide_.view().end(), narrow_.data(),
                   [](double value) { return static_cast<float>(value); });
    wide_.cut(0);
    is_wide_ = false;
  }
  void widen() {
    if (is_wide_) return;
    wide_ = PageArray<double>(narrow_.size());
    std::copy(narrow_.view().begin(), narrow_.view().end(), wide_.data());
    narrow_.cut(0);
    is_wide_ = true;
  }

  PageArray<float>& narrow() { return narrow_; }
  PageArray<double>& wide() { return wide_; }

 private:
  PageArray<float> narrow_;
  PageArray<double> wide_;
  bool is_wide_ = false;
};

/// Whether the values that get(block) gives are doubles in a block of any rank. Collective.
template <class Block, class Get>
bool any_wide(Communicator& comm, std::vector<Block>& blocks, Get get) {
  const bool mine =
      std::any_of(blocks.begin(), blocks.end(), [&](Block& block) { return get(block).is_wide(); });
  return all_max(comm, mine ? 1 : 0) != 0;
}

/// Puts the values of all blocks behind one another, and uses them up; as doubles if `wide`. Local.
template <class Block, class Get>
void join_values(std::vector<Block>& blocks, Get get, bool wide, EdgeList& edges) {
  if (!wide) {
    edges.value = join<float>(
        blocks, [&](Block & block) -> auto& { return get(block).narrow(); });
    return;
  }
  for (Block& block : blocks) get(block).widen();
  edges.wide_value = join<double>(
      blocks, [&](Block & block) -> auto& { return get(block).wide(); });
}

}  // namespace gas::loaders::detail
