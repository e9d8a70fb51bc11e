#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gas/program/block_kernel.hpp"
#include "gas/program/row.hpp"
#include "gas/program/totals.hpp"

namespace gas {

/// The parameters of a dense block gather, made ready once per step: rows as columns in panels,
/// seen from their mean, so that data far from the origin lose nothing, with what their rounding
/// errors can be. K rows of D dimensions take about 2·K·D floats. Finite values of magnitude up to
/// 2^60.
class PackedColumns {
 public:
  PackedColumns();
  void assign(RowsView<float> rows);
  /// The same at one of block_kernels()' levels.
  void use_kernel(const BlockKernel& kernel) { kernel_ = &kernel; }

  std::size_t size() const { return count_; }
  std::size_t width() const { return width_; }
  RowView<const float> operator[](std::size_t k) const {
    return {rows_.data() + k * row_stride(width_), width_};
  }

 private:
  friend void argmin_columns(RowsView<float>, const PackedColumns&, std::span<ArgMin>,
                             std::vector<float>&);
  std::uint32_t nearest_of(const float* point, const float* scores, double norm) const;
  std::size_t panels() const { return (count_ + panel_columns - 1) / panel_columns; }

  const BlockKernel* kernel_;
  std::size_t count_ = 0;
  std::size_t width_ = 0;
  std::vector<float> rows_;        // as given, padded
  std::vector<float> shift_;       // the rows' mean, padded
  std::vector<float> panels_;      // rows − shift, transposed
  std::vector<float> half_norms_;  // ½‖row − shift‖², infinite beyond the last row
  std::vector<float> norms_;       // ‖row − shift‖
  double relative_error_ = 0;      // of a score: × (‖x‖ ‖c‖ + ½‖c‖²), a true bound
  double largest_norm_ = 0;
};

/// nearest[i] = the packed row nearest to points[i], and its squared distance. The product of
/// points and rows is formed in float, in blocks that stay in the cache; where it cannot tell two
/// rows apart the distances are compared in double, and equal ones go to the lower row. So the row
/// is the right one to 2^-50 of the distance, and the result depends neither on the other points of
/// the call, nor on threads, nor on the instruction level. The squared distance is formed directly
/// from the point and the row (relative error < 3e-7). O(N·K·D); `scratch` is grown once and
/// reused.
void argmin_columns(RowsView<float> points, const PackedColumns& columns, std::span<ArgMin> nearest,
                    std::vector<float>& scratch);

/// Σ (a−b)²: differences in float, squares and sums in double; the same at every instruction level.
double squared_distance(RowView<const float> a, RowView<const float> b);

}  // namespace gas
