#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/calls/piece_sizes.hpp"
#include "programs/lasso/schedule.hpp"

namespace gas {

/// Alike on all ranks.
struct LassoOptions {
  std::optional<double> lambda = {};  // weight of ‖w‖₁, above 0; empty: by lambda_share
  double lambda_share = 0.1;          // of the least lambda at which all weights are 0; above 0
  bool bias = false;                  // there is an intercept, without penalty
  LassoSchedule schedule = LassoSchedule::priority;
  std::uint64_t block = 64;  // columns that a round updates at most, over all ranks
  /// Two columns of different ranks are not updated in the same round if they correlate by so much.
  /// 1: correlations are not checked, and several ranks may fail to converge.
  double correlation = 0.1;
  double tolerance = 1e-4;  // the rounds end at a gap of at most this; 0: never
  /// The weights to start from, as LassoModel has them, alike on all ranks; empty: all 0.
  std::vector<double> start = {};
  std::uint64_t seed = 1;                  // of LassoSchedule::random
  RunOptions run = {.iterations = 10000};  // staleness 0
  OnRound on_round = {};                   // the objective is that of the round
};

/// How well a model predicts examples whose targets are known.
struct LassoScore {
  std::vector<double> predicted;  // as LassoModel::predict gives it
  double rmse = 0;                // root of the mean squared error
};

/// A linear model. Alike on all ranks.
struct LassoModel {
  std::vector<double> weights;  // by column
  double intercept = 0;

  std::uint64_t nonzeros() const;
  /// w·x and the intercept, of the examples that this rank gives (see Matrix). Columns beyond the
  /// model's count for nothing. Collective.
  std::vector<double> predict(const Context& context, const Matrix& examples) const;
  /// Compares predict() with the targets of the same examples. InputError on all ranks for targets
  /// that are not finite, or not one per example of each rank. Collective.
  LassoScore score(const Context& context, const Matrix& examples,
                   std::span<const double> targets) const;
};

struct LassoFit : LassoModel {
  double lambda = 0;     // that was used
  double objective = 0;  // F(w)
  double gap = 0;        // (F(w) − D) / F(w); D is a lower bound of F
  double rmse = 0;       // of the examples
  // Blocks of columns that were updated, updates in them, and proposals rejected because their
  // columns correlate.
  std::uint64_t blocks = 0, updates = 0, rejected = 0;
  Outcome outcome;  // `rounds`: passes
};

/// Lasso (Tibshirani 1996): minimises F(w) = ‖y − b − Xw‖² / 2n + lambda ‖w‖₁ to a certified gap,
/// by coordinate descent over scheduled blocks of columns (ScheduledDescent). `targets`, y, are
/// those of the examples that this rank gives (see Matrix); n is the number of examples. For a
/// fixed number of ranks the weights are the same for any number of threads. An iteration is a pass
/// of O(entries), which ends in a certificate. Every rank keeps a residual per example, all
/// weights, its own columns, and columns of others that were ever proposed, up to as many entries
/// as its own. UsageError for options that make no sense. InputError for targets that are not
/// finite, or not one per example. RunError if unchecked updates diverge to values that are not
/// finite. Collective.
LassoFit lasso(const Context& context, const Matrix& examples, std::span<const double> targets,
               const LassoOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that lasso does not allow. Local.
void check_lasso(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double lasso_bytes(const PieceSizes& piece);

}  // namespace gas
