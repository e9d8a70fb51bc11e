// argmin_columns with bounds that points keep from step to step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "programs/k_means/kernels/argmin_columns.hpp"

namespace gas {
namespace {

constexpr std::size_t least_width = 128;  // of rows: below, a product costs no more than its bounds
constexpr std::size_t slice = 256;        // points looked at together
constexpr std::size_t block = 96;         // points multiplied together: whole tiles at any level
constexpr float infinite = std::numeric_limits<float>::infinity();

struct Members {
  std::size_t count = 0;
  std::uint8_t places[block];
};

}  // namespace

void argmin_columns(RowsView<float> points, const PackedColumns& columns, std::span<ArgMin> nearest,
                    std::vector<float>& scratch, BoundsView bounds, const Blur& blur) {
  if (columns.width() < least_width || columns.size() == 0) {
    if (!blur.any()) return argmin_columns(points, columns, nearest, scratch);
    return columns.look_at_all(points, nearest, scratch, bounds, blur);
  }
  const BlockKernel& kernel = *columns.kernel_;
  const std::size_t padded = columns.panels() * panel_columns;
  const std::size_t panel_stride = panel_columns * columns.width_;
  const std::size_t groups = columns.groups();
  std::size_t starts[NearBounds::groups + 1];
  for (std::size_t g = 0; g <= groups; ++g) starts[g] = columns.first_panel(g);
  scratch.resize(block * (2 * tile_stride + padded + 1) + padded + 48);
  float* const scores = scratch.data();  // group after group, the rows of its members
  float* const tile = scores + block * padded;
  float* const part = tile + block * tile_stride;
  float* const norms = part + block * tile_stride;
  float* const row = norms + block;

  /// The groups that may hold a nearer row than the point's own, with its own; 0: none.
  const auto open_groups = [&](std::size_t i) -> unsigned {
    NearBounds& bound = bounds[i];
    const bool known = bound.age + 1 == columns.age_;
    bound.age = columns.age_;
    if (!known) return (1U << groups) - 1;
    const double square =
        kernel.squared_distance(points[i].data(), columns[bound.row].data(), columns.width_);
    nearest[i] = {static_cast<float>(square), bound.row};
    const double own = std::sqrt(square) * 1.000001;
    const double length =
        columns.shift_norm_ + static_cast<double>(columns.norms_[bound.row]) + own;
    const double reach = own + blur.margin(length, own);
    bound.unsure = 0;
    unsigned open = 0, home = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const double left =
          (static_cast<double>(bound.least[g]) - columns.drift_[g]) * 0.999999 - 1e-30;
      bound.least[g] = static_cast<float>(left);
      if (!(left > reach)) open |= 1U << g;
      if (bound.row / panel_columns >= starts[g]) home = 1U << g;
    }
    return open == 0 ? 0 : open | home;
  };

  std::size_t active[slice];
  unsigned open[slice];
  const auto multiply = [&](const std::size_t* rows, const unsigned* wanted, std::size_t count) {
    Members members[NearBounds::groups];
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t g = 0; g < groups; ++g)
        if ((wanted[r] >> g & 1U) != 0)
          members[g].places[members[g].count++] = static_cast<std::uint8_t>(r);
    std::fill_n(norms, block, 0.0F);
    for (std::size_t d = 0; d < columns.width_; d += depth_chunk) {
      const std::size_t depth = std::min(depth_chunk, columns.width_ - d);
      for (std::size_t r = 0; r < count; ++r)
        kernel.shift(points[rows[r]].data() + d, points.stride, columns.shift_.data() + d, 1, depth,
                     tile + r * tile_stride, norms + r);
      for (std::size_t g = 0; g < groups; ++g) {
        const Members& in = members[g];
        if (in.count == 0) continue;
        if (in.count < count)
          for (std::size_t m = 0; m < in.count; ++m)
            std::copy_n(tile + in.places[m] * tile_stride, depth, part + m * tile_stride);
        const std::size_t whole =
            (in.count + kernel.tile_points - 1) / kernel.tile_points * kernel.tile_points;
        const std::size_t column = starts[g] * panel_columns;
        kernel.subtract_products(
            in.count < count ? part : tile, whole,
            columns.panels_.data() + starts[g] * panel_stride + d * panel_columns, panel_stride,
            starts[g + 1] - starts[g], depth,
            d == 0 ? columns.half_norms_.data() + column : nullptr, scores + column * block,
            (starts[g + 1] - starts[g]) * panel_columns);
      }
    }
    std::size_t at[NearBounds::groups] = {};
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t column = starts[g] * panel_columns;
        const std::size_t width = starts[g + 1] * panel_columns - column;
        if ((wanted[r] >> g & 1U) != 0)
          std::copy_n(scores + column * block + at[g]++ * width, width, row + column);
        else
          std::fill_n(row + column, width, infinite);
      }
      const std::size_t i = rows[r];
      const auto found = columns.decide(points[i].data(), row, norms[r], blur);
      nearest[i] = found.nearest;
      NearBounds& bound = bounds[i];
      bound.row = nearest[i].row & NearBounds::most_rows;
      bound.unsure = found.unsure ? 1 : 0;
      row[bound.row] = infinite;
      const auto square = static_cast<double>(norms[r]);
      const double error = columns.error_of(std::sqrt(square) * 1.0001);
      for (std::size_t g = 0; g < groups; ++g) {
        if ((wanted[r] >> g & 1U) == 0) continue;
        const auto least = static_cast<double>(kernel.least(
            row + starts[g] * panel_columns, (starts[g + 1] - starts[g]) * panel_columns));
        const double distance =
            2 * (least - error) + square * (1 - 2 * columns.relative_error_ - 1e-6);
        bound.least[g] = static_cast<float>(std::sqrt(std::max(distance, 0.0)) * 0.999999);
      }
    }
  };

  for (std::size_t first = 0; first < points.size(); first += slice) {
    std::size_t count = 0;
    for (std::size_t i = first; i < std::min(first + slice, points.size()); ++i)
      if (const unsigned groups_of = open_groups(i); groups_of != 0) {
        active[count] = i;
        open[count++] = groups_of;
      }
    for (std::size_t r = 0; r < count; r += block)
      multiply(active + r, open + r, std::min(block, count - r));
  }
}

}  // namespace gas
