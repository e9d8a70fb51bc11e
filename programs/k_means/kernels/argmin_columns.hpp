#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gas/program/accumulators.hpp"
#include "gas/program/row.hpp"
#include "programs/k_means/kernels/block_kernel.hpp"

namespace gas {

/// How far points and rows may lie from what they stand for: `share` of their length, and `rest`.
struct Blur {
  double share = 0;
  double rest = 0;

  bool any() const { return share > 0; }
  /// A point of this length, this far from its nearest row, has no other nearest row if all others
  /// are farther by more: point and both rows may each be off, the other row being farther out.
  double margin(double length, double distance) const {
    return 5 * (share * (length + distance) + rest);
  }
};

/// What a point remembers of one argmin_columns for the next: the row it found, and how far any
/// other row of each group is at least.
struct NearBounds {
  static constexpr std::size_t groups = 8;
  static constexpr std::uint32_t most_rows = 0x7fff'ffff;
  std::uint32_t row : 31 = 0;
  std::uint32_t unsure : 1 = 0;  // by the Blur, another row may be the nearest
  std::uint32_t age = 0;         // of the columns that `least` holds for; 0: of none
  std::array<float, groups> least{};
};

/// The NearBounds of consecutive points, within something larger.
class BoundsView {
 public:
  template <class State>
  BoundsView(std::span<State> states, NearBounds State::*member)
      : first_(states.empty() ? nullptr : reinterpret_cast<std::byte*>(&(states[0].*member))),
        stride_(sizeof(State)) {}
  NearBounds& operator[](std::size_t i) const {
    return *reinterpret_cast<NearBounds*>(first_ + i * stride_);
  }

 private:
  std::byte* first_;
  std::size_t stride_;
};

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
  friend void argmin_columns(RowsView<float>, const PackedColumns&, std::span<ArgMin>,
                             std::vector<float>&, BoundsView, const Blur&);
  friend void columns_within(RowsView<float>, const PackedColumns&, std::span<const float>,
                             std::span<std::uint32_t>, std::vector<float>&);
  template <class F>
  void each_point(RowsView<float> points, std::vector<float>& scratch, F visit) const;
  void look_at_all(RowsView<float> points, std::span<ArgMin> nearest, std::vector<float>& scratch,
                   BoundsView bounds, const Blur& blur) const;
  void measure_drift(RowsView<float> rows);
  /// Of any score of a point of this norm.
  double error_of(double norm) const {
    return relative_error_ * (norm * largest_norm_ + largest_norm_ * largest_norm_ / 2) + 1e-36;
  }
  /// Of the score of row k.
  double error_of(std::size_t k, double norm) const {
    return relative_error_ *
               (norm * static_cast<double>(norms_[k]) + static_cast<double>(half_norms_[k])) +
           1e-36;
  }
  struct Decision {
    ArgMin nearest;
    bool unsure = false;
  };
  Decision decide(const float* point, const float* scores, float squared_norm,
                  const Blur& blur) const;
  std::uint32_t nearest_of(const float* point, const float* scores, double norm) const;
  bool has_rival(const float* point, const float* scores, double norm, std::size_t nearest,
                 const Blur& blur) const;
  std::size_t groups() const {
    return panels() < NearBounds::groups ? panels() : NearBounds::groups;
  }
  std::size_t first_panel(std::size_t group) const { return panels() * group / groups(); }
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
  double shift_norm_ = 0;
  std::uint32_t age_ = 0;  // of assign(): one more where the rows moved, two where they are new
  std::array<double, NearBounds::groups> drift_{};  // furthest that a row of the group moved
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

/// The same result, bit for bit, with less work where rows have moved little since the assign()
/// before: a point whose row is nearer than a whole group of rows can be (Yinyang: Ding et al.
/// 2015, groups being neighbours in row order) leaves that group out. bounds[i] belongs to
/// points[i] and is brought up to date, or filled if it is older. Narrow rows are not worth it:
/// there the bounds are neither read nor written. But with a `blur`, bounds[i].unsure is set or
/// cleared for every point.
void argmin_columns(RowsView<float> points, const PackedColumns& columns, std::span<ArgMin> nearest,
                    std::vector<float>& scratch, BoundsView bounds, const Blur& blur = {});

/// Which of 1 to 32 packed rows are near: bit k of within[i] is set if the squared distance of row
/// k and points[i] is below limits[i]. It may also be set if the distance is slightly larger, as
/// the product of points and rows is formed in float. O(N·K·D).
void columns_within(RowsView<float> points, const PackedColumns& columns,
                    std::span<const float> limits, std::span<std::uint32_t> within,
                    std::vector<float>& scratch);

/// Σ (a−b)²: differences in float, squares and sums in double; the same at every instruction level.
double squared_distance(RowView<const float> a, RowView<const float> b);

}  // namespace gas
