#pragma once

#include <string>

#include "programs/logistic_regression/logistic_regression.hpp"
#include "tools/logreg/model.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {

/// What the command line of gas-logreg says beside the common options.
struct LogregSettings {
  std::string labels, penalty = "l2", solver = "newton", test;
  double cost = 1;
  bool bias = false;

  LogisticSolver method() const {
    return solver == "dual" ? LogisticSolver::dual : LogisticSolver::newton;
  }
};

// What gas-logreg does with INPUT, from reading to writing; in Phase::load. Collective.
void train(Run& run, const LogregSettings& settings);
/// Classifies INPUT by the model of --model.
void apply(Run& run, const LogregSettings& settings);

/// What gas-logreg asks of its graph; `model`: whose columns are meant, if there is one.
GraphWish examples_wish(const LogregModel* model);

/// INPUT, with the labels that --labels gives. Collective.
InputGraph read_examples(Run& run, const LogregSettings& settings, const LogregModel* model);

/// Whether the examples brought labels along. Collective.
bool labelled(Communicator& comm, const loaders::LoadedGraph& loaded);

constexpr CountNames example_counts{"examples", "features", "values"};

}  // namespace gas::tools
