#pragma once

#include <cstdint>
#include <string>

#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-kmeans says beside the common options.
struct KMeansSettings {
  std::uint32_t k = 0;  // as many as the start has
  std::string init = "k-means++";
};

void take_k_means(Options& options, KMeansSettings& settings);

}  // namespace gas::tools
