#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gas/base/text/parse_number.hpp"
#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-lda says beside the common options.
struct TopicSettings {
  std::string topics_text;          // --topics
  std::vector<std::size_t> topics;  // none: as many as the model has; several: a fit of each
  double alpha = 0.1, beta = 0.01;
  bool alpha_given = false, beta_given = false;
  std::string sampler = "auto", vocabulary, heldout;
  std::uint64_t optimize_every = 0;  // rounds; 0: never
  std::uint64_t optimize_burn_in = 0;
  std::uint64_t split_merge = 0;  // rounds; 0: never
  std::uint64_t turns = 1;
  bool measures = false, no_objective = false;

  bool several() const { return topics.size() > 1; }
  std::size_t most_topics() const { return topics.empty() ? 0 : std::ranges::max(topics); }

  /// --heldout as a number; none where it names a file.
  std::optional<double> heldout_fraction() const {
    double value = 0;
    return parse_number(heldout, value) ? std::optional(value) : std::nullopt;
  }
};

void take_lda(Options& options, TopicSettings& settings);

}  // namespace gas::tools
