#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/program/accumulators.hpp"
#include "gas/program/row.hpp"
#include "programs/k_means/kernels/block_kernel.hpp"
#include "programs/k_means/sparse/rows.hpp"

namespace gas::detail {

/// Dense rows and their squared lengths; the rows stay where they are given. Local.
struct MeasuredRows {
  RowsView<double> rows;
  std::vector<double> squares;  // Σ by ascending column

  void assign(RowsView<double> given);
  /// Σ (x − row)²; exactly 0 where they are equal. O(entries of x).
  double squared_distance(const SparseRows& from, const SparseInput& x, std::size_t row) const;
};

/// Centroids made ready for sparse points, once per step: in floats too, one number of many
/// centroids after the other, in panels. K rows of D columns take 4·K·D bytes (K in sixteens).
/// Magnitudes are 1 at most.
class SparseColumns {
 public:
  SparseColumns();
  void assign(RowsView<double> rows);
  /// The same at one of block_kernels()' levels.
  void use_kernel(const BlockKernel& kernel) { kernel_ = &kernel; }

  /// nearest[i] = the row nearest to the point that points[i] (SparseInput) tells of, the lower of
  /// equals, and its squared distance. ½‖c‖² − x·c is formed in floats over the entries, panel by
  /// panel for many points; rows that rounding may have put in the wrong order are compared in
  /// doubles. So the result does not depend on the instruction level. O(entries · K).
  void nearest(const SparseRows& from, RowsView<float> points, std::span<ArgMin> nearest,
               std::vector<float>& scratch) const;

 private:
  static constexpr std::size_t most_panel = 4 * panel_columns;
  std::size_t padded() const {
    return (rows_.rows.size() + panel_columns - 1) / panel_columns * panel_columns;
  }
  std::uint32_t decide(const SparseRows& from, const SparseInput& x, const float* scores) const;

  const BlockKernel* kernel_;
  MeasuredRows rows_;
  std::vector<float> panels_;      // of up to most_panel rows each: column after column
  std::vector<float> half_norms_;  // ½‖c‖², infinite beyond the last row
  std::vector<double> norms_;
  double largest_norm_ = 0;
};

}  // namespace gas::detail
