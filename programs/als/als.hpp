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
  /// If set, ratings are implicit feedback, such as counts of use: see `als`. At least 0. Staleness
  /// 0 only.
  std::optional<double> alpha = {};
  double mean = 0;  // that is subtracted from each rating, as mean_rating has it; not with alpha
  double tolerance = 1e-4;  // the rounds end when one lowers the objective by this share; 0: never
  std::uint64_t seed = 1;
  /// Items to start from, columns × rank. A row that begins with NaN is drawn. Empty: all rows are.
  std::vector<float> items = {};
  bool keep_items = false;               // only users are found, in one round; needs `items`
  std::vector<float> absent_items = {};  // then, with alpha: rows of items that are no columns here
  bool measure = true;                   // objective and rmse at the end; else by measure(), later
  RunOptions run = {.iterations = 100};  // any staleness; by sweep
  OnRound on_round = {};                 // the objective is that of the round
};

/// How well rows of users and items fit ratings.
struct AlsScore {
  double objective = 0;
  std::optional<double> rmse;  // if there are ratings, and they are not implicit
};

/// A row of numbers for each user and item; `mean` and their dot products approximate the ratings.
struct AlsModel {
  std::uint64_t rank = 0;
  double lambda = 0.1;
  bool weighted = false;
  std::optional<double> alpha = {};
  double mean = 0;
  std::vector<float> users;  // `rank` for each row that this rank gives (see Matrix)
  std::vector<float> items;  // `rank` for each column, alike on all ranks

  /// Reads items from an npy file of shape (items, rank) onto every rank; there are no users.
  /// InputError if it is damaged or has another shape; `rank` 0 allows any number. Collective.
  static AlsModel read(const Context& context, const std::string& items, std::uint64_t rank = 0);
  /// Writes users.npy and items.npy, as gas-als does, into an existing folder. Users are in the
  /// order in which ranks gave their rows. RunError if a file cannot be written. Collective.
  void write(const Context& context, const std::string& folder) const;

  /// The rating that the user of this rank's row number `user` gives to `item`. UsageError if the
  /// model has no such user here, or item. Local.
  double predict(std::uint64_t user, std::uint64_t item) const;
  /// A model of other users, who rated these items: finds the best rows for them. Collective.
  AlsModel fold_in(const Context& context, const Matrix& ratings) const;
  /// How well the model fits ratings of its users and items. UsageError unless there are as many
  /// users, and no more items. Collective.
  AlsScore measure(const Context& context, const Matrix& ratings) const;
};

struct AlsFit {
  AlsModel model = {};
  std::optional<AlsScore> score = {};  // where it was measured, or told by the last round
  Outcome outcome = {};
};

/// Factorises a matrix of ratings r, of users by items, by alternating least squares (Zhou,
/// Wilkinson, Schreiber, Pan 2008): it minimises Σ (r − u·v)² + λ (Σ |u|² + Σ |v|²) over the rows u
/// and v. If one place has several ratings, each counts.
///
/// With `alpha` the ratings are implicit feedback (Hu, Koren, Volinsky, ICDM 2008), of at least 0.
/// The first sum is then Σ c (p − u·v)² over all pairs of a user and an item: p = 1 and c = 1 +
/// alpha r if they have a rating r above 0, otherwise p = 0 and c = 1. If one place has several
/// ratings, r is their sum. A round takes no longer.
///
/// With `mean` the first sum is Σ (r − mean − u·v)². Then rows of users and items with few ratings
/// are drawn to the mean rating, without it to 0.
///
/// At staleness 0 the rows are the same for any number of threads.
/// A round takes O(ratings × rank² + (users + items) × rank³). UsageError for options that make no
/// sense, and for negative ratings with `alpha`. RunError for ratings so large that floats do not
/// hold the rows. Collective.
AlsFit als(const Context& context, const Matrix& ratings, const AlsOptions& options = {});

/// The mean of all ratings, rounded to a float; 1 if they have no values, 0 if there are none.
/// Collective.
double mean_rating(const Context& context, const Matrix& ratings);

/// Throws UsageError, with the reason, for RunOptions that als does not allow. Local.
void check_als(const RunOptions& options, std::optional<double> alpha = {});

/// The memory that it needs; see PieceSizes.
double als_bytes(const PieceSizes& piece, std::uint64_t rank);

}  // namespace gas
