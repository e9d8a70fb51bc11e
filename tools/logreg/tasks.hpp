#pragma once

#include <array>
#include <string>
#include <vector>

#include "programs/logistic_regression/logistic_regression.hpp"
#include "tools/logreg/model.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/linear/examples.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What the command line of gas-logreg says beside the common options.
struct LogregSettings {
  std::string labels, label, categorical, penalty = "l2", solver = "auto", test, class_weight;
  std::string costs, multiclass, filters = "kkt";
  double cost = 1, held_out = 0.2;
  bool bias = false, online = false;
  double rate = 1.2;
  unsigned hash_bits = 0;

  Penalty kind() const { return penalty == "l1" ? Penalty::l1 : Penalty::l2; }
  LogisticSolver asked() const {
    return solver == "dual"           ? LogisticSolver::dual
           : solver == "newton"       ? LogisticSolver::newton
           : solver == "local-newton" ? LogisticSolver::local_newton
                                      : LogisticSolver::automatic;
  }
  bool softmax() const { return multiclass == "softmax"; }
  /// Of --label and --categorical.
  loaders::ExampleTable table() const;
  /// Of --filters. UsageError for what is none.
  Filters chosen_filters() const;
  /// Of --costs.
  std::vector<double> path() const;
  LogisticSolver method(const RunOptions& run) const { return solver_for(asked(), kind(), run); }
};

/// As --solver has it.
std::string name_of(LogisticSolver solver);
/// Do the steps depend on which examples a rank has? Then they must be like those of all ranks.
bool by_shares(LogisticSolver solver, Penalty penalty);

void take_logreg(Options& options, LogregSettings& settings);

/// The weights that --class-weight gives to these labels, ascending; all 1 where they are to be
/// balanced. If the table `of` these features has names of labels, the text may use these, too.
/// UsageError for a text that means nothing, InputError for another label. Local.
std::vector<double> class_weights(const LogregSettings& settings, const std::vector<double>& labels,
                                  const FeatureIds& of);
/// UsageError for texts that mean nothing, whatever the labels. Local.
void check_class_weight(const std::string& text);

/// INPUT's examples on the ranks that compute with them.
struct LaidOutExamples {
  CutGraph cut;                   // with a last column of ones if there is a bias
  std::vector<VertexId> columns;  // of INPUT, that the vertices before it are
};
/// Lays out the columns that occur, for each of which a run takes so many bytes. Collective.
LaidOutExamples lay_out_examples(Run& run, InputGraph loaded, bool bias, Cuts cuts,
                                 double bytes_of_feature);

/// The ledger of --filters, in the summary; nothing where ranks had nothing to add up. Local.
void tell_filters(Run& run, const FilterLedger& ledger);

// What gas-logreg does with INPUT, from reading to writing; in Phase::load. Collective.
void train(Run& run, const LogregSettings& settings);
/// The same with --multiclass.
void train_classes(Run& run, const LogregSettings& settings);
/// UsageError for options that have no meaning then. Local.
void check_multiclass(const Options& options, const LogregSettings& settings);
/// Learns INPUT's examples one after the other, in one pass that keeps none of them.
void learn_online(Run& run, const LogregSettings& settings);
/// UsageError for options that have no meaning then; the rounds have no limit. Local.
void check_online(Options& options);
/// Classifies INPUT by the model of --model.
void apply(Run& run, const LogregSettings& settings);

}  // namespace gas::tools
