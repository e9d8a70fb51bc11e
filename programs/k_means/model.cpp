#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/place_sparse.hpp"

namespace gas {
namespace {

/// The shares of all points, once they and the model are found to fit. Collective.
template <class Given>
PointShares check(const Context& context, const KMeansModel& model, const Given& points) {
  const PointShares shares = check_points(context.transport(), context.executor(), points);
  together(context.transport(), [&] {
    if (model.k() == 0) throw UsageError("found a model without centroids, expected at least one");
    if (shares.rows() > 0 && shares.columns != model.columns)
      throw located_error(std::string(points.name), 0, 0,
                          fmt::format("rows of {} numbers", shares.columns),
                          fmt::format("{}, as the centroids have", model.columns));
  });
  return shares;
}

template <class Given>
KMeansResult assign(const Context& context, const KMeansModel& model, const Given& points,
                    const std::vector<double>& weights = {}) {
  if (check(context, model, points).rows() == 0) return {};
  return k_means(context, points, model.k(),
                 {.metric = model.metric,
                  .weights = weights,
                  .start = model.centroids,
                  .keep_start = true,
                  .run = {.iterations = 0}});
}

using detail::Square;

/// Distances of rows to centroids. A row far from the others changes nothing of theirs.
template <class Given>
class Apart;
template <class T>
class Apart<Points<T>> {
 public:
  Apart(const Points<T>& points, std::vector<double> centroids)
      : points_(points), centroids_(std::move(centroids)) {}
  /// Of row i times `factor` to all centroids, `out(c, Square)`.
  template <class Out>
  void operator()(std::size_t i, double factor, Out out) const {
    const std::size_t width = points_.columns;
    std::vector<double> row(width);
    for (std::size_t d = 0; d < width; ++d)
      row[d] = static_cast<double>(points_.values[i * width + d]) * factor;
    for (std::size_t c = 0; c * width < centroids_.size(); ++c)
      out(c, detail::square_apart(row.data(), centroids_.data() + c * width, width));
  }

 private:
  const Points<T>& points_;
  const std::vector<double> centroids_;
};
template <>
class Apart<SparsePoints> {
 public:
  Apart(const SparsePoints& points, std::vector<double> centroids)
      : rows_(points), scaled_(std::move(centroids)) {
    const std::size_t width = points.columns;
    if (points.rows() == 0) return;
    for (std::size_t first = 0; first < scaled_.size(); first += width) {
      const auto row = std::span(scaled_).subspan(first, width);
      double most = 0;
      for (const double x : row) most = std::max(most, std::abs(x));
      largest_.push_back(most);
      exponents_.push_back(detail::Frame::exponent_of(most));
      for (double& x : row) x = std::ldexp(x, -exponents_.back());
    }
    centroids_.assign({scaled_.data(), scaled_.size() / width, width, width});
  }
  template <class Out>
  void operator()(std::size_t i, double factor, Out out) const {
    double most = 0;
    rows_.each_of_row(i, [&](VertexId, double x) { most = std::max(most, std::abs(x * factor)); });
    for (std::size_t c = 0; c < largest_.size(); ++c) {
      const bool far = most * 0x1p-400 > largest_[c];  // seen from there, the centroid is at 0
      const int exponent = far ? detail::Frame::exponent_of(most) : exponents_[c];
      const detail::SparseInput input = rows_.input(i, std::ldexp(factor, -exponent));
      out(c, Square{far ? squares(i, input.factor) : centroids_.squared_distance(rows_, input, c),
                    exponent});
    }
  }

 private:
  double squares(std::size_t i, double factor) const {
    double sum = 0;
    rows_.each_of_row(i, [&](VertexId, double x) { sum += x * factor * (x * factor); });
    return sum;
  }

  detail::SparseRows rows_;
  std::vector<double> scaled_, largest_;  // centroids, each in units of a power of 2; of each
  std::vector<int> exponents_;            // of the units
  detail::MeasuredRows centroids_;
};

template <class T, class Id>
std::vector<double> factors_of(Communicator& comm, const Points<T>& points, Id id) {
  return detail::unit_factors(comm, points.values, points.columns, std::string(points.name), id);
}
template <class Id>
std::vector<double> factors_of(Communicator& comm, const SparsePoints& points, Id id) {
  return detail::unit_factors(comm, detail::SparseRows(points), std::string(points.name), id);
}

/// Of cosines, those of directions: 1 − cosine is half their squared distance.
template <class Given>
std::vector<double> distances(const Context& context, const KMeansModel& model,
                              const Given& points) {
  const PointShares shares = check(context, model, points);
  Communicator& comm = context.transport();
  const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
  const bool cosine = model.metric == KMeansMetric::cosine;
  const std::size_t k = model.k(), width = model.columns;
  std::vector<double> centroids = model.centroids, found(points.rows() * k);
  std::vector<double> factors;
  if (cosine) {
    together(comm, [&] {
      for (std::size_t c = 0; c < k; ++c)
        if (!detail::make_direction(std::span(centroids).subspan(c * width, width)))
          throw UsageError(
              "found a centroid of length 0, expected a number other than 0 in it, as cosine "
              "distances need");
    });
    factors = factors_of(comm, points, [&](std::size_t i) { return first + i; });
  }
  constexpr std::size_t rows_of_task = 64;
  const Apart<Given> apart(points, std::move(centroids));
  const auto task = [&](std::size_t number, std::size_t) {
    const std::size_t end = std::min<std::size_t>(points.rows(), (number + 1) * rows_of_task);
    for (std::size_t i = number * rows_of_task; i < end; ++i)
      apart(i, cosine ? factors[i] : 1, [&](std::size_t c, const Square& away) {
        found[i * k + c] = cosine ? away.whole() / 2 : away.root();
      });
  };
  context.executor().run((points.rows() + rows_of_task - 1) / rows_of_task, task, [] {});
  return found;
}

}  // namespace

KMeansModel KMeansModel::read(const Context& context, const std::string& path, std::uint64_t k,
                              std::uint64_t columns) {
  loaders::NpyArray array = loaders::read_npy(context.transport(), path);
  const auto wanted = [](std::uint64_t number, const char* any) {
    return number > 0 ? std::to_string(number) : any;
  };
  together(context.transport(), [&] {
    const auto shape = fmt::format("an array of shape ({})", fmt::join(array.shape, ", "));
    if (array.shape.size() != 2 || array.values.empty() || (k > 0 && array.shape[0] != k) ||
        (columns > 0 && array.shape[1] != columns))
      throw located_error(path, 0, 0, shape,
                          fmt::format("({}, {}): centroids, dimensions of the points",
                                      wanted(k, "K"), wanted(columns, "D")));
    if (array.shape[0] > max_clusters)
      throw located_error(path, 0, 0, shape, fmt::format("{} centroids at most", max_clusters));
  });
  return {array.shape[1], std::move(array.values)};
}

void KMeansModel::write(const Context& context, const std::string& path) const {
  Communicator& comm = context.transport();
  const std::uint64_t shape[] = {k(), columns};
  const std::vector<VertexId> rows = ids_of_block(comm, k());
  const auto mine =
      std::span(centroids).subspan(rows.empty() ? 0 : rows[0] * columns, rows.size() * columns);
  const std::vector<float> floats(mine.begin(), mine.end());
  const bool fit = std::ranges::equal(
      mine, floats, [](double wide, float narrow) { return wide == static_cast<double>(narrow); });
  if (all_min(comm, fit ? 1 : 0) == 1)
    loaders::write_npy<float>(comm, path, shape, rows, floats);
  else
    loaders::write_npy<double>(comm, path, shape, rows, mine);
}

#define GAS_GIVEN(Given)                                                                          \
  std::vector<std::int32_t> KMeansModel::predict(const Context& context, const Given& points)     \
      const {                                                                                     \
    return assign(context, *this, points).labels;                                                 \
  }                                                                                               \
  std::vector<double> KMeansModel::transform(const Context& context, const Given& points) const { \
    return distances(context, *this, points);                                                     \
  }                                                                                               \
  double KMeansModel::score(const Context& context, const Given& points,                          \
                            const std::vector<double>& weights) const {                           \
    return -assign(context, *this, points, weights).objective;                                    \
  }
GAS_GIVEN(Points<float>)
GAS_GIVEN(Points<double>)
GAS_GIVEN(SparsePoints)
#undef GAS_GIVEN

}  // namespace gas
