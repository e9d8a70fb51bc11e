#include "programs/k_means/kernels/argmin_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gas {
namespace {

constexpr std::size_t block_scores = std::size_t{1} << 15U;  // floats of a block's scores, about

/// Points per block: whole tiles, few enough for the scores to stay in the cache.
std::size_t block_points(std::size_t tile, std::size_t columns) {
  return std::clamp<std::size_t>(block_scores / columns / tile, 2, 8) * tile;
}

/// Σ (x−c)² in double, always in the same order.
double exact_distance(const float* x, const float* c, std::size_t width) {
  double sums[4] = {};
  for (std::size_t i = 0; i < width; ++i) {
    const double difference = static_cast<double>(x[i]) - static_cast<double>(c[i]);
    sums[i % 4] += difference * difference;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

BlockKernels supported_kernels() {
  BlockKernels kernels{};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) kernels.levels[kernels.count++] = &avx512_block_kernel;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kernels.levels[kernels.count++] = &avx2_block_kernel;
#endif
  kernels.levels[kernels.count++] = &portable_block_kernel;
  return kernels;
}

}  // namespace

const BlockKernels& block_kernels() {
  static const BlockKernels kernels = supported_kernels();
  return kernels;
}

PackedColumns::PackedColumns() : kernel_(block_kernels().levels[0]) {}

/// How far each group moved since the last assign(), at most.
void PackedColumns::measure_drift(RowsView<float> rows) {
  drift_.fill(0);
  ++age_;
  if (rows.size() != count_ || rows.width != width_ || age_ == 1) {
    ++age_;
    return;
  }
  for (std::size_t g = 0; g < groups(); ++g)
    for (std::size_t k = first_panel(g) * panel_columns;
         k < std::min(count_, first_panel(g + 1) * panel_columns); ++k)
      drift_[g] =
          std::max(drift_[g],
                   std::sqrt(exact_distance(rows[k].data(), (*this)[k].data(), width_)) * 1.000001);
}

void PackedColumns::assign(RowsView<float> rows) {
  measure_drift(rows);
  count_ = rows.size();
  width_ = rows.width;
  const std::size_t stride = row_stride(width_);
  rows_.assign(count_ * stride, 0);
  std::vector<double> sums(width_);
  for (std::size_t k = 0; k < count_; ++k)
    for (std::size_t i = 0; i < width_; ++i) {
      rows_[k * stride + i] = rows[k][i];
      sums[i] += static_cast<double>(rows[k][i]);
    }
  shift_.assign(stride, 0);
  for (std::size_t i = 0; i < width_; ++i)
    shift_[i] = static_cast<float>(sums[i] / static_cast<double>(count_));

  const std::size_t columns = panels() * panel_columns;
  panels_.assign(columns * width_, 0);
  half_norms_.assign(columns, std::numeric_limits<float>::infinity());
  norms_.assign(columns, 0);
  largest_norm_ = 0;
  shift_norm_ = 0;
  for (const float x : shift_) shift_norm_ += static_cast<double>(x) * static_cast<double>(x);
  shift_norm_ = std::sqrt(shift_norm_);
  for (std::size_t k = 0; k < count_; ++k) {
    double norm = 0;
    float* panel = panels_.data() + k / panel_columns * panel_columns * width_ + k % panel_columns;
    for (std::size_t i = 0; i < width_; ++i) {
      const float centred = rows_[k * stride + i] - shift_[i];
      panel[i * panel_columns] = centred;
      norm += static_cast<double>(centred) * static_cast<double>(centred);
    }
    half_norms_[k] = static_cast<float>(norm / 2);
    norms_[k] = static_cast<float>(std::sqrt(norm));
    largest_norm_ = std::max(largest_norm_, static_cast<double>(norms_[k]));
  }
  // Each term of a product is rounded once or twice by 2^-24 (the centred coordinates once each
  // before), then with every sum it passes through: those of its chunk, then those of the chunks.
  const std::size_t chunks = (width_ + depth_chunk - 1) / depth_chunk;
  const std::size_t roundings = std::min(width_, depth_chunk) + 2 * chunks + 12;
  relative_error_ = static_cast<double>(roundings) * 0x1.0p-24;
}

/// Exact comparison of all rows whose score may be the least, within its error.
std::uint32_t PackedColumns::nearest_of(const float* point, const float* scores,
                                        double norm) const {
  double limit = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < count_; ++k)
    limit = std::min(limit, static_cast<double>(scores[k]) + error_of(k, norm));
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < count_; ++k) {
    if (static_cast<double>(scores[k]) - error_of(k, norm) > limit) continue;
    const double distance = exact_distance(point, (*this)[k].data(), width_);
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return static_cast<std::uint32_t>(best);
}

/// Whether, by the blur, another row than the nearest may be it.
bool PackedColumns::has_rival(const float* point, const float* scores, double norm,
                              std::size_t nearest, const Blur& blur) const {
  double length = 0;
  for (std::size_t i = 0; i < width_; ++i)
    length += static_cast<double>(point[i]) * static_cast<double>(point[i]);
  const double own = std::sqrt(exact_distance(point, (*this)[nearest].data(), width_));
  const double margin = blur.margin(std::sqrt(length), own), reach = own + margin;
  const double limit =
      static_cast<double>(scores[nearest]) + error_of(nearest, norm) + margin * (own + margin / 2);
  for (std::size_t k = 0; k < count_; ++k) {
    if (k == nearest || static_cast<double>(scores[k]) - error_of(k, norm) > limit) continue;
    if (exact_distance(point, (*this)[k].data(), width_) <= reach * reach) return true;
  }
  return false;
}

/// The nearest row by the scores of all, infinite where a row is known to be further away, and
/// beyond the blur.
PackedColumns::Decision PackedColumns::decide(const float* point, const float* scores,
                                              float squared_norm, const Blur& blur) const {
  const std::size_t padded = panels() * panel_columns;
  const double norm = std::sqrt(static_cast<double>(squared_norm)) * 1.0001;
  const float least = kernel_->least(scores, padded);
  const double farthest = norm + largest_norm_;  // that the nearest row can be
  const double margin = blur.margin(norm + shift_norm_, farthest);
  const auto limit = static_cast<float>(static_cast<double>(least) + 2 * error_of(norm) +
                                        margin * (farthest + margin / 2)) +
                     std::abs(least) * 0x1.0p-22F;
  const BlockKernel::Matches near = kernel_->not_above(scores, padded, limit);
  Decision found;
  found.nearest.row = near.count == 1 ? static_cast<std::uint32_t>(near.index_sum)
                                      : nearest_of(point, scores, norm);
  found.nearest.value = static_cast<float>(
      kernel_->squared_distance(point, (*this)[found.nearest.row].data(), width_));
  found.unsure =
      blur.any() && near.count != 1 && has_rival(point, scores, norm, found.nearest.row, blur);
  return found;
}

/// visit(i, scores, squared_norm) for each point, seen from the rows' mean.
template <class F>
void PackedColumns::each_point(RowsView<float> points, std::vector<float>& scratch, F visit) const {
  const std::size_t padded = panels() * panel_columns;
  const std::size_t block = block_points(kernel_->tile_points, padded);
  const std::size_t panel_stride = panel_columns * width_;
  scratch.resize(block * (tile_stride + padded + 1) + 48);
  // Vectors start cache lines apart from the beginning of the memory, wherever that is.
  float* const scores = scratch.data();
  float* const tile = scores + block * padded;
  float* const norms = tile + block * tile_stride;

  for (std::size_t first = 0; first < points.size(); first += block) {
    const std::size_t count = std::min(block, points.size() - first);
    const std::size_t tiles = (count + kernel_->tile_points - 1) / kernel_->tile_points;
    const std::size_t whole = tiles * kernel_->tile_points;
    std::fill_n(norms, block, 0.0F);
    if (whole > count) std::fill_n(tile + count * tile_stride, (whole - count) * tile_stride, 0.0F);
    for (std::size_t d = 0; d < width_; d += depth_chunk) {
      const std::size_t depth = std::min(depth_chunk, width_ - d);
      kernel_->shift(points[first].data() + d, points.stride, shift_.data() + d, count, depth, tile,
                     norms);
      kernel_->subtract_products(tile, whole, panels_.data() + d * panel_columns, panel_stride,
                                 panels(), depth, d == 0 ? half_norms_.data() : nullptr, scores,
                                 padded);
    }
    for (std::size_t i = 0; i < count; ++i) visit(first + i, scores + i * padded, norms[i]);
  }
}

/// argmin_columns without bounds, but for `unsure`.
void PackedColumns::look_at_all(RowsView<float> points, std::span<ArgMin> nearest,
                                std::vector<float>& scratch, BoundsView bounds,
                                const Blur& blur) const {
  if (count_ == 0) return;
  each_point(points, scratch, [&](std::size_t i, const float* scores, float squared_norm) {
    const Decision found = decide(points[i].data(), scores, squared_norm, blur);
    nearest[i] = found.nearest;
    bounds[i].unsure = found.unsure ? 1 : 0;
  });
}

void argmin_columns(RowsView<float> points, const PackedColumns& columns, std::span<ArgMin> nearest,
                    std::vector<float>& scratch) {
  if (columns.size() == 0) return;
  columns.each_point(points, scratch, [&](std::size_t i, const float* scores, float squared_norm) {
    nearest[i] = columns.decide(points[i].data(), scores, squared_norm, {}).nearest;
  });
}

void columns_within(RowsView<float> points, const PackedColumns& columns,
                    std::span<const float> limits, std::span<std::uint32_t> within,
                    std::vector<float>& scratch) {
  columns.each_point(points, scratch, [&](std::size_t i, const float* scores, float squared_norm) {
    // ‖x − c‖² = ‖x‖² + 2·score, each within its error.
    const auto square = static_cast<double>(squared_norm);
    const double error =
        columns.error_of(std::sqrt(square) * 1.0001) + square * (columns.relative_error_ + 0.5e-6);
    const double limit = (static_cast<double>(limits[i]) - square) / 2 + error;
    const auto rounded = static_cast<float>(limit + std::abs(limit) * 0x1.0p-22);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < columns.count_; ++k)
      bits |= static_cast<std::uint32_t>(scores[k] <= rounded) << k;
    within[i] = bits;
  });
}

double squared_distance(RowView<const float> a, RowView<const float> b) {
  return block_kernels().levels[0]->squared_distance(a.data(), b.data(), a.size());
}

}  // namespace gas
