#include "programs/k_means/selection/silhouette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "gas/base/error.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/place_sparse.hpp"
#include "programs/k_means/starts/drawn_rows.hpp"
#include "programs/k_means/weights.hpp"

namespace gas {
namespace {

/// Labels and weights of the sample, by row of all points, alike on all ranks.
struct Sample {
  std::vector<std::int32_t> labels;
  std::vector<double> weights;
};

/// The sample's coordinates, of length 1 or in units of a power of 2.
template <class Given>
struct Coordinates;
template <class T>
struct Coordinates<Points<T>> {
  std::size_t width = 0;
  std::vector<double> values;

  Coordinates(Communicator& comm, const Points<T>& points, const PointShares& shares,
              const std::vector<std::size_t>& rows, bool cosine)
      : width(shares.columns) {
    std::vector<T> mine;
    double largest = 0;
    for (const std::size_t i : rows)
      for (const T x : points.values.subspan(i * width, width)) {
        mine.push_back(x);
        largest = std::max(largest, std::abs(static_cast<double>(x)));
      }
    const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
    std::vector<double> factors(
        rows.size(), std::ldexp(1.0, -detail::Frame::exponent_of(all_max(comm, largest))));
    if (cosine)
      factors =
          detail::unit_factors(comm, std::span<const T>(mine), width, std::string(points.name),
                               [&](std::size_t i) { return first + rows[i]; });
    std::vector<double> scaled;
    for (std::size_t i = 0; i < mine.size(); ++i)
      scaled.push_back(static_cast<double>(mine[i]) * factors[i / width]);
    values = whole(comm, scaled);
  }
  /// How many numbers apart() reads.
  std::size_t numbers() const { return values.size(); }
  /// f(j, squared distance of i and j) for all j; `room` is for what one thread needs.
  template <class F>
  void apart(std::size_t i, std::vector<double>&, F f) const {
    for (std::size_t j = 0; j * width < values.size(); ++j)
      f(j, detail::squared_distance(values.data() + i * width, values.data() + j * width, width));
  }
};
template <>
struct Coordinates<SparsePoints> {
  std::size_t width = 0;
  detail::SparseRows rows;
  std::vector<double> squares;

  Coordinates(Communicator& comm, const SparsePoints& points, const PointShares& shares,
              const std::vector<std::size_t>& chosen, bool cosine)
      : width(shares.columns) {
    const detail::SparseRows given(points);
    detail::SparseRows mine;
    mine.moved.offsets.push_back(0);
    for (const std::size_t i : chosen) {
      given.each_of_row(i, [&](VertexId column, double value) {
        mine.moved.column.push_back(column);
        mine.moved.wide_values.push_back(value);
      });
      mine.moved.offsets.push_back(mine.moved.column.size());
    }
    mine.see_moved();
    const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
    std::vector<double> factors(
        chosen.size(), std::ldexp(1.0, -detail::Frame::exponent_of(all_max(comm, mine.largest()))));
    if (cosine)
      factors = detail::unit_factors(comm, mine, std::string(points.name),
                                     [&](std::size_t i) { return first + chosen[i]; });
    std::vector<std::uint64_t> counts;
    std::vector<double> mine_squares;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      double sum = 0;
      counts.push_back(mine.moved.offsets[i + 1] - mine.moved.offsets[i]);
      for (std::uint64_t e = mine.moved.offsets[i]; e < mine.moved.offsets[i + 1]; ++e) {
        double& x = mine.moved.wide_values[e];
        x *= factors[i];
        sum += x * x;
      }
      mine_squares.push_back(sum);
    }
    const std::vector<std::uint64_t> all = whole(comm, counts);
    squares = whole(comm, mine_squares);
    rows.moved.column = whole(comm, mine.moved.column);
    rows.moved.wide_values = whole(comm, mine.moved.wide_values);
    rows.moved.offsets.push_back(0);
    for (const std::uint64_t count : all)
      rows.moved.offsets.push_back(rows.moved.offsets.back() + count);
    rows.see_moved();
  }
  std::size_t numbers() const { return rows.column.size(); }
  template <class F>
  void apart(std::size_t i, std::vector<double>& room, F f) const {
    room.resize(width, 0);
    rows.each_of_row(i, [&](VertexId d, double x) { room[d] = x; });
    for (std::size_t j = 0; j < squares.size(); ++j) {
      double apart = 0, met = 0;  // what is apart where j has entries, and i's squares there
      rows.each_of_row(j, [&](VertexId d, double x) {
        apart += (x - room[d]) * (x - room[d]);
        met += room[d] * room[d];
      });
      f(j, std::max(0.0, apart + (squares[i] - met)));
    }
    rows.each_of_row(i, [&](VertexId d, double) { room[d] = 0; });
  }
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

/// This rank's rows of the sample.
std::vector<std::size_t> draw(Communicator& comm, const PointShares& shares, std::uint64_t most,
                              std::uint64_t seed) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::uint64_t first = shares.first[rank], count = shares.first[rank + 1] - first;
  std::vector<std::size_t> mine;
  if (most < shares.rows()) {
    for (const VertexId row : detail::random_rows(shares.rows(), most, seed))
      if (row >= first && row - first < count) mine.push_back(row - first);
    std::ranges::sort(mine);
  } else {
    mine.resize(count);
    std::iota(mine.begin(), mine.end(), std::size_t{0});
  }
  return mine;
}

/// Of point i; `clusters` have these weights, `sums` has room for k.
template <class Given>
double silhouette_of(const Sample& sample, const Coordinates<Given>& coordinates, std::size_t i,
                     const std::vector<double>& clusters, bool cosine, std::vector<double>& sums,
                     std::vector<double>& room) {
  const auto own = static_cast<std::size_t>(sample.labels[i]);
  const double others = clusters[own] - sample.weights[i];
  if (!(others > 0)) return 0;
  std::ranges::fill(sums, 0.0);
  coordinates.apart(i, room, [&](std::size_t j, double squares) {
    if (j == i) return;
    sums[static_cast<std::size_t>(sample.labels[j])] +=
        sample.weights[j] * (cosine ? squares / 2 : std::sqrt(squares));
  });
  const double a = sums[own] / others;
  double b = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (c != own && clusters[c] > 0) b = std::min(b, sums[c] / clusters[c]);
  return std::max(a, b) > 0 ? (b - a) / std::max(a, b) : 0;
}

/// visit(begin, end) for parts of this rank's `count` rows, each of which takes so many `numbers`;
/// false if any rank is interrupted, as all are asked each time that a thread has taken some 10^8
/// numbers. Collective.
template <class F>
bool in_slices(const Context& context, std::size_t count, std::size_t numbers,
               const std::function<bool()>& interrupted, F visit) {
  enum : int { done, left, stopped };
  const std::size_t rows = 1 + (std::size_t{1} << 27U) / (numbers + 1);  // of a thread
  const std::size_t of_task = std::min<std::size_t>(rows, 16);
  const std::size_t of_slice = (rows + of_task - 1) / of_task * of_task * context.threads();
  for (std::size_t first = 0;; first += of_slice) {
    const std::size_t end = std::min(count, first + of_slice);
    const std::size_t some = first < end ? end - first : 0;
    context.executor().run((some + of_task - 1) / of_task,
                           [&](std::size_t task, std::size_t) {
                             const std::size_t begin = first + task * of_task;
                             visit(begin, std::min(end, begin + of_task));
                           },
                           [] {});
    const bool stop = interrupted && interrupted();
    const int state = all_max<int>(context.transport(), stop ? stopped : end < count ? left : done);
    if (state != left) return state == done;
  }
}

template <class Given>
std::optional<Silhouette> measure(const Context& context, const Given& points,
                                  std::span<const std::int32_t> labels, std::uint64_t k,
                                  std::uint64_t most, std::uint64_t seed, KMeansMetric metric,
                                  std::span<const double> weights,
                                  const std::function<bool()>& interrupted) {
  Communicator& comm = context.transport();
  const PointShares shares = check_points(comm, context.executor(), points);
  check_labels(comm, labels, points.rows(), k);
  detail::check_weights(comm, shares, weights);
  const bool cosine = metric == KMeansMetric::cosine;
  const std::vector<std::size_t> rows = draw(comm, shares, most, seed);
  Sample drawn, sample;
  for (const std::size_t i : rows) {
    drawn.labels.push_back(labels[i]);
    drawn.weights.push_back(weights.empty() ? 1 : weights[i]);
  }
  sample.labels = whole(comm, drawn.labels);
  sample.weights = whole(comm, drawn.weights);
  const Coordinates<Given> coordinates(comm, points, shares, rows, cosine);
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
  const auto visit = [&](std::size_t begin, std::size_t end) {
    std::vector<double> sums(k), room;
    for (std::size_t i = begin; i < end; ++i)
      mine[i] = silhouette_of(sample, coordinates, first + i, clusters, cosine, sums, room);
  };
  if (!in_slices(context, mine.size(), coordinates.numbers(), interrupted, visit))
    return Silhouette{.interrupted = true};
  Silhouette found{0, sample.labels.size(), std::vector<double>(k)};
  std::size_t i = 0;
  for (const double each : whole(comm, mine)) {
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

#define GAS_GIVEN(Given)                                                                  \
  std::optional<Silhouette> silhouette(                                                   \
      const Context& context, const Given& points, std::span<const std::int32_t> labels,  \
      std::uint64_t k, std::uint64_t most, std::uint64_t seed, KMeansMetric metric,       \
      std::span<const double> weights, const std::function<bool()>& interrupted) {        \
    return measure(context, points, labels, k, most, seed, metric, weights, interrupted); \
  }
GAS_GIVEN(Points<float>)
GAS_GIVEN(Points<double>)
GAS_GIVEN(SparsePoints)
#undef GAS_GIVEN

double silhouette_bytes(double points, double columns, double most) {
  return 2 * std::min(points, most) * ((columns + 1) * sizeof(double) + sizeof(std::int32_t));
}

}  // namespace gas
