#pragma once

#include <vector>

#include "gas/engine/store/huge_pages.hpp"
#include "gas/program/row.hpp"

namespace gas {

/// The constant rows of a kind's vertices on this rank (the coordinates of points), by local id,
/// rows padded to row_stride(width).
template <class T>
struct Inputs {
  std::size_t width = 0;
  std::vector<T, UnsetPages<T>> values;

  Inputs() = default;
  /// Numbers and padding are not set.
  Inputs(std::size_t row_width, std::size_t rows)
      : width(row_width), values(rows * row_stride(row_width)) {}
  std::size_t stride() const { return row_stride(width); }
  RowView<T> operator[](std::size_t i) { return {values.data() + i * stride(), width}; }
  RowView<const T> operator[](std::size_t i) const { return {values.data() + i * stride(), width}; }
  RowsView<T> block(std::size_t first, std::size_t count) const {
    return {values.data() + first * stride(), count, width, stride()};
  }
};

/// The parameter side as gather_block sees it: published rows in ascending order of their names;
/// all of them, or, if the data side has running accumulators, those that changed.
template <class T>
struct ParameterBlock {
  RowsView<T> rows;
  std::span<const std::uint32_t> names;
};

}  // namespace gas
