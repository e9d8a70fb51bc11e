#pragma once

#include <cstdint>
#include <vector>

#include "loaders/load_points.hpp"
#include "programs/k_means/k_means.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a report wants to know of each cluster.
struct ClusterSums {
  std::vector<std::uint64_t> points;
  std::vector<double> away;  // Σ squared distance to the centre; cosine: Σ 1 − cosine
};

/// Of this rank's points, as loaded, with their values. Local.
ClusterSums local_sums(const loaders::LoadedPoints& points, const KMeansResult& found);

/// What a report says of clusters: sizes, spread, the nearest other centre, and centres, as
/// pictures where the columns are those of a square picture. `sums`: this rank's. Whole on rank 0.
/// Collective.
std::vector<report::Section> cluster_sections(Run& run, ClusterSums sums, const KMeansModel& model);

}  // namespace gas::tools
