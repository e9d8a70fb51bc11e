#include "programs/k_means/large/mini_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/rank_sums.hpp"
#include "gas/program/accumulators.hpp"
#include "programs/k_means/place_sparse.hpp"

namespace gas {
namespace {

/// each_of_row: f(d, x_d) for the numbers of row i that may not be 0. unit_factor: what gives it
/// length 1.
template <class T>
class RowsOf {
 public:
  explicit RowsOf(const T& points) : points_(points) {}
  template <class F>
  void each_of_row(std::size_t i, F f) const {
    const auto numbers = row(i);
    for (std::size_t d = 0; d < numbers.size(); ++d) f(d, static_cast<double>(numbers[d]));
  }
  double unit_factor(std::size_t i) const { return detail::to_unit_length(row(i)); }

 private:
  auto row(std::size_t i) const {
    return points_.values.subspan(i * points_.columns, points_.columns);
  }

  const T& points_;
};
template <>
class RowsOf<SparsePoints> {
 public:
  explicit RowsOf(const SparsePoints& points) : rows_(points) {}
  template <class F>
  void each_of_row(std::size_t i, F f) const {
    rows_.each_of_row(i, [&](VertexId d, double x) { f(std::size_t{d}, x); });
  }
  double unit_factor(std::size_t i) const { return detail::to_unit_length(rows_, i); }

 private:
  detail::SparseRows rows_;
};

/// Sums by cluster of a batch's weighted points, or of their directions, and of their weights: the
/// same on any ranks. In fixed point, of a unit for each cluster and column, as one point or column
/// may be far beyond the others.
class BatchSums {
 public:
  template <class Given>
  BatchSums(const Context& context, const Given& points, bool directions, std::uint64_t k,
            std::uint64_t columns, const std::vector<std::int32_t>& labels,
            const std::vector<double>& weights)
      : columns_(columns), exponents_(k * (columns + 1)), sums_(k * (columns + 1)) {
    Communicator& comm = context.transport();
    const RowsOf<Given> rows(points);
    const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
    std::vector<double> units(directions ? labels.size() : 0);
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = rows.unit_factor(i);
    const std::uint64_t count = all_sum(comm, std::uint64_t{labels.size()});
    scale_ = RunningRowSum::scale_for(1, count) / 4;  // in units, up to 4

    // Each task has some of the clusters: none waits for another.
    const std::size_t tasks = std::min<std::size_t>(k, context.threads());
    const auto for_each = [&](auto visit) {  // visit(where, number); a weight is the last column
      context.executor().run(
          tasks,
          [&](std::size_t task, std::size_t) {
            for (std::size_t i = 0; i < labels.size(); ++i) {
              const auto c = static_cast<std::size_t>(labels[i]);
              if (c % tasks != task) continue;
              const std::size_t first = place(c, 0);
              const double factor = weight(i) * (directions ? units[i] : 1);
              rows.each_of_row(i, [&](std::size_t d, double x) { visit(first + d, x * factor); });
              visit(first + columns, weight(i));
            }
          },
          [] {});
    };
    for_each([&](std::size_t at, double number) {
      exponents_[at] = std::max(exponents_[at], exponent_of(number));
    });
    if (comm.size() > 1)
      for (const auto rank : all_gather(comm, std::span<const std::uint16_t>(exponents_)))
        std::ranges::transform(rank, exponents_, exponents_.begin(), std::ranges::max);
    for_each([&](std::size_t at, double number) {
      sums_[at] += static_cast<std::int64_t>(number * in_units(exponents_[at]) * scale_);
    });
    add_ranks(comm, sums_);
  }

  /// Of a cluster's points.
  double weight(std::size_t c) const { return sum(c, columns_); }
  double sum(std::size_t c, std::size_t d) const {
    const std::size_t at = place(c, d);
    return std::ldexp(static_cast<double>(sums_[at]) / scale_, exponents_[at] - bias);
  }

 private:
  static constexpr int mantissa = 52, bias = 1023, most = 2 * bias - 1;  // of a double
  /// As a double has it, but for the largest one, whose inverse is no normal number.
  static std::uint16_t exponent_of(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(x)) >> mantissa;
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(bits, most));
  }
  /// How many units of this exponent 1 is.
  static double in_units(std::uint16_t exponent) {
    return std::bit_cast<double>((std::uint64_t{2U * bias} - exponent) << mantissa);
  }
  std::size_t place(std::size_t c, std::size_t d) const { return c * (columns_ + 1) + d; }

  std::uint64_t columns_;
  std::vector<std::uint16_t> exponents_;  // of a unit, by cluster and column
  std::vector<std::int64_t> sums_;
  double scale_ = 1;
};

template <class Given>
void check_made(const Context& context, const KMeansOfBatches& made, const Given& points,
                std::uint64_t k, KMeansMetric metric) {
  together(context.transport(), [&] {
    if (made.model.k() != k || made.weights.size() != k)
      throw UsageError(fmt::format(
          "found a model of {} centroids from the batches before, expected {}", made.model.k(), k));
    const bool cosine = metric == KMeansMetric::cosine;
    if (made.model.metric != metric || made.lengths.size() != (cosine ? k : 0))
      throw UsageError(
          fmt::format("found a model from the batches before by another metric, expected one by {}",
                      cosine ? "cosine" : "Euclidean distances"));
  });
  const PointShares shares = check_points(context.transport(), context.executor(), points);
  together(context.transport(), [&] {
    if (shares.rows() > 0 && shares.columns != made.model.columns)
      throw located_error(std::string(points.name), 0, 0,
                          fmt::format("rows of {} numbers", shares.columns),
                          fmt::format("{}, as those of the batches before", made.model.columns));
  });
}

/// Makes a mean of directions one, and tells its length; false, and it stays, if that is 0.
bool take_direction(std::vector<double>& mean, double& length) {
  length = std::sqrt(std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0));
  if (length == 0) return false;
  for (double& x : mean) x /= length;
  return true;
}

template <class Given>
BatchFound add(const Context& context, KMeansOfBatches& made, const Given& points, std::uint64_t k,
               const KMeansOptions& given) {
  KMeansOptions options;
  options.metric = given.metric;
  options.weights = given.weights;
  options.run.interrupted = given.run.interrupted;
  options.run.iterations = 0;
  if (made.model.centroids.empty()) {
    options.start = given.start;
    if (given.start.empty()) {
      options.seed = given.seed;
      options.init = given.init;
      options.tolerance = given.tolerance;
      options.run.iterations = given.run.iterations;
    }
  } else {
    check_made(context, made, points, k, given.metric);
    options.start = made.model.centroids;
  }
  KMeansResult found = k_means(context, points, k, options);
  const bool directions = given.metric == KMeansMetric::cosine;
  const std::uint64_t columns = found.model.columns;
  if (made.model.centroids.empty()) {
    made.model = std::move(found.model);
    made.weights.assign(k, 0);
    if (directions) made.lengths.assign(k, 1);
  }
  made.wide = made.wide || found.wide;
  ++made.batches;
  const BatchSums sums(context, points, directions, k, columns, found.labels, options.weights);
  std::vector<double> mean(columns);
  for (std::size_t c = 0; c < k; ++c) {
    const double weight = sums.weight(c);
    if (weight == 0) continue;
    made.weights[c] += weight;
    const std::span centroid = std::span(made.model.centroids).subspan(c * columns, columns);
    for (std::size_t d = 0; d < columns; ++d) {
      const double before = directions ? centroid[d] * made.lengths[c] : centroid[d];
      mean[d] = before + (sums.sum(c, d) - weight * before) / made.weights[c];
    }
    if (directions && !take_direction(mean, made.lengths[c])) continue;
    std::ranges::copy(mean, centroid.begin());
  }
  return {std::move(found.labels), found.objective, found.outcome.interrupted};
}

}  // namespace

#define GAS_GIVEN(Given)                                                                   \
  BatchFound add_batch(const Context& context, KMeansOfBatches& made, const Given& points, \
                       std::uint64_t k, const KMeansOptions& options) {                    \
    return add(context, made, points, k, options);                                         \
  }
GAS_GIVEN(Points<float>)
GAS_GIVEN(Points<double>)
GAS_GIVEN(SparsePoints)
#undef GAS_GIVEN

}  // namespace gas
