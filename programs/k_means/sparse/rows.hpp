#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "gas/program/row.hpp"
#include "programs/calls/sparse_points.hpp"

namespace gas {

/// Tag of k-means: points of which zeros are not stored; centroids are dense, in doubles.
struct SparseReal {};

namespace detail {

/// What the engine keeps of a point beside its entries, in an input row of floats (of which a cache
/// line is the least).
struct SparseInput {
  std::uint64_t first = 0;  // of its entries
  double factor = 1;        // of its numbers: into the frame, or to length 1
  double squares = 0;       // Σ of its numbers' squares, in the frame, by ascending column
  std::uint32_t count = 0;  // of its entries
  float weight = 1;

  static constexpr std::size_t width = 8;
  static SparseInput in(RowView<const float> row) {
    SparseInput input;
    std::memcpy(static_cast<void*>(&input), row.data(), sizeof input);
    return input;
  }
  void write(RowView<float> row) const { std::memcpy(row.data(), this, sizeof *this); }
};
static_assert(sizeof(SparseInput) == SparseInput::width * sizeof(float));

/// Compressed rows of one rank: where they were given, or moved here.
struct SparseRows {
  std::span<const std::uint64_t> offsets;
  std::span<const VertexId> column;
  std::span<const float> values;
  std::span<const double> wide_values;
  struct {
    std::vector<std::uint64_t> offsets;
    std::vector<VertexId> column;
    std::vector<float> values;
    std::vector<double> wide_values;
  } moved;

  SparseRows() = default;
  explicit SparseRows(const SparsePoints& points)
      : offsets(points.offsets),
        column(points.column),
        values(points.values),
        wide_values(points.wide_values) {}
  SparseRows(const SparseRows&) = delete;  // spans would stay with the other's
  SparseRows& operator=(const SparseRows&) = delete;
  SparseRows(SparseRows&&) = default;
  SparseRows& operator=(SparseRows&&) = default;

  void see_moved() {
    offsets = moved.offsets;
    column = moved.column;
    values = moved.values;
    wide_values = moved.wide_values;
  }

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  double value(std::uint64_t e) const {
    return wide_values.empty() ? static_cast<double>(values[e]) : wide_values[e];
  }
  /// f(column, value) for the entries from `first`.
  template <class F>
  void each(std::uint64_t first, std::uint64_t count, F f) const {
    const VertexId* const at = column.data() + first;
    if (wide_values.empty())
      for (std::uint64_t e = 0; e < count; ++e) f(at[e], static_cast<double>(values[first + e]));
    else
      for (std::uint64_t e = 0; e < count; ++e) f(at[e], wide_values[first + e]);
  }
  template <class F>
  void each_of_row(std::size_t i, F f) const {
    each(offsets[i], offsets[i + 1] - offsets[i], f);
  }
  /// Row i, its numbers times `factor`.
  SparseInput input(std::size_t i, double factor) const {
    return {.first = offsets[i],
            .factor = factor,
            .count = static_cast<std::uint32_t>(offsets[i + 1] - offsets[i])};
  }
  /// The largest magnitude of an entry; 0 without entries.
  double largest() const {
    double largest = 0;
    each(0, column.size(), [&](VertexId, double x) { largest = std::max(largest, std::abs(x)); });
    return largest;
  }
};

}  // namespace detail
}  // namespace gas
