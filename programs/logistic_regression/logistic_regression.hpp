#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/calls/piece_sizes.hpp"
#include "programs/logistic_regression/filters.hpp"
#include "programs/logistic_regression/penalty.hpp"

namespace gas {

/// newton: Newton's method, by conjugate gradients for Penalty::l2, as local_newton for l1.
/// local_newton: Newton's steps by coordinate descent in each rank's examples: a tenth of the
/// rounds of conjugate gradients, with more work in each, for ranks that take long to wait for.
/// dual: dual coordinate ascent on each thread's examples, for l2. automatic: dual for l2 above
/// staleness 0, where newton cannot run; otherwise newton.
enum class LogisticSolver { automatic, newton, local_newton, dual };

struct LogisticRegressionOptions {
  Penalty penalty = Penalty::l2;
  double cost = 1;  // C, of the loss against the penalty; above 0
  /// Factors of the loss of examples with the smaller and with the larger label; above 0.
  std::array<double, 2> class_weights = {1, 1};
  /// Class weights are n / (2 n_c) instead, where n examples are learnt from and n_c have the
  /// label.
  bool balanced = false;
  /// An entry per example that this rank gives: not 0 if it is not learnt from. Empty on all ranks:
  /// all examples are learnt from.
  std::vector<char> left_out = {};
  LogisticSolver solver = LogisticSolver::automatic;
  Filters filters = {};     // of what ranks send each other, with Penalty::l1
  bool bias = false;        // a column of ones is added and penalised like others
  double tolerance = 1e-4;  // the rounds end at a gap of at most this; 0: never
  /// The weights to start from, as LogisticModel has them, alike on all ranks; empty: all 0.
  std::vector<double> start = {};
  std::uint64_t seed = 1;
  bool measure = true;  // objective, gap and accuracy at the end; else by measure(), later
  RunOptions run = {.iterations = 10000};  // any staleness with l2, but newton's is 0
  OnRound on_round = {};                   // the objective is that of the round
};

/// How well a model predicts examples whose labels are known.
struct LogisticScore {
  std::vector<double> probability;  // as LogisticModel::predict gives it
  double accuracy = 0;              // share of the examples whose likelier label is theirs
  double log_loss = 0;              // mean of −log P(label)
  /// Area under the ROC curve: the chance that an example of the larger label has a greater w·x
  /// than one of the smaller; equal ones count half. NaN if all have one label.
  double auc = 0;
};

/// A model that predicts one of two labels by P(larger label) = 1 / (1 + exp(−w·x)). Alike on all
/// ranks.
struct LogisticModel {
  std::vector<double> weights;  // by column, and the bias last, if there is one
  bool bias = false;
  std::array<double, 2> labels = {-1, 1};  // the smaller, the larger

  std::uint64_t columns() const { return weights.size() - (bias ? 1 : 0); }
  std::uint64_t nonzeros() const;
  bool knows(double label) const { return label == labels[0] || label == labels[1]; }

  /// P(larger label) of the examples that this rank gives (see Matrix). Columns beyond the model's
  /// count for nothing. If there is a bias, a matrix that came laid out must have a last column of
  /// ones. Collective.
  std::vector<double> predict(const Context& context, const Matrix& examples) const;
  /// w·x of the same examples: above 0 if the larger label is the likelier. Collective.
  std::vector<double> decide(const Context& context, const Matrix& examples) const;
  /// Compares predict() with the labels of the same examples. InputError for a label that is
  /// neither of the model's. Collective.
  LogisticScore score(const Context& context, const Matrix& examples,
                      std::span<const double> labels) const;
};

struct LogisticFit : LogisticModel {
  double objective = 0;  // P(w)
  double gap = 0;        // (P(w) − D) / P(w), where no weights' P is below D
  double accuracy = 0;   // share of the examples learnt from that the weights classify right
  std::array<double, 2> class_weights = {1, 1};  // as taken
  bool measured = false;                         // the three numbers above are known
  double bound = 0;    // of Penalty::l1: the largest D that the rounds proved
  bool still = false;  // Penalty::l1 ended, not converged, as in double precision no step helps
  Outcome outcome;
  FilterLedger ledger;  // what the filters did, over all ranks; of Penalty::l1
  /// From the dual solver, for the examples that this rank gives: each one's factor a in w = C Σ a
  /// y x.
  std::vector<double> shares;
};

/// Logistic regression: minimises P(w) = C Σ log(1 + exp(−y w·x)) + R(w) to a certified gap; each
/// example's loss is multiplied by its class weight. `labels` are those of the examples that this
/// rank gives (see Matrix). Over all ranks they have exactly two values; y is +1 for the larger.
/// Newton's method gives the same weights for any number of threads, and for l2 also for any number
/// of ranks. The dual solver gives the same weights for fixed ranks and threads at staleness 0. An
/// iteration takes O(entries), with l1 times the passes of its descent, up to 100. With l1 the
/// layout must keep each example on one rank. UsageError for options that contradict each other.
/// InputError if labels do not have two values, or if all examples of a label are left out.
/// Collective.
LogisticFit logistic_regression(const Context& context, const Matrix& examples,
                                std::span<const double> labels,
                                const LogisticRegressionOptions& options = {});

/// Sets objective, gap and accuracy of a fit to these examples that was made with these options but
/// without `measure`. Takes one or two iterations, and none if they are known: Newton's method
/// knows them where it ends because of the tolerance. Collective.
void measure(const Context& context, const Matrix& examples, std::span<const double> labels,
             const LogisticRegressionOptions& options, LogisticFit& fit);

/// The solver that runs: `asked`, or what automatic means. Local.
LogisticSolver solver_for(LogisticSolver asked, Penalty penalty, const RunOptions& options);

/// Throws UsageError, with the reason, for RunOptions that the solver does not allow. Local.
void check_logistic_regression(const RunOptions& options, Penalty penalty, LogisticSolver solver);

/// The memory that it needs; see PieceSizes.
double logistic_regression_bytes(const PieceSizes& piece, Penalty penalty, LogisticSolver solver);

}  // namespace gas
