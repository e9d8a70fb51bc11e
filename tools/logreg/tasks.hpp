#pragma once

#include <string>

#include "programs/logistic_regression/logistic_regression.hpp"
#include "tools/logreg/model.hpp"
#include "tools/support/linear/examples.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What the command line of gas-logreg says beside the common options.
struct LogregSettings {
  std::string labels, penalty = "l2", solver = "auto", test;
  double cost = 1;
  bool bias = false, online = false;
  double rate = 1.2;
  unsigned hash_bits = 0;

  Penalty kind() const { return penalty == "l1" ? Penalty::l1 : Penalty::l2; }
  LogisticSolver asked() const {
    return solver == "dual"     ? LogisticSolver::dual
           : solver == "newton" ? LogisticSolver::newton
                                : LogisticSolver::automatic;
  }
  LogisticSolver method(const RunOptions& run) const { return solver_for(asked(), kind(), run); }
};

// What gas-logreg does with INPUT, from reading to writing; in Phase::load. Collective.
void train(Run& run, const LogregSettings& settings);
/// Learns INPUT's examples one after the other, in one pass that keeps none of them.
void learn_online(Run& run, const LogregSettings& settings);
/// UsageError for options that have no meaning then; the rounds have no limit. Local.
void check_online(Options& options);
/// Classifies INPUT by the model of --model.
void apply(Run& run, const LogregSettings& settings);

}  // namespace gas::tools
