#include "programs/k_means/sparse/nearest_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gas::detail {
namespace {

// Points whose scores are kept at a time: as many as share a panel in the cache.
constexpr std::size_t most_points = 256, most_scores = std::size_t{1} << 17;

/// Of any score, × (‖x‖ ‖c‖ + ½‖c‖²): numbers are rounded to floats, summed up depth_chunk at a
/// time, and the sums added up.
double relative_error(std::uint32_t entries) {
  const auto chunk = static_cast<double>(depth_chunk);
  const auto count = static_cast<double>(entries);
  return (std::min(count, chunk) + count / chunk + 8) * 0x1p-24;
}

}  // namespace

void MeasuredRows::assign(RowsView<double> given) {
  rows = given;
  squares.assign(given.size(), 0);
  for (std::size_t k = 0; k < given.size(); ++k)
    for (const double c : given[k]) squares[k] += c * c;
}

double MeasuredRows::squared_distance(const SparseRows& from, const SparseInput& x,
                                      std::size_t row) const {
  const RowView<const double> c = rows[row];
  double apart = 0, met = 0;
  from.each(x.first, x.count, [&](VertexId d, double value) {
    const double away = value * x.factor - c[d];
    apart += away * away;
    met += c[d] * c[d];
  });
  return std::max(0.0, apart + (squares[row] - met));
}

SparseColumns::SparseColumns() : kernel_(block_kernels().levels[0]) {}

void SparseColumns::assign(RowsView<double> rows) {
  rows_.assign(rows);
  const std::size_t count = rows.size(), width = rows.width;
  half_norms_.assign(padded(), std::numeric_limits<float>::infinity());
  norms_.resize(count);
  largest_norm_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    half_norms_[k] = static_cast<float>(rows_.squares[k] / 2);
    norms_[k] = std::sqrt(rows_.squares[k]);
    largest_norm_ = std::max(largest_norm_, norms_[k]);
  }
  panels_.resize(padded() * width);
  constexpr std::size_t tile = 16;  // of columns: a few lines of the panel at a time
  for (std::size_t first = 0; first < padded(); first += most_panel) {
    const std::size_t size = std::min(most_panel, padded() - first);
    const std::size_t some = std::min(size, count - first);
    float* const panel = panels_.data() + first * width;
    for (std::size_t from = 0; from < width; from += tile)
      for (std::size_t k = 0; k < some; ++k) {
        const double* const row = rows[first + k].data();
        for (std::size_t d = from; d < std::min(width, from + tile); ++d)
          panel[d * size + k] = static_cast<float>(row[d]);
      }
  }
}

void SparseColumns::nearest(const SparseRows& from, RowsView<float> points,
                            std::span<ArgMin> nearest, std::vector<float>& scratch) const {
  const std::size_t stride = padded(), width = rows_.rows.width;
  const std::size_t tile = std::clamp<std::size_t>(most_scores / stride, 1, most_points);
  for (std::size_t begin = 0; begin < points.size(); begin += tile) {
    const std::size_t count = std::min(tile, points.size() - begin);
    std::size_t entries = 0;
    for (std::size_t i = 0; i < count; ++i) entries += SparseInput::in(points[begin + i]).count;
    if (scratch.size() < count * stride + entries) scratch.resize(count * stride + entries);
    float* const values = scratch.data() + count * stride;
    float* to = values;
    for (std::size_t i = 0; i < count; ++i) {
      const SparseInput x = SparseInput::in(points[begin + i]);
      from.each(x.first, x.count,
                [&](VertexId, double value) { *to++ = static_cast<float>(value * x.factor); });
      std::ranges::copy(half_norms_, scratch.data() + i * stride);
    }
    for (std::size_t first = 0; first < stride; first += most_panel) {
      const std::size_t size = std::min(most_panel, stride - first);
      const float* const panel = panels_.data() + first * width;
      const float* at = values;
      for (std::size_t i = 0; i < count; ++i) {
        const SparseInput x = SparseInput::in(points[begin + i]);
        kernel_->subtract_entries(at, from.column.data() + x.first, x.count, panel, size,
                                  scratch.data() + i * stride + first);
        at += x.count;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const SparseInput x = SparseInput::in(points[begin + i]);
      const std::uint32_t row = decide(from, x, scratch.data() + i * stride);
      nearest[begin + i] = {static_cast<float>(rows_.squared_distance(from, x, row)), row};
    }
  }
}

std::uint32_t SparseColumns::decide(const SparseRows& from, const SparseInput& x,
                                    const float* scores) const {
  const double relative = relative_error(x.count), norm = std::sqrt(x.squares);
  const auto error = [&](double of) { return relative * (norm * of + of * of / 2) + 1e-36; };
  const double least = static_cast<double>(kernel_->least(scores, padded()));
  const float limit = std::nextafter(static_cast<float>(least + 2 * error(largest_norm_)),
                                     std::numeric_limits<float>::infinity());
  const BlockKernel::Matches near = kernel_->not_above(scores, padded(), limit);
  if (near.count == 1) return static_cast<std::uint32_t>(near.index_sum);
  double highest = std::numeric_limits<double>::infinity();  // that the least can truly be
  for (std::size_t k = 0; k < norms_.size(); ++k)
    if (!(scores[k] > limit))
      highest = std::min(highest, static_cast<double>(scores[k]) + error(norms_[k]));
  double lowest = std::numeric_limits<double>::infinity();
  std::uint32_t row = 0;
  for (std::size_t k = 0; k < norms_.size(); ++k) {
    if (scores[k] > limit || static_cast<double>(scores[k]) - error(norms_[k]) > highest) continue;
    const double apart = rows_.squared_distance(from, x, k);
    if (apart < lowest) {
      lowest = apart;
      row = static_cast<std::uint32_t>(k);
    }
  }
  return row;
}

}  // namespace gas::detail
