#include "programs/als/als.hpp"

#include <pybind11/stl.h>

#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

py::dict fit_als(const Session& session, const Matrix& ratings, std::uint64_t rank, double lambda,
                 bool weighted, std::optional<double> alpha, double tolerance,
                 std::uint64_t iterations, std::uint64_t seed) {
  AlsOptions options{.rank = rank,
                     .lambda = lambda,
                     .weighted = weighted,
                     .alpha = alpha,
                     .tolerance = tolerance,
                     .seed = seed};
  options.run.iterations = iterations;
  const Context& context = session.context();
  Signals signals(options.run);
  AlsFit found = unlocked([&] { return als(context, ratings, options); });
  signals.raise(found.outcome.interrupted);
  py::dict told;
  told["users"] = rows(std::move(found.model.users), rank);
  told["items"] = rows(std::move(found.model.items), rank);
  told["objective"] = found.score->objective;
  told["rmse"] = found.score->rmse ? py::cast(*found.score->rmse) : py::none();
  told["rounds"] = found.outcome.rounds;
  told["converged"] = found.outcome.converged;
  return told;
}

AlsModel model_of(const Borrowed<float>& items, double lambda, bool weighted,
                  std::optional<double> alpha) {
  const auto values = numbers(items);
  return {.rank = items.ndim() == 2 ? static_cast<std::uint64_t>(items.shape(1)) : 0,
          .lambda = lambda,
          .weighted = weighted,
          .alpha = alpha,
          .users = {},
          .items = {values.begin(), values.end()}};
}

py::array_t<float> fold_in(const Session& session, const Matrix& ratings,
                           const Borrowed<float>& items, double lambda, bool weighted,
                           std::optional<double> alpha) {
  const Context& context = session.context();
  const AlsModel model = model_of(items, lambda, weighted, alpha);
  return rows(unlocked([&] { return model.fold_in(context, ratings); }).users, model.rank);
}

}  // namespace

void bind_als(py::module_& module) {
  module.def("als", &fit_als, py::arg("session"), py::arg("ratings"), py::kw_only(),
             py::arg("rank"), py::arg("regularization"), py::arg("weighted"), py::arg("alpha"),
             py::arg("tolerance"), py::arg("iterations"), py::arg("seed"));
  module.def("als_fold_in", &fold_in, py::arg("session"), py::arg("ratings"),
             py::arg("items").noconvert(), py::kw_only(), py::arg("regularization"),
             py::arg("weighted"), py::arg("alpha"));
}

}  // namespace gas::python
