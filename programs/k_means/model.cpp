#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/k_means.hpp"

namespace gas {
namespace {

/// The shares of all points, once they and the model are found to fit. Collective.
template <class T>
PointShares check(const Context& context, const KMeansModel& model, const Points<T>& points) {
  const PointShares shares = check_points(context.transport(), points);
  together(context.transport(), [&] {
    if (model.k() == 0) throw UsageError("found a model of no centroids, expected some");
    if (shares.rows() > 0 && shares.columns != model.columns)
      throw located_error(std::string(points.name), 0, 0,
                          fmt::format("rows of {} numbers", shares.columns),
                          fmt::format("{}, as the centroids have", model.columns));
  });
  return shares;
}

template <class T>
KMeansResult assign(const Context& context, const KMeansModel& model, const Points<T>& points,
                    const std::vector<double>& weights = {}) {
  if (check(context, model, points).rows() == 0) return {};
  return k_means(context, points, model.k(),
                 {.metric = model.metric,
                  .weights = weights,
                  .start = model.centroids,
                  .keep_start = true,
                  .run = {.iterations = 0}});
}

/// In units of a power of 2, so that squares neither overflow nor vanish. Of cosines, those of
/// directions: 1 − cosine is half their squared distance.
template <class T>
std::vector<double> distances(const Context& context, const KMeansModel& model,
                              const Points<T>& points) {
  const PointShares shares = check(context, model, points);
  Communicator& comm = context.transport();
  const std::uint64_t first = shares.first[static_cast<std::size_t>(comm.rank())];
  const bool cosine = model.metric == KMeansMetric::cosine;
  const std::size_t k = model.k(), width = model.columns;
  double largest = 0;
  for (const double x : model.centroids) largest = std::max(largest, std::abs(x));
  for (const T x : points.values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  const int exponent = largest > 0 && !cosine ? std::max(std::ilogb(largest) + 1, -1000) : 0;
  const double scale = std::ldexp(1.0, -exponent), unit = std::ldexp(1.0, exponent);
  std::vector<double> centroids = model.centroids, found(points.rows() * k);
  for (double& x : centroids) x *= scale;
  std::vector<double> factors;
  if (cosine) {
    together(comm, [&] {
      for (std::size_t c = 0; c < k; ++c)
        if (!detail::make_direction(std::span(centroids).subspan(c * width, width)))
          throw UsageError("found a centroid of length 0, expected a direction");
    });
    factors = detail::unit_factors(comm, points.values, width, std::string(points.name),
                                   [&](std::size_t i) { return first + i; });
  }
  constexpr std::size_t rows_of_task = 64;
  const auto task = [&](std::size_t number, std::size_t) {
    std::vector<double> row(width);
    const std::size_t end = std::min<std::size_t>(points.rows(), (number + 1) * rows_of_task);
    for (std::size_t i = number * rows_of_task; i < end; ++i) {
      for (std::size_t d = 0; d < width; ++d)
        row[d] = static_cast<double>(points.values[i * width + d]) * (cosine ? factors[i] : scale);
      for (std::size_t c = 0; c < k; ++c) {
        const double squares =
            detail::squared_distance(row.data(), centroids.data() + c * width, width);
        found[i * k + c] = cosine ? squares / 2 : unit * std::sqrt(squares);
      }
    }
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

std::vector<std::int32_t> KMeansModel::predict(const Context& context,
                                               const Points<float>& points) const {
  return assign(context, *this, points).labels;
}
std::vector<std::int32_t> KMeansModel::predict(const Context& context,
                                               const Points<double>& points) const {
  return assign(context, *this, points).labels;
}
std::vector<double> KMeansModel::transform(const Context& context,
                                           const Points<float>& points) const {
  return distances(context, *this, points);
}
std::vector<double> KMeansModel::transform(const Context& context,
                                           const Points<double>& points) const {
  return distances(context, *this, points);
}
double KMeansModel::score(const Context& context, const Points<float>& points,
                          const std::vector<double>& weights) const {
  return -assign(context, *this, points, weights).objective;
}
double KMeansModel::score(const Context& context, const Points<double>& points,
                          const std::vector<double>& weights) const {
  return -assign(context, *this, points, weights).objective;
}

}  // namespace gas
