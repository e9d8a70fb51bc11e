#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "programs/k_means/k_means.hpp"

namespace gas {

/// What was found for one number of clusters.
struct KMeansOfK {
  std::uint64_t k = 0;
  double objective = 0;
  std::optional<double> silhouette;  // nothing for one cluster, or where it was interrupted
};

struct KMeansScan {
  std::vector<KMeansOfK> tried = {};  // by ascending k
  /// Where the objective stops falling fast: the k whose objective lies farthest below the line
  /// from that of the first k to that of the last (Satopaa et al. 2011).
  std::uint64_t elbow = 0;
  /// Of the k with the greatest silhouette, the least of equals; its model is what is proposed.
  KMeansResult best = {};
};

/// k_means for every number of clusters from `first` to `last`, with options of that; draws are of
/// the same seed. Silhouettes are of a sample of `sample` points, by their weights (see
/// silhouette). Points must stay until it returns. Rounds that are told count on. Ends after the k
/// at which it is interrupted. UsageError for an empty range, a start, or checkpoints. Collective.
KMeansScan k_means_scan(const Context& context, const Points<float>& points, std::uint64_t first,
                        std::uint64_t last, std::uint64_t sample,
                        const KMeansOptions& options = {});
KMeansScan k_means_scan(const Context& context, const Points<double>& points, std::uint64_t first,
                        std::uint64_t last, std::uint64_t sample,
                        const KMeansOptions& options = {});
KMeansScan k_means_scan(const Context& context, const SparsePoints& points, std::uint64_t first,
                        std::uint64_t last, std::uint64_t sample,
                        const KMeansOptions& options = {});

}  // namespace gas
