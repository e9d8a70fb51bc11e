#pragma once

#include <cstdint>
#include <vector>

#include "programs/k_means/k_means.hpp"

namespace gas::detail {

/// How many of k centroids each cluster of so many points gets: in proportion, but at least one if
/// there are points, and never more than points. Σ points ≥ k ≥ the number of clusters that have
/// some. Local.
std::vector<std::uint64_t> share_out(const std::vector<std::uint64_t>& points, std::uint64_t k);

/// k_means with options.levels 2, once options and points are known to make sense. Collective.
template <class T>
KMeansResult two_level(const Context& context, const Points<T>& points, std::uint64_t k,
                       const KMeansOptions& options);

}  // namespace gas::detail
