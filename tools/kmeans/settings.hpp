#pragma once

#include <cstdint>
#include <string>

#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-kmeans says beside the common options.
struct KMeansSettings {
  std::uint32_t k = 0;  // as many as the start has
  std::string init = "k-means++", metric = "euclidean", weights;
  std::uint64_t restarts = 1, silhouette = 0;  // silhouette: points of the sample; 0: none
  std::string scan;                            // FIRST:LAST, or empty
  std::uint32_t first = 0, last = 0;           // of --scan; 0: none
  std::uint64_t batch = 0, passes = 1;         // batch: rows; 0: all points at once
  std::uint32_t levels = 1;
  std::uint64_t full_rounds = 0;

  bool scans() const { return last > 0; }
  bool cosine() const { return metric == "cosine"; }
};

void take_k_means(Options& options, KMeansSettings& settings);

}  // namespace gas::tools
