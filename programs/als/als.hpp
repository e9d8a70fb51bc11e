#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

/// Alike on all ranks.
struct AlsOptions {
  std::uint64_t rank = 10;  // numbers per row
  double lambda = 0.1;      // weight of the squared rows in the objective, above 0
  bool weighted = false;    // each row counts as often as it has ratings, too
  /// Ratings are implicit feedback, such as counts of use: see `als`. At least 0; staleness 0 only.
  std::optional<double> alpha = {};
  double tolerance = 1e-4;  // the rounds end when one lowers the objective by this share; 0: never
  std::uint64_t seed = 1;
  /// Items to start from, columns × rank; a row that begins with NaN is drawn. Empty: all are.
  std::vector<float> items = {};
  bool keep_items = false;               // only users are found, in one round; needs `items`
  std::vector<float> absent_items = {};  // then, with alpha: rows of items that are no columns here
  bool measure = true;                   // objective and rmse at the end; else by measure(), later
  RunOptions run = {.iterations = 100};  // any staleness; by sweep
  OnRound on_round = {};                 // the objective is that of the round
};

/// What rows of users and items say of ratings.
struct AlsScore {
  double objective = 0;
  std::optional<double> rmse;  // where there are ratings, and these are not implicit
};

/// Rows of numbers whose products are the ratings.
struct AlsModel {
  std::uint64_t rank = 0;
  double lambda = 0.1;
  bool weighted = false;
  std::optional<double> alpha = {};
  std::vector<float> users;  // `rank` for each row that this rank gives (see Matrix)
  std::vector<float> items;  // `rank` for each column, alike on all ranks

  /// The items of an npy file of shape (items, rank), onto every rank; no users. InputError if it
  /// is damaged or has another shape; rank 0 allows any number. Collective.
  static AlsModel read(const Context& context, const std::string& items, std::uint64_t rank = 0);
  /// users.npy and items.npy into a folder that is there, as gas-als writes them: the users by
  /// rank, as each gave its rows. Collective; RunError if a file cannot be written.
  void write(const Context& context, const std::string& folder) const;

  /// The rating that the user of this rank's row number `user` gives to `item`. Local.
  double predict(std::uint64_t user, std::uint64_t item) const;
  /// The best rows for other users, who rated these items: a model of them. Collective.
  AlsModel fold_in(const Context& context, const Matrix& ratings) const;
  /// How well it meets ratings of its users and items. Collective.
  AlsScore measure(const Context& context, const Matrix& ratings) const;
};

struct AlsFit {
  AlsModel model = {};
  std::optional<AlsScore> score = {};  // where it was measured, or told by the last round
  Outcome outcome = {};
};

/// Factorises a matrix of ratings r, of users by items, by alternating least squares (Zhou,
/// Wilkinson, Schreiber, Pan 2008): rows u, v at a minimum of Σ (r − u·v)² + λ (Σ |u|² + Σ |v|²).
/// Several ratings at one place are added.
///
/// With `alpha` the ratings are implicit feedback (Hu, Koren, Volinsky, ICDM 2008), of at least 0:
/// the sum is over all pairs of a user and an item, Σ c (p − u·v)², where p = 1 and c = 1 + alpha r
/// for those with a rating r above 0, and p = 0 and c = 1 for all others. A round takes no more.
///
/// The same rows for any number of threads at staleness 0.
/// A round takes O(ratings × rank² + (users + items) × rank³). UsageError for options that make no
/// sense, and negative ratings with `alpha`; RunError for ratings so large that floats do not hold
/// the rows. Collective.
AlsFit als(const Context& context, const Matrix& ratings, const AlsOptions& options = {});

/// UsageError for RunOptions that it does not take, with the reason. Local.
void check_als(const RunOptions& options, std::optional<double> alpha = {});

/// What it takes; see PieceSizes.
double als_bytes(const PieceSizes& piece, std::uint64_t rank);

}  // namespace gas
