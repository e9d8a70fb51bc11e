#include "programs/logistic_regression/logistic_regression.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <utility>
#include <vector>

#include "programs/logistic_regression/multiclass/multiclass.hpp"
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

py::dict fit_classes(const Session& session, const Matrix& examples, const Borrowed<double>& labels,
                     bool softmax, bool l1, double cost, std::vector<double> class_weights,
                     bool dual, bool bias, double tolerance, std::uint64_t iterations,
                     std::uint64_t seed) {
  MulticlassOptions options{.method = softmax ? Multiclass::softmax : Multiclass::one_against_rest,
                            .class_weights = std::move(class_weights),
                            .fit = {.penalty = l1 ? Penalty::l1 : Penalty::l2,
                                    .cost = cost,
                                    .solver = dual ? LogisticSolver::dual : LogisticSolver::newton,
                                    .bias = bias,
                                    .tolerance = tolerance,
                                    .seed = seed}};
  options.fit.run.iterations = iterations;
  const Context& context = session.context();
  Signals signals(options.fit.run);
  MulticlassFit found =
      unlocked([&] { return multiclass_regression(context, examples, numbers(labels), options); });
  signals.raise(found.outcome.interrupted);
  std::vector<double> objective, gap;
  std::vector<std::uint64_t> rounds;
  for (const LogisticFit& part : found.parts) {
    objective.push_back(part.objective);
    gap.push_back(part.gap);
    rounds.push_back(part.outcome.rounds);
  }
  if (softmax) {
    objective = {found.objective};
    gap = {found.gap};
    rounds = {found.outcome.rounds};
  }
  py::dict told;
  told["weights"] = array_of(std::move(found.weights));
  told["objective"] = array_of(std::move(objective));
  told["gap"] = array_of(std::move(gap));
  told["rounds"] = array_of(std::move(rounds));
  told["converged"] = found.outcome.converged;
  return told;
}

}  // namespace

void bind_logistic_regression(py::module_& module) {
  module.def("logistic_regression", &fit, py::arg("session"), py::arg("examples"),
             py::arg("labels").noconvert(), py::kw_only(), py::arg("l1"), py::arg("cost"),
             py::arg("class_weights"), py::arg("dual"), py::arg("bias"), py::arg("tolerance"),
             py::arg("iterations"), py::arg("seed"));
  module.def("multiclass_regression", &fit_classes, py::arg("session"), py::arg("examples"),
             py::arg("labels").noconvert(), py::kw_only(), py::arg("softmax"), py::arg("l1"),
             py::arg("cost"), py::arg("class_weights"), py::arg("dual"), py::arg("bias"),
             py::arg("tolerance"), py::arg("iterations"), py::arg("seed"));
}

}  // namespace gas::python
