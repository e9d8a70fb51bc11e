#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/calls/piece_sizes.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"

namespace gas {

/// How classes are told apart. softmax: all at once, P(k) ~ exp(w_k·x). one_against_rest: each from
/// all others by a logistic regression of its own; P(k) are those of these, scaled to sum 1.
enum class Multiclass { softmax, one_against_rest };

struct MulticlassOptions {
  Multiclass method = Multiclass::softmax;
  /// By class, labels ascending: what the loss of its examples is multiplied by, above 0; where one
  /// is held against the rest, these count 1. Empty: 1.
  std::vector<double> class_weights = {};
  bool balanced = false;  // they are n / (K n_k) instead, n_k examples being of class k
  /// The rest, as of two classes. Of it class_weights, balanced, left_out and measure are not used;
  /// softmax takes penalty l2, the solver newton and a start of a row per class; one_against_rest
  /// no start and no checkpoint.
  LogisticRegressionOptions fit = {};
};

/// What a model says of examples.
struct MulticlassPrediction {
  std::vector<double> chances;  // a row of those of all classes per example, of sum 1
  /// By example, the place of the likeliest class, the first of equals. Chances that are equal as
  /// numbers may be of classes that are not equally likely.
  std::vector<std::uint32_t> likeliest;
};

/// The same of examples whose labels are known.
struct MulticlassScore : MulticlassPrediction {
  double accuracy = 0;  // share of the examples whose likeliest class is theirs
  double log_loss = 0;  // mean of −log of the chance of their class; a chance counts as 2e-308 at
                        // least
};

/// A model that predicts one of K classes, from two on. Alike on all ranks.
struct MulticlassModel {
  Multiclass method = Multiclass::softmax;
  std::vector<double> classes;  // their labels, ascending
  std::vector<double> weights;  // a row per class: by column, and the bias last, if there is one
  bool bias = false;

  std::uint64_t row_width() const { return weights.size() / classes.size(); }
  std::uint64_t columns() const { return row_width() - (bias ? 1 : 0); }
  std::uint64_t nonzeros() const;
  /// The place of a label among the classes; their number if it is none of them.
  std::size_t place(double label) const;

  /// Of each example that this rank gives (see Matrix). Columns beyond the model's count for
  /// nothing; as LogisticModel::predict otherwise. Collective.
  MulticlassPrediction predict(const Context& context, const Matrix& examples) const;
  /// predict, held against labels, which are of the same examples. InputError for a label that is
  /// none of the model's. Collective.
  MulticlassScore score(const Context& context, const Matrix& examples,
                        std::span<const double> labels) const;
};

struct MulticlassFit : MulticlassModel {
  double objective = 0;  // what was minimised; one against the rest: the sum of all
  double gap = 0;        // (objective − D) / objective, where no weights' objective is below D
  double accuracy = 0;   // share of the examples learnt from whose likeliest class is theirs
  std::vector<double> class_weights;  // as taken
  Outcome outcome;                    // one against the rest: rounds of all
  std::vector<LogisticFit> parts;     // of each class against the rest
};

/// Logistic regression of several classes: `labels`, of the examples that this rank gives (see
/// Matrix), of at least two different values over all ranks. Softmax minimises
/// C Σ (log Σ_k exp(w_k·x) − w_y·x) + ½‖W‖², each example's loss times its class weight, to a
/// certified gap: the same weights for any number of ranks and threads up to rounding; an iteration
/// takes O(entries · K). One against the rest: K fits as logistic_regression makes them. UsageError
/// for options that contradict each other; InputError for labels of fewer than two values.
/// Collective.
MulticlassFit multiclass_regression(const Context& context, const Matrix& examples,
                                    std::span<const double> labels,
                                    const MulticlassOptions& options = {});

/// The different labels of all ranks, ascending. Collective.
std::vector<double> classes_of(Communicator& comm, std::span<const double> labels);

/// What softmax takes; see PieceSizes. One against the rest takes logistic_regression_bytes.
double softmax_bytes(const PieceSizes& piece, std::uint64_t classes);

/// UsageError for RunOptions that softmax does not take, with the reason. Local.
void check_softmax(const RunOptions& options);

}  // namespace gas
