#pragma once

#include <cstdint>
#include <optional>

#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-als says beside the common options.
struct AlsSettings {
  std::uint32_t rank = 10;
  bool rank_given = false;
  double lambda = 0.1;
  bool lambda_given = false;
  bool weighted = false;
  bool subtract_mean = false;
  std::optional<double> mean;  // the model's, with subtract_mean
  double heldout = 0;
  bool unweighted = false;
  double alpha = 1;
  bool implicit = false;

  std::optional<double> feedback() const { return implicit ? std::optional(alpha) : std::nullopt; }
};

/// UsageError for --heldout or --subtract-mean with implicit feedback, asked for or the model's.
void check_implicit(const AlsSettings& settings);

void take_als(Options& options, AlsSettings& settings);

}  // namespace gas::tools
