#include "programs/k_means/k_means.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "programs/k_means/large/mini_batch.hpp"
#include "programs/k_means/selection/scan.hpp"
#include "programs/k_means/selection/silhouette.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

template <class T>
Points<T> points_of(const Borrowed<T>& array) {
  return {numbers(array), array.ndim() == 2 ? static_cast<std::uint64_t>(array.shape(1)) : 0, "X"};
}

/// Compressed rows, which lie in arrays of Python's.
class SparseArray {
 public:
  template <class T>
  SparseArray(Borrowed<std::int64_t> offsets, Borrowed<std::int32_t> columns, Borrowed<T> values,
              std::uint64_t column_count)
      : offsets_(std::move(offsets)),
        columns_(std::move(columns)),
        wide_(std::is_same_v<T, double>),
        column_count_(column_count) {
    if constexpr (std::is_same_v<T, float>)
      values_ = std::move(values);
    else
      wide_values_ = std::move(values);
  }
  bool wide() const { return wide_; }
  SparsePoints points() const {
    return {.offsets = as_unsigned<std::uint64_t>(offsets_),
            .column = as_unsigned<VertexId>(columns_),
            .values = numbers(values_),
            .wide_values = numbers(wide_values_),
            .columns = column_count_,
            .name = "X"};
  }

 private:
  /// The same numbers, none of them below 0, which the call checks as it checks large ones.
  template <class U, class T>
  static std::span<const U> as_unsigned(const Borrowed<T>& array) {
    const auto values = numbers(array);
    return {reinterpret_cast<const U*>(values.data()), values.size()};
  }

  Borrowed<std::int64_t> offsets_;
  Borrowed<std::int32_t> columns_;
  bool wide_;
  Borrowed<float> values_;
  Borrowed<double> wide_values_;
  std::uint64_t column_count_;
};

SparsePoints points_of(const SparseArray& array) { return array.points(); }

/// Whether numbers are doubles, also where there is none.
template <class T>
bool is_wide(const Borrowed<T>&) {
  return std::is_same_v<T, double>;
}
bool is_wide(const SparseArray& array) { return array.wide(); }

using Weights = std::optional<Borrowed<double>>;

std::vector<double> weights_of(const Weights& given) {
  if (!given) return {};
  const auto values = numbers(*given);
  return {values.begin(), values.end()};
}

KMeansMetric metric_of(bool cosine) {
  return cosine ? KMeansMetric::cosine : KMeansMetric::euclidean;
}

KMeansModel model_of(const Borrowed<double>& centroids, bool cosine) {
  const auto values = numbers(centroids);
  return {centroids.ndim() == 2 ? static_cast<std::uint64_t>(centroids.shape(1)) : 0,
          {values.begin(), values.end()},
          metric_of(cosine)};
}

/// What the options of both fit_k_means and scan say.
KMeansOptions options_of(const std::string& init, bool cosine, const Weights& weights,
                         std::uint64_t restarts, double tolerance, std::uint64_t iterations,
                         std::uint64_t seed) {
  return {.init = k_means_init(init).value_or(KMeansInit::plus_plus),
          .metric = metric_of(cosine),
          .weights = weights_of(weights),
          .restarts = restarts,
          .tolerance = tolerance,
          .seed = seed,
          .run = {.iterations = iterations}};
}

py::dict told_of(KMeansResult found, bool wide) {
  py::dict told;
  told["centroids"] = rows(std::move(found.model.centroids), found.model.columns);
  told["labels"] = array_of(std::move(found.labels));
  told["objective"] = found.objective;
  told["wide"] = wide || found.wide;
  told["empty"] = found.empty;
  told["rounds"] = found.outcome.rounds;
  told["converged"] = found.outcome.converged;
  return told;
}

template <class Array>
py::dict fit_k_means(const Session& session, const Array& array, std::uint64_t k,
                     const std::string& init, bool cosine, const Weights& weights,
                     std::uint64_t restarts, const std::optional<Borrowed<double>>& start,
                     double tolerance, std::uint64_t iterations, std::uint64_t seed,
                     unsigned levels, std::uint64_t full_rounds) {
  KMeansOptions options = options_of(init, cosine, weights, restarts, tolerance, iterations, seed);
  if (start) options.start = model_of(*start, cosine).centroids;
  options.levels = levels;
  options.full_rounds = full_rounds;
  const Context& context = session.context();
  const auto points = points_of(array);
  Signals signals(options.run);
  KMeansResult found = unlocked([&] { return k_means(context, points, k, options); });
  signals.raise(found.outcome.interrupted);
  return told_of(std::move(found), is_wide(array));
}

/// A batch; `centroids`, `counts` and, by cosine, `lengths` are what batches have made so far, or
/// nothing.
template <class Array>
py::dict add(const Session& session, const Array& array, std::uint64_t k, const std::string& init,
             bool cosine, const Weights& weights, const std::optional<Borrowed<double>>& start,
             const std::optional<Borrowed<double>>& centroids, const Weights& counts,
             const Weights& lengths, double tolerance, std::uint64_t iterations,
             std::uint64_t seed) {
  KMeansOptions options = options_of(init, cosine, weights, 1, tolerance, iterations, seed);
  if (start) options.start = model_of(*start, cosine).centroids;
  KMeansOfBatches made;
  if (centroids)
    made = {.model = model_of(*centroids, cosine),
            .weights = weights_of(counts),
            .lengths = weights_of(lengths)};
  const Context& context = session.context();
  const auto points = points_of(array);
  Signals signals(options.run);
  BatchFound found = unlocked([&] { return add_batch(context, made, points, k, options); });
  signals.raise(found.interrupted);
  py::dict told;
  told["centroids"] = rows(std::move(made.model.centroids), made.model.columns);
  told["counts"] = array_of(std::move(made.weights));
  told["lengths"] = array_of(std::move(made.lengths));
  told["labels"] = array_of(std::move(found.labels));
  told["objective"] = found.objective;
  told["wide"] = is_wide(array) || made.wide;
  return told;
}

template <class Array>
py::dict scan(const Session& session, const Array& array, std::uint64_t first, std::uint64_t last,
              std::uint64_t sample, const std::string& init, bool cosine, const Weights& weights,
              std::uint64_t restarts, double tolerance, std::uint64_t iterations,
              std::uint64_t seed) {
  KMeansOptions options = options_of(init, cosine, weights, restarts, tolerance, iterations, seed);
  const Context& context = session.context();
  const auto points = points_of(array);
  Signals signals(options.run);
  KMeansScan found =
      unlocked([&] { return k_means_scan(context, points, first, last, sample, options); });
  signals.raise(found.best.outcome.interrupted);
  py::list tried;
  for (const KMeansOfK& each : found.tried)
    tried.append(py::make_tuple(each.k, each.objective, each.silhouette));
  py::dict told;
  told["tried"] = tried;
  told["elbow"] = found.elbow;
  told["best"] = told_of(std::move(found.best), is_wide(array));
  return told;
}

template <class Array>
std::optional<double> mean_silhouette(const Session& session, const Array& array,
                                      const Borrowed<std::int32_t>& labels, std::uint64_t k,
                                      std::uint64_t sample, bool cosine, const Weights& weights,
                                      std::uint64_t seed) {
  const Context& context = session.context();
  const auto points = points_of(array);
  const std::vector<double> each = weights_of(weights);
  RunOptions asks;
  Signals signals(asks);
  const auto found = unlocked([&] {
    return silhouette(context, points, numbers(labels), k, sample, seed, metric_of(cosine), each,
                      asks.interrupted);
  });
  signals.raise(found && found->interrupted);
  return found ? std::optional<double>(found->mean) : std::nullopt;
}

template <class Array>
py::array_t<std::int32_t> predict(const Session& session, const Array& points,
                                  const Borrowed<double>& centroids, bool cosine) {
  const Context& context = session.context();
  const KMeansModel model = model_of(centroids, cosine);
  return array_of(unlocked([&] { return model.predict(context, points_of(points)); }));
}

template <class Array>
py::array_t<double> transform(const Session& session, const Array& points,
                              const Borrowed<double>& centroids, bool cosine) {
  const Context& context = session.context();
  const KMeansModel model = model_of(centroids, cosine);
  return rows(unlocked([&] { return model.transform(context, points_of(points)); }), model.k());
}

template <class Array>
double score(const Session& session, const Array& points, const Borrowed<double>& centroids,
             bool cosine, const Weights& weights) {
  const Context& context = session.context();
  const KMeansModel model = model_of(centroids, cosine);
  const std::vector<double> each = weights_of(weights);
  return unlocked([&] { return model.score(context, points_of(points), each); });
}

template <class Array>
void bind(py::module_& module) {
  const auto session = py::arg("session");
  const auto points = py::arg("points").noconvert();
  const auto centroids = py::arg("centroids").noconvert();
  const auto weights = py::arg("weights").noconvert();
  const auto init = py::arg("init"), cosine = py::arg("cosine"), seed = py::arg("seed");
  const auto restarts = py::arg("restarts"), tolerance = py::arg("tolerance"),
             iterations = py::arg("iterations");
  module.def("k_means", &fit_k_means<Array>, session, points, py::arg("k"), py::kw_only(), init,
             cosine, weights, restarts, py::arg("start").noconvert(), tolerance, iterations, seed,
             py::arg("levels"), py::arg("full_rounds"));
  module.def("k_means_batch", &add<Array>, session, points, py::arg("k"), py::kw_only(), init,
             cosine, weights, py::arg("start").noconvert(), py::arg("centroids").noconvert(),
             py::arg("counts").noconvert(), py::arg("lengths").noconvert(), tolerance, iterations,
             seed);
  module.def("k_means_scan", &scan<Array>, session, points, py::arg("first"), py::arg("last"),
             py::arg("sample"), py::kw_only(), init, cosine, weights, restarts, tolerance,
             iterations, seed);
  module.def("k_means_predict", &predict<Array>, session, points, centroids, cosine);
  module.def("k_means_transform", &transform<Array>, session, points, centroids, cosine);
  module.def("k_means_score", &score<Array>, session, points, centroids, cosine, weights);
  module.def("silhouette", &mean_silhouette<Array>, session, points, py::arg("labels").noconvert(),
             py::arg("k"), py::arg("sample"), py::kw_only(), cosine, weights, seed);
}

template <class T>
void bind_sparse(py::class_<SparseArray>& sparse) {
  sparse.def(py::init<Borrowed<std::int64_t>, Borrowed<std::int32_t>, Borrowed<T>, std::uint64_t>(),
             py::arg("offsets").noconvert(), py::arg("columns").noconvert(),
             py::arg("values").noconvert(), py::arg("column_count"));
}

}  // namespace

void bind_k_means(py::module_& module) {
  py::class_<SparseArray> sparse(module, "SparsePoints");
  sparse.def("__reduce_ex__", &reduce);
  bind_sparse<float>(sparse);
  bind_sparse<double>(sparse);
  bind<Borrowed<float>>(module);
  bind<Borrowed<double>>(module);
  bind<SparseArray>(module);
}

}  // namespace gas::python
