#pragma once

#include <optional>
#include <string>
#include <vector>

#include "programs/k_means/selection/scan.hpp"
#include "programs/k_means/selection/silhouette.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What gas-kmeans has found, for its words to people.
struct FoundClusters {
  KMeansResult result = {};
  std::optional<Silhouette> silhouette = {};
  bool has_no_silhouette = false;       // it was asked for
  std::optional<KMeansScan> scan = {};  // without `best`, which is `result`
  std::vector<double> weights = {};     // of this rank's rows; empty: 1
  std::uint64_t points = 0;             // on all ranks
  /// Points by cluster on all ranks, and what they weigh, where `result` has no labels.
  std::vector<std::uint64_t> sizes = {};
  std::vector<double> size_weights = {};
  std::uint64_t batches = 0, passes = 0;  // of mini-batches; 0: there were none
};

/// What the objective of such a model is, for people.
std::string objective_of(const KMeansModel& model);

/// Five sentences: what was found, how large and how tight the clusters are, how well they are
/// apart. On all ranks. Collective.
std::vector<std::string> told_of(Run& run, const FoundClusters& found);

/// A line per number of clusters that was tried, for people.
std::string scan_table(const KMeansScan& scan, std::uint64_t proposed);
/// The same as a table of tabs with a header, numbers in full.
std::string scan_lines(const KMeansScan& scan, std::uint64_t proposed);

}  // namespace gas::tools
