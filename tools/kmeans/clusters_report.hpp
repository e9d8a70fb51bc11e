#pragma once

#include <vector>

#include "loaders/load_points.hpp"
#include "programs/k_means/k_means.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a report says of clusters: sizes, spread, the nearest other centre, and centres, as
/// pictures where the columns are those of a square picture. `points` as loaded, with their values.
/// Whole on rank 0. Collective.
std::vector<report::Section> cluster_sections(Run& run, const loaders::LoadedPoints& points,
                                              const KMeansResult& found);

}  // namespace gas::tools
