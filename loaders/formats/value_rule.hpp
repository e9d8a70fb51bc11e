#pragma once

#include <cmath>

#include "loaders/load_graph.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {

/// What the values of edges may be.
struct ValueRule {
  bool counts = false;   // whole numbers up to 2^24
  bool lengths = false;  // at least 0

  explicit ValueRule(const GraphOptions& options)
      : counts(options.counts), lengths(options.lengths) {}

  const char* expected() const {
    return counts    ? "a number of occurrences, whole and at most 2^24"
           : lengths ? "a finite number of at least 0, the edge's length"
                     : "a finite number, the edge's value";
  }
  /// The value at the scanner's place, or a failure.
  float read(Scanner& scanner) const {
    const char* const begin = scanner.position();
    const auto value = scanner.real<float>(expected());
    const bool allowed = counts ? value >= 0 && value <= 0x1p24F && value == std::floor(value)
                                : !lengths || value >= 0;
    if (!allowed || !scanner.ends_token()) scanner.fail(begin, expected());
    return value;
  }
};

}  // namespace gas::loaders::detail
