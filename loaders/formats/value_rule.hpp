#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "loaders/load_graph.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {

/// What the values of edges may be.
struct ValueRule {
  bool counts = false;   // whole numbers up to largest_count
  bool lengths = false;  // at least 0; as a float, none that loses digits for being small
  bool weights = false;  // whole numbers from 1 to 2^31 - 1
  bool wide = false;     // doubles, not floats

  bool in_column = false;  // of a table, where it may be left out

  explicit ValueRule(const GraphOptions& options)
      : counts(options.counts), lengths(options.lengths), wide(options.wide) {}

  const char* expected() const {
    return counts                 ? "a number of occurrences, whole and at most 16777215"
           : weights              ? "a weight, a whole number from 1 to 2147483647"
           : lengths && in_column ? "a finite number of at least 0, the edge's length or weight "
                                    "(--columns 1,2 leaves the third column out)"
           : lengths              ? "a finite number of at least 0, the edge's length or weight"
           : in_column
               ? "a finite number, the edge's value (--columns 1,2 leaves the third column out)"
               : "a finite number, the edge's value";
  }
  /// The value at the scanner's place, or a failure.
  double read(Scanner& scanner) const {
    const char* const begin = scanner.position();
    const double value = read_start(scanner);
    if (!scanner.ends_token()) scanner.fail(begin, expected());
    return value;
  }
  /// The same of a number that any character may end.
  double read_start(Scanner& scanner) const {
    const char* const begin = scanner.position();
    const double value =
        wide ? scanner.real<double>(expected()) : double{scanner.real<float>(expected())};
    const auto is_whole = [&] { return value == std::floor(value); };  // a call: only where asked
    const bool allowed = counts    ? value >= 0 && value <= double{largest_count} && is_whole()
                         : weights ? value >= 1 && value < 0x1p31 && is_whole()
                                   : !lengths || value >= 0;
    if (!allowed) scanner.fail(begin, expected());
    if (lengths && !wide && value < double{std::numeric_limits<float>::min()} &&
        !is_zero({begin, static_cast<std::size_t>(scanner.position() - begin)}))
      scanner.fail(begin, "0 or a number that a 32-bit float holds, at least 1.2e-38");
    return value;
  }

 private:
  static bool is_zero(std::string_view number) {
    return number.substr(0, number.find_first_of("eE")).find_first_of("123456789") ==
           std::string_view::npos;
  }
};

}  // namespace gas::loaders::detail
