#include "programs/k_means/selection/silhouette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "gas/base/error.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/starts.hpp"
#include "programs/k_means/weights.hpp"

namespace gas {
namespace {

/// The sample, by row of all points, alike on all ranks.
struct Sample {
  std::size_t width = 0;
  std::vector<double> values;  // of length 1, or in units of a power of 2
  std::vector<std::int32_t> labels;
  std::vector<double> weights;

  const double* row(std::size_t i) const { return values.data() + i * width; }
};

void check_labels(Communicator& comm, std::span<const std::int32_t> labels, std::uint64_t rows,
                  std::uint64_t k) {
  together(comm, [&] {
    if (labels.size() != rows)
      throw located_error("the labels", 0, 0, fmt::format("{} numbers", labels.size()),
                          fmt::format("one for each of {} points", rows));
    const auto bad = std::ranges::find_if(labels, [&](std::int32_t label) {
      return label < 0 || static_cast<std::uint64_t>(label) >= k;
    });
    if (bad != labels.end())
      throw located_error("the labels", 0, 0, std::to_string(*bad), fmt::format("0 to {}", k - 1));
  });
}

template <class T>
Sample draw(Communicator& comm, const Points<T>& points, const PointShares& shares,
            std::span<const std::int32_t> labels, std::span<const double> weights,
            std::uint64_t most, std::uint64_t seed, bool cosine) {
  const std::size_t width = shares.columns;
  const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
  std::vector<std::size_t> mine;  // this rank's rows of the sample
  if (most < shares.rows()) {
    for (const VertexId row : detail::random_rows(shares.rows(), most, seed))
      if (row >= first && row - first < points.rows()) mine.push_back(row - first);
    std::ranges::sort(mine);
  } else {
    mine.resize(points.rows());
    std::iota(mine.begin(), mine.end(), std::size_t{0});
  }
  std::vector<T> values;
  std::vector<std::int32_t> names;
  std::vector<double> weight;
  for (const std::size_t i : mine) {
    const auto row = points.values.subspan(i * width, width);
    values.insert(values.end(), row.begin(), row.end());
    names.push_back(labels[i]);
    weight.push_back(weights.empty() ? 1 : weights[i]);
  }
  std::vector<double> factors(mine.size(), 1);
  if (cosine)
    factors =
        detail::unit_factors(comm, std::span<const T>(values), width, std::string(points.name),
                             [&](std::size_t i) { return first + mine[i]; });
  double largest = 0;
  for (const T x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  largest = all_max(comm, largest);
  const int exponent = largest > 0 && !cosine ? std::max(std::ilogb(largest) + 1, -1000) : 0;
  std::vector<double> scaled;
  for (std::size_t i = 0; i < values.size(); ++i)
    scaled.push_back(std::ldexp(static_cast<double>(values[i]) * factors[i / width], -exponent));
  Sample sample{width, {}, {}, {}};
  for (const auto block : all_gather(comm, std::span<const double>(scaled)))
    sample.values.insert(sample.values.end(), block.begin(), block.end());
  for (const auto block : all_gather(comm, std::span<const std::int32_t>(names)))
    sample.labels.insert(sample.labels.end(), block.begin(), block.end());
  for (const auto block : all_gather(comm, std::span<const double>(weight)))
    sample.weights.insert(sample.weights.end(), block.begin(), block.end());
  return sample;
}

/// Of point i; `clusters` have these weights, `sums` has room for k.
double silhouette_of(const Sample& sample, std::size_t i, const std::vector<double>& clusters,
                     bool cosine, std::vector<double>& sums) {
  const auto own = static_cast<std::size_t>(sample.labels[i]);
  const double others = clusters[own] - sample.weights[i];
  if (!(others > 0)) return 0;
  std::ranges::fill(sums, 0.0);
  for (std::size_t j = 0; j < sample.labels.size(); ++j) {
    const double squares = detail::squared_distance(sample.row(i), sample.row(j), sample.width);
    sums[static_cast<std::size_t>(sample.labels[j])] +=
        sample.weights[j] * (cosine ? squares / 2 : std::sqrt(squares));
  }
  const double a = sums[own] / others;
  double b = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (c != own && clusters[c] > 0) b = std::min(b, sums[c] / clusters[c]);
  return std::max(a, b) > 0 ? (b - a) / std::max(a, b) : 0;
}

template <class T>
std::optional<Silhouette> measure(const Context& context, const Points<T>& points,
                                  std::span<const std::int32_t> labels, std::uint64_t k,
                                  std::uint64_t most, std::uint64_t seed, KMeansMetric metric,
                                  std::span<const double> weights) {
  Communicator& comm = context.transport();
  const PointShares shares = check_points(comm, points);
  check_labels(comm, labels, points.rows(), k);
  detail::check_weights(comm, shares, weights);
  const bool cosine = metric == KMeansMetric::cosine;
  const Sample sample = draw(comm, points, shares, labels, weights, most, seed, cosine);
  std::vector<double> clusters(k);
  double weight = 0;
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    clusters[static_cast<std::size_t>(sample.labels[i])] += sample.weights[i];
    weight += sample.weights[i];
  }
  if (std::ranges::count_if(clusters, [](double each) { return each > 0; }) < 2)
    return std::nullopt;
  const BlockDistribution blocks{sample.labels.size(), comm.size()};
  const std::size_t first = blocks.first(comm.rank());
  std::vector<double> mine(blocks.count(comm.rank()));
  constexpr std::size_t rows_of_task = 16;
  const auto task = [&](std::size_t number, std::size_t) {
    std::vector<double> sums(k);
    const std::size_t end = std::min(mine.size(), (number + 1) * rows_of_task);
    for (std::size_t i = number * rows_of_task; i < end; ++i)
      mine[i] = silhouette_of(sample, first + i, clusters, cosine, sums);
  };
  context.executor().run((mine.size() + rows_of_task - 1) / rows_of_task, task, [] {});
  Silhouette found{0, sample.labels.size(), std::vector<double>(k)};
  std::size_t i = 0;
  for (const auto block : all_gather(comm, std::span<const double>(mine)))
    for (const double each : block) {
      found.mean += sample.weights[i] * each;
      found.of_clusters[static_cast<std::size_t>(sample.labels[i])] += sample.weights[i] * each;
      ++i;
    }
  found.mean /= weight;
  for (std::size_t c = 0; c < k; ++c)
    found.of_clusters[c] = clusters[c] > 0 ? found.of_clusters[c] / clusters[c]
                                           : std::numeric_limits<double>::quiet_NaN();
  return found;
}

}  // namespace

std::optional<Silhouette> silhouette(const Context& context, const Points<float>& points,
                                     std::span<const std::int32_t> labels, std::uint64_t k,
                                     std::uint64_t most, std::uint64_t seed, KMeansMetric metric,
                                     std::span<const double> weights) {
  return measure(context, points, labels, k, most, seed, metric, weights);
}
std::optional<Silhouette> silhouette(const Context& context, const Points<double>& points,
                                     std::span<const std::int32_t> labels, std::uint64_t k,
                                     std::uint64_t most, std::uint64_t seed, KMeansMetric metric,
                                     std::span<const double> weights) {
  return measure(context, points, labels, k, most, seed, metric, weights);
}

double silhouette_bytes(double points, double columns, double most) {
  return 2 * std::min(points, most) * ((columns + 1) * sizeof(double) + sizeof(std::int32_t));
}

}  // namespace gas
