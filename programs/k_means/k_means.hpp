#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/points.hpp"
#include "programs/calls/sparse_points.hpp"

namespace gas {

/// How start centroids are drawn from the points. plus_plus: by greedy k-means++ (Arthur,
/// Vassilvitskii 2007); each is the best of 2 + ln k draws. parallel: by k-means|| (Bahmani et al.
/// 2012), which takes about as long as ten rounds, less than k-means++ if k is large. random: k
/// points, all sets equally likely.
enum class KMeansInit { plus_plus, parallel, random };

/// From the name k-means++, k-means|| or random; empty for any other name.
std::optional<KMeansInit> k_means_init(std::string_view name);
std::string_view name_of(KMeansInit init);

/// The distance of points from centroids. euclidean: the objective sums squared distances. cosine:
/// it sums 1 − the cosine of the angle (spherical k-means: Dhillon, Modha 2001); centroids are then
/// directions, of length 1.
enum class KMeansMetric { euclidean, cosine };

/// Alike on all ranks but for `weights` and `rank_of`.
struct KMeansOptions {
  KMeansInit init = KMeansInit::plus_plus;
  KMeansMetric metric = KMeansMetric::euclidean;
  /// Weights of the rows that this rank gives, in centroids, in the objective and in draws. Each is
  /// finite, and is 0 or at least 2^-40 of the sum of all. Empty on all ranks: 1 each.
  std::vector<double> weights = {};
  /// How many starts to draw, the first from `seed`. The one that ends with the least objective is
  /// kept. Must be 1 if `start` is given, and with checkpoints.
  std::uint64_t restarts = 1;
  /// Start centroids, k × columns, row after row. Empty: they are drawn, as `init` says.
  std::vector<double> start = {};
  /// With points in floats, `start` is rounded to floats, unless this is set: then, if floats do
  /// not hold it, the points are taken as doubles. A start beyond the range of floats is never
  /// rounded.
  bool keep_start = false;
  /// The rounds end when one lowers the objective by at most this share of it; 0: when no point
  /// changes its cluster.
  double tolerance = 1e-4;
  /// 2: k-means first finds √k clusters. Then k-means splits each of them into clusters, in
  /// proportion to its points and k in all. A round of either costs 1/√k of a round of all k. Then
  /// follow up to `full_rounds` Lloyd's rounds of all centroids; if 0, points are only assigned.
  /// Needs dense points, one drawn start and no checkpoints. Only the rounds of the √k and those of
  /// all are reported and counted. On several ranks all points move between ranks once.
  unsigned levels = 1;
  std::uint64_t full_rounds = 0;  // of all centroids, at most, with `levels` 2
  std::uint64_t seed = 1;
  /// For each row that this rank gives, the rank that computes with it. Empty on all ranks: equal
  /// shares in the order of the ids. Centroids and labels do not depend on it.
  std::vector<int> rank_of = {};
  RunOptions run = {.iterations = 100};  // any staleness; by sweep; any topology at staleness 0
  /// The objective is that of the round's labels. With several starts, the count of rounds goes on
  /// from one to the next.
  OnRound on_round = {};
  /// Called once, before anything is computed. From then on the caller's floats are not read, and
  /// may be freed.
  std::function<void()> on_start = {};
};

/// k centroids. The functions are collective and take points as k_means does. InputError for points
/// with another number of columns. Centroids are not rounded: if floats do not hold them, the
/// functions compute in double.
struct KMeansModel {
  std::uint64_t columns = 0;
  std::vector<double> centroids = {};  // k × columns, row after row, alike on all ranks
  KMeansMetric metric = KMeansMetric::euclidean;

  std::uint64_t k() const { return columns > 0 ? centroids.size() / columns : 0; }
  std::span<const double> centroid(std::size_t cluster) const {
    return std::span(centroids).subspan(cluster * columns, columns);
  }

  /// From an npy file of shape (k, columns), onto every rank. InputError if it is damaged or has
  /// another shape; 0 allows any number.
  static KMeansModel read(const Context& context, const std::string& path, std::uint64_t k = 0,
                          std::uint64_t columns = 0);
  /// Writes the centroids to an npy file, in doubles if floats do not hold them.
  void write(const Context& context, const std::string& path) const;

  /// For each row that this rank gives, the row of the nearest centroid.
  std::vector<std::int32_t> predict(const Context& context, const Points<float>& points) const;
  std::vector<std::int32_t> predict(const Context& context, const Points<double>& points) const;
  std::vector<std::int32_t> predict(const Context& context, const SparsePoints& points) const;
  /// The distances to all centroids (cosine: 1 − cosine), a row of k for each row that this rank
  /// gives.
  std::vector<double> transform(const Context& context, const Points<float>& points) const;
  std::vector<double> transform(const Context& context, const Points<double>& points) const;
  std::vector<double> transform(const Context& context, const SparsePoints& points) const;
  /// Minus the objective of all ranks' points; `weights` as in KMeansOptions.
  double score(const Context& context, const Points<float>& points,
               const std::vector<double>& weights = {}) const;
  double score(const Context& context, const Points<double>& points,
               const std::vector<double>& weights = {}) const;
  double score(const Context& context, const SparsePoints& points,
               const std::vector<double>& weights = {}) const;
};

struct KMeansResult {
  KMeansModel model = {};
  std::vector<std::int32_t> labels =
      {};  // row of the nearest centroid, of each row that this rank gave
  /// Σ weight · squared distance of all points to these centroids; cosine: Σ weight · (1 − cosine).
  double objective = 0;
  std::vector<double> objectives = {};  // of all starts
  std::uint64_t empty = 0;              // centroids without points that weigh anything
  std::uint64_t reseeded = 0;           // times that one without points was moved to a point
  bool wide = false;                    // points were doubles, or taken as doubles
  Outcome outcome = {};                 // of the start that is kept
};

/// The largest number of centroids.
constexpr std::uint64_t max_clusters = 0x7fff'ffff;

/// Lloyd's k-means (1957, 1982), from `options.start` or from drawn points: each centroid moves to
/// the mean of the points nearest to it. A centroid without points moves to a point that is far
/// from the centroid it was assigned to. At staleness 0 the result is bit for bit the same for any
/// number of ranks and threads. A round takes at most O(points × k × columns / threads of all
/// ranks). With points in doubles, rounds compute in floats, relative to the middle of the points'
/// range, as long as floats tell the points apart, and then in doubles. At the end each point whose
/// nearest centroid rounding may hide is assigned by its own coordinates, in double: its label does
/// not depend on how far away others are.
///
/// With `options.run.iterations` 0 and a start, points are only assigned to it. Then there may be
/// fewer points than centroids.
///
/// UsageError for options that make no sense. InputError for fewer than k points (or, if starts are
/// drawn, than k points of weight above 0), for points that do not fit together, for points so far
/// apart that their squared distances have no finite sum, and, by cosine, for a point of length 0.
/// Collective.
KMeansResult k_means(const Context& context, const Points<float>& points, std::uint64_t k,
                     const KMeansOptions& options = {});
KMeansResult k_means(const Context& context, const Points<double>& points, std::uint64_t k,
                     const KMeansOptions& options = {});
/// The same for sparse points, whose zeros are never stored; centroids are dense. It computes in
/// floats, and in doubles where floats may not tell centroids apart. The points must stay in memory
/// until it returns. A round takes at most O((entries + columns) × k / threads of all ranks). Each
/// rank needs about 44 bytes for each of k × columns, and 8 more for each thread.
KMeansResult k_means(const Context& context, const SparsePoints& points, std::uint64_t k,
                     const KMeansOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that k_means does not allow. Local.
void check_k_means(const RunOptions& options);

/// What takes memory besides points.
struct KMeansExtras {
  bool weights = false;     // they are given
  bool directions = false;  // by KMeansMetric::cosine
  bool staged = false;      // topology groups or tree
  bool two_level = false;   // by options.levels
  bool stays = false;       // points are not given back: set by k_means_bytes
};

/// The memory that a rank needs for this number of points, these included; see PieceSizes. Points
/// in floats are freed when on_start is called; with `wide` they are doubles, which stay. Local.
double k_means_bytes(double points, double columns, double clusters, bool wide, int ranks,
                     unsigned threads, KMeansExtras extras = {});

/// The size of a rank's sparse points.
struct SparseSizes {
  double points = 0, entries = 0;
  bool wide = false;  // values are doubles
};
/// The same for sparse points.
double k_means_bytes(const SparseSizes& sizes, double columns, double clusters, int ranks,
                     unsigned threads, KMeansExtras extras = {});

}  // namespace gas
