#include "programs/logistic_regression/logistic_regression.hpp"

#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "programs/logistic_regression/multiclass/multiclass.hpp"
#include "programs/logistic_regression/path.hpp"
#include "programs/logistic_regression/roc_area.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

LogisticRegressionOptions options_of(bool l1, const std::string& solver, bool bias,
                                     double tolerance, std::uint64_t iterations,
                                     std::uint64_t seed) {
  LogisticRegressionOptions options{.penalty = l1 ? Penalty::l1 : Penalty::l2,
                                    .solver = solver == "dual" ? LogisticSolver::dual
                                              : solver == "local-newton"
                                                  ? LogisticSolver::local_newton
                                                  : LogisticSolver::newton,
                                    .bias = bias,
                                    .tolerance = tolerance,
                                    .seed = seed};
  options.run.iterations = iterations;
  return options;
}

py::dict told_of(LogisticFit fit) {
  py::dict told;
  told["weights"] = array_of(std::move(fit.weights));
  told["objective"] = fit.objective;
  told["gap"] = fit.gap;
  told["rounds"] = fit.outcome.rounds;
  told["converged"] = fit.outcome.converged;
  return told;
}

py::dict fit_one(const Session& session, const Matrix& examples, const Borrowed<double>& labels,
                 double cost, std::pair<double, double> class_weights, bool l1,
                 const std::string& solver, bool bias, double tolerance, std::uint64_t iterations,
                 std::uint64_t seed) {
  LogisticRegressionOptions options = options_of(l1, solver, bias, tolerance, iterations, seed);
  options.cost = cost;
  options.class_weights = {class_weights.first, class_weights.second};
  const Context& context = session.context();
  Signals signals(options.run);
  LogisticFit found =
      unlocked([&] { return logistic_regression(context, examples, numbers(labels), options); });
  signals.raise(found.outcome.interrupted);
  return told_of(std::move(found));
}

py::dict fit_path(const Session& session, const Matrix& examples, const Borrowed<double>& labels,
                  const std::vector<double>& costs, double held_out,
                  std::pair<double, double> class_weights, bool l1, const std::string& solver,
                  bool bias, double tolerance, std::uint64_t iterations, std::uint64_t seed) {
  LogisticRegressionOptions options = options_of(l1, solver, bias, tolerance, iterations, seed);
  options.class_weights = {class_weights.first, class_weights.second};
  const Context& context = session.context();
  Signals signals(options.run);
  LogisticPath found = unlocked(
      [&] { return logistic_path(context, examples, numbers(labels), costs, held_out, options); });
  signals.raise(found.fit.outcome.interrupted);
  py::list tried;
  for (const LogisticOfCost& of : found.tried)
    tried.append(py::make_tuple(of.cost, of.log_loss, of.accuracy, of.auc, of.nonzeros));
  py::dict told = told_of(std::move(found.fit));
  told["cost"] = found.cost;
  told["tried"] = tried;
  return told;
}

py::dict fit_classes(const Session& session, const Matrix& examples, const Borrowed<double>& labels,
                     bool softmax, double cost, std::vector<double> class_weights, bool l1,
                     const std::string& solver, bool bias, double tolerance,
                     std::uint64_t iterations, std::uint64_t seed) {
  MulticlassOptions options{.method = softmax ? Multiclass::softmax : Multiclass::one_against_rest,
                            .class_weights = std::move(class_weights),
                            .fit = options_of(l1, solver, bias, tolerance, iterations, seed)};
  options.fit.cost = cost;
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

double area(const Session& session, const Borrowed<double>& scores, const Borrowed<bool>& larger) {
  const auto given = numbers(larger);
  const std::vector<char> marks(given.begin(), given.end());
  Communicator& comm = session.context().transport();
  return unlocked([&] { return roc_area(comm, numbers(scores), marks); });
}

}  // namespace

void bind_logistic_regression(py::module_& module) {
  const auto session = py::arg("session"), examples = py::arg("examples");
  const auto labels = py::arg("labels").noconvert();
  const auto cost = py::arg("cost"), weights = py::arg("class_weights"), l1 = py::arg("l1"),
             solver = py::arg("solver"), bias = py::arg("bias"), tolerance = py::arg("tolerance"),
             iterations = py::arg("iterations"), seed = py::arg("seed");
  module.def("logistic_regression", &fit_one, session, examples, labels, py::kw_only(), cost,
             weights, l1, solver, bias, tolerance, iterations, seed);
  module.def("logistic_path", &fit_path, session, examples, labels, py::kw_only(), py::arg("costs"),
             py::arg("held_out"), weights, l1, solver, bias, tolerance, iterations, seed);
  module.def("multiclass_regression", &fit_classes, session, examples, labels, py::kw_only(),
             py::arg("softmax"), cost, weights, l1, solver, bias, tolerance, iterations, seed);
  module.def("roc_area", &area, session, py::arg("scores").noconvert(),
             py::arg("larger").noconvert());
}

}  // namespace gas::python
