#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gas/context.hpp"
#include "programs/k_means/k_means.hpp"

namespace gas {

/// How well clusters are apart (Rousseeuw 1987), from −1 to 1. Of a point: (b − a) / max(a, b), a
/// being its mean distance to the others of its cluster, b that to the points of the nearest other
/// cluster; 0 for a point that is alone in its cluster. With weights all means are by weight: a
/// factor to all weights changes nothing, and points of weight 0 count for nothing.
struct Silhouette {
  double mean = 0;                       // over the points of the sample
  std::uint64_t sample = 0;              // how many these are
  std::vector<double> of_clusters = {};  // by label; NaN where the sample has none, or no weight
  bool interrupted = false;              // then it was not measured
};

/// The silhouette of points and their labels, in 0 … k − 1, within a sample of `most` of them that
/// are drawn alike likely (all, if there are no more): the same for any number of ranks. Distances
/// are Euclidean, or 1 − cosine. Nothing if fewer than two labels are in the sample. Takes
/// O(sample² × columns / threads of all ranks), and memory for the sample on every rank. `weights`:
/// of this rank's points, finite and at least 0; empty on all ranks: 1. `interrupted` is asked on
/// every rank some times in a second: if it says so on any, all end. InputError as of k_means, and
/// for labels and weights that do not fit. Collective.
std::optional<Silhouette> silhouette(const Context& context, const Points<float>& points,
                                     std::span<const std::int32_t> labels, std::uint64_t k,
                                     std::uint64_t most, std::uint64_t seed = 1,
                                     KMeansMetric metric = KMeansMetric::euclidean,
                                     std::span<const double> weights = {},
                                     const std::function<bool()>& interrupted = {});
std::optional<Silhouette> silhouette(const Context& context, const Points<double>& points,
                                     std::span<const std::int32_t> labels, std::uint64_t k,
                                     std::uint64_t most, std::uint64_t seed = 1,
                                     KMeansMetric metric = KMeansMetric::euclidean,
                                     std::span<const double> weights = {},
                                     const std::function<bool()>& interrupted = {});
std::optional<Silhouette> silhouette(const Context& context, const SparsePoints& points,
                                     std::span<const std::int32_t> labels, std::uint64_t k,
                                     std::uint64_t most, std::uint64_t seed = 1,
                                     KMeansMetric metric = KMeansMetric::euclidean,
                                     std::span<const double> weights = {},
                                     const std::function<bool()>& interrupted = {});

/// What it takes of every rank, beside the points. Local.
double silhouette_bytes(double points, double columns, double most);

}  // namespace gas
