#include "programs/logistic_regression/logistic_regression.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

py::dict fit(const Session& session, const Matrix& examples, const Borrowed<double>& labels,
             bool l1, double cost, std::pair<double, double> class_weights, bool dual, bool bias,
             double tolerance, std::uint64_t iterations, std::uint64_t seed) {
  LogisticRegressionOptions options{.penalty = l1 ? Penalty::l1 : Penalty::l2,
                                    .cost = cost,
                                    .class_weights = {class_weights.first, class_weights.second},
                                    .solver = dual ? LogisticSolver::dual : LogisticSolver::newton,
                                    .bias = bias,
                                    .tolerance = tolerance,
                                    .seed = seed};
  options.run.iterations = iterations;
  const Context& context = session.context();
  Signals signals(options.run);
  LogisticFit found =
      unlocked([&] { return logistic_regression(context, examples, numbers(labels), options); });
  signals.raise(found.outcome.interrupted);
  py::dict told;
  told["weights"] = array_of(std::move(found.weights));
  told["objective"] = found.objective;
  told["gap"] = found.gap;
  told["rounds"] = found.outcome.rounds;
  told["converged"] = found.outcome.converged;
  return told;
}

}  // namespace

void bind_logistic_regression(py::module_& module) {
  module.def("logistic_regression", &fit, py::arg("session"), py::arg("examples"),
             py::arg("labels").noconvert(), py::kw_only(), py::arg("l1"), py::arg("cost"),
             py::arg("class_weights"), py::arg("dual"), py::arg("bias"), py::arg("tolerance"),
             py::arg("iterations"), py::arg("seed"));
}

}  // namespace gas::python
