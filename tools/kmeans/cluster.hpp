#pragma once

#include "loaders/load_points.hpp"
#include "tools/kmeans/findings.hpp"
#include "tools/kmeans/settings.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Whether points are to stay in memory after their clusters are found.
bool keeps_points(const Run& run, const KMeansSettings& settings);

KMeansMetric metric_of(const KMeansSettings& settings);

/// As many as the model has, or -k says. Collective.
std::uint64_t clusters_of(Run& run, const KMeansSettings& settings);

/// The model of --model. InputError if it has not `k` centroids of `columns` numbers; 0: any.
/// Collective.
KMeansModel read_model(Run& run, std::uint64_t k, std::uint64_t columns);

/// Clusters the points as the command line says, or assigns them to a model's clusters, and
/// measures what is asked for. Floats that need not stay are gone from `points` afterwards.
/// Collective.
FoundClusters cluster(Run& run, const KMeansSettings& settings, loaders::LoadedPoints& points);

}  // namespace gas::tools
