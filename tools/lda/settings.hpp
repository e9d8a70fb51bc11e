#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace gas::tools {

/// What the command line of gas-lda says beside the common options.
struct TopicSettings {
  std::uint32_t topics = 0;  // 0: as many as the model has
  double alpha = 0.1, beta = 0.01;
  bool alpha_given = false, beta_given = false;
  std::string sampler = "auto", vocabulary, heldout;
  bool no_objective = false;

  /// --heldout as a number, or 0 where it names a file.
  double heldout_fraction() const {
    double value = 0;
    const char* const end = heldout.data() + heldout.size();
    const auto parsed = std::from_chars(heldout.data(), end, value);
    return parsed.ec == std::errc() && parsed.ptr == end ? value : 0;
  }
};

}  // namespace gas::tools
