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

/// Where centroids start: at points drawn by greedy k-means++ (Arthur, Vassilvitskii 2007), of
/// which each is the best of 2 + ln k draws; by k-means|| (Bahmani et al. 2012), which takes about
/// as long as ten rounds, less than k-means++ where k is large; or at k points, all sets equally
/// likely.
enum class KMeansInit { plus_plus, parallel, random };

/// By the name k-means++, k-means|| or random; nothing for another.
std::optional<KMeansInit> k_means_init(std::string_view name);

/// How far points are from centroids: the objective sums their squared distances, or 1 − the cosine
/// of their angle (spherical k-means: Dhillon, Modha 2001), whose centroids are directions, of
/// length 1.
enum class KMeansMetric { euclidean, cosine };

/// Alike on all ranks but for `weights` and `rank_of`.
struct KMeansOptions {
  KMeansInit init = KMeansInit::plus_plus;
  KMeansMetric metric = KMeansMetric::euclidean;
  /// What each row that this rank gives counts in centroids, in the objective and in draws: finite,
  /// at least 0, and if more than 0 at least 2^-40 of the sum of all. Empty on all ranks: 1.
  std::vector<double> weights = {};
  /// How many starts to draw, the first from `seed`; the one that ends with the least objective is
  /// kept. One alone where `start` is given, and with checkpoints.
  std::uint64_t restarts = 1;
  /// Start centroids, k × columns, row after row. Empty: they are drawn, as `init` says.
  std::vector<double> start = {};
  /// With points in floats, a start is rounded to floats. Kept, it is not: where floats do not hold
  /// it, the points are taken as doubles. A start beyond the range of floats is always kept.
  bool keep_start = false;
  /// The rounds end when one lowers the objective by at most this share of it; 0: when no point
  /// moves.
  double tolerance = 1e-4;
  /// 2: of k centroids, k-means finds √k first; then the points of each are split, by k-means, into
  /// as many clusters as their share of all points is of k. A round of these costs 1/√k of one of
  /// all. Of dense points; one start, drawn; no checkpoints. Then, if any, Lloyd's rounds of all
  /// centroids; without, points are assigned to them. Rounds are told, and counted, of the √k and
  /// of all, not of the clusters between. On several ranks all points move to other ranks once.
  unsigned levels = 1;
  std::uint64_t full_rounds = 0;  // of all centroids, at most, with `levels` 2
  std::uint64_t seed = 1;
  /// The rank that is to compute with each row that this rank gives. Empty on all ranks: all have
  /// as many, in the order of the ids. Centroids and labels do not depend on it.
  std::vector<int> rank_of = {};
  RunOptions run = {.iterations = 100};  // any staleness; by sweep; any topology at staleness 0
  /// The objective is that of the round's labels; rounds count on from start to start.
  OnRound on_round = {};
  /// Called once, before anything is computed. Floats that were given are not read any more, and
  /// may go.
  std::function<void()> on_start = {};
};

/// k centroids. The functions are collective, and take points as k_means does; InputError for
/// points of other columns. Centroids are read as they are: where floats do not hold them, in
/// double.
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
  /// To an npy file, in doubles where floats do not hold them.
  void write(const Context& context, const std::string& path) const;

  /// The row of the nearest centroid, of each row that this rank gives.
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

/// Most centroids.
constexpr std::uint64_t max_clusters = 0x7fff'ffff;

/// Lloyd's k-means (1957, 1982): centroids at the means of the points nearest to them, from
/// `options.start` or from drawn points; one without points takes a point that is far from its
/// centroid. At staleness 0 the result is the same for any number of ranks and threads, bit for
/// bit. A round takes O(points × k × columns / threads of all ranks) at most. Points in doubles
/// are computed with in floats from the middle of their range as long as these tell them apart, and
/// in doubles from there on.
///
/// With `options.run.iterations` 0 and a start, points are only assigned to it: then there may be
/// fewer points than centroids.
///
/// UsageError for options that make no sense; InputError for points that are fewer than k (or, that
/// weigh anything, and drawn from), do not fit together, or are so far apart that their squared
/// distances have no finite sum, and, by cosine, for a point of length 0. Collective.
KMeansResult k_means(const Context& context, const Points<float>& points, std::uint64_t k,
                     const KMeansOptions& options = {});
KMeansResult k_means(const Context& context, const Points<double>& points, std::uint64_t k,
                     const KMeansOptions& options = {});
/// The same of points whose zeros are not stored, and never are; centroids are dense. They are
/// computed with in doubles, and must stay until it returns. A round takes
/// O((entries + columns) × k / threads of all ranks) at most, and memory for 3 × k × columns
/// numbers of 8 bytes on every rank, and one times these for each thread.
KMeansResult k_means(const Context& context, const SparsePoints& points, std::uint64_t k,
                     const KMeansOptions& options = {});

/// UsageError for RunOptions that it does not take, with the reason. Local.
void check_k_means(const RunOptions& options);

/// What beside points takes memory.
struct KMeansExtras {
  bool weights = false;     // they are given
  bool directions = false;  // by KMeansMetric::cosine
  bool staged = false;      // by a topology that is not flat
  bool two_level = false;   // by options.levels
  bool stays = false;       // points are not given back: set by k_means_bytes
};

/// What it takes of a rank with so many points, these included; see PieceSizes. Points that are
/// floats go when on_start is called; `wide`: they are doubles, which stay. Local.
double k_means_bytes(double points, double columns, double clusters, bool wide, int ranks,
                     unsigned threads, KMeansExtras extras = {});

/// Sparse points of a rank.
struct SparseSizes {
  double points = 0, entries = 0;
  bool wide = false;  // values are doubles
};
/// The same of these.
double k_means_bytes(const SparseSizes& sizes, double columns, double clusters, int ranks,
                     unsigned threads, KMeansExtras extras = {});

}  // namespace gas
