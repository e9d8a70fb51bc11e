#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/logistic_regression/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Classified rows of this rank, in any order.
struct Predictions {
  std::vector<VertexId> rows;
  std::vector<float> probability;  // of the larger label
};

/// What the solvers start from and change: the weight of each parameter row of the graph, on every
/// rank. `signs` are those of this rank's BlockDistribution of examples.
struct Training {
  const CutGraph& cut;
  const std::vector<double>& signs;
  std::vector<double> weights;
};

/// How the rounds ended, and what sets the summary's objective, gap and accuracy of the weights as
/// they are then; `measure` is collective and uses the Training.
struct Trained {
  RunReport report;
  std::function<void()> measure;
};

/// Both enter no phase, and are collective.
Trained search_newton(Run& run, Training& training, const NewtonSearch& search);
Trained climb_dual(Run& run, Training& training, double cost);

/// Predicts by weights that stay as they are: two rounds, the second for the certificate. `search`
/// gives cost and penalty and gets the results. Without signs all examples count as +1. Collective.
Predictions evaluate(Run& run, const std::shared_ptr<const LocalGraph>& graph,
                     const std::optional<std::vector<double>>& signs,
                     const std::vector<double>& weights, NewtonSearch& search);

inline double share(double part, std::uint64_t whole) { return part / static_cast<double>(whole); }

}  // namespace gas::tools
