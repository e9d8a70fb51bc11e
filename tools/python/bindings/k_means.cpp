#include "programs/k_means/k_means.hpp"

#include <pybind11/stl.h>

#include <optional>

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

KMeansModel model_of(const Borrowed<double>& centroids) {
  const auto values = numbers(centroids);
  return {centroids.ndim() == 2 ? static_cast<std::uint64_t>(centroids.shape(1)) : 0,
          {values.begin(), values.end()}};
}

template <class T>
py::dict fit(const Session& session, const Borrowed<T>& array, std::uint64_t k, bool random,
             const std::optional<Borrowed<double>>& start, double tolerance,
             std::uint64_t iterations, std::uint64_t seed) {
  KMeansOptions options{.init = random ? KMeansInit::random : KMeansInit::plus_plus,
                        .tolerance = tolerance,
                        .seed = seed};
  options.run.iterations = iterations;
  if (start) options.start = model_of(*start).centroids;
  const Context& context = session.context();
  const Points<T> points = points_of(array);
  Signals signals(options.run);
  KMeansResult found = unlocked([&] { return k_means(context, points, k, options); });
  signals.raise(found.outcome.interrupted);
  py::dict told;
  told["centroids"] = rows(std::move(found.model.centroids), found.model.columns);
  told["labels"] = array_of(std::move(found.labels));
  told["objective"] = found.objective;
  told["wide"] = found.wide;
  told["empty"] = found.empty;
  told["rounds"] = found.outcome.rounds;
  told["converged"] = found.outcome.converged;
  return told;
}

template <class T>
py::array_t<std::int32_t> predict(const Session& session, const Borrowed<T>& points,
                                  const Borrowed<double>& centroids) {
  const Context& context = session.context();
  const KMeansModel model = model_of(centroids);
  return array_of(unlocked([&] { return model.predict(context, points_of(points)); }));
}

template <class T>
py::array_t<double> transform(const Session& session, const Borrowed<T>& points,
                              const Borrowed<double>& centroids) {
  const Context& context = session.context();
  const KMeansModel model = model_of(centroids);
  return rows(unlocked([&] { return model.transform(context, points_of(points)); }), model.k());
}

template <class T>
double score(const Session& session, const Borrowed<T>& points, const Borrowed<double>& centroids) {
  const Context& context = session.context();
  const KMeansModel model = model_of(centroids);
  return unlocked([&] { return model.score(context, points_of(points)); });
}

template <class T>
void bind(py::module_& module) {
  const auto session = py::arg("session");
  const auto points = py::arg("points").noconvert();
  const auto centroids = py::arg("centroids").noconvert();
  module.def("k_means", &fit<T>, session, points, py::arg("k"), py::kw_only(), py::arg("random"),
             py::arg("start").noconvert(), py::arg("tolerance"), py::arg("iterations"),
             py::arg("seed"));
  module.def("k_means_predict", &predict<T>, session, points, centroids);
  module.def("k_means_transform", &transform<T>, session, points, centroids);
  module.def("k_means_score", &score<T>, session, points, centroids);
}

}  // namespace

void bind_k_means(py::module_& module) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace gas::python
