#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/rank_sums.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools::report {

/// How many values lie from `least` on and below the next bin's, in the last one up to `most`.
struct Bin {
  double least = 0, most = 0;
  std::uint64_t count = 0;
};

/// Bins for values from `least` to `most`: one per whole number if they are `whole` and few; where
/// they span more than a factor of ten as wide as they are large, with one for what is not above 0;
/// else all as wide. At most 26.
std::vector<Bin> bins(double least, double most, double least_positive, bool whole);
/// The one in which a value lies.
std::size_t bin_of(const std::vector<Bin>& bins, double value);

/// How the finite values of all ranks are spread. Two passes over them. Collective.
template <class T>
std::vector<Bin> distribution(Communicator& comm, std::span<const T> values) {
  struct Seen {
    double least = std::numeric_limits<double>::infinity(), most = -least, positive = least;
    bool whole = true;
  } mine;
  for (const T each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) continue;
    mine.least = std::min(mine.least, value);
    mine.most = std::max(mine.most, value);
    if (value > 0) mine.positive = std::min(mine.positive, value);
    mine.whole = mine.whole && value == std::floor(value);
  }
  const Seen all = all_reduce(comm, mine, [](const Seen& a, const Seen& b) {
    return Seen{std::min(a.least, b.least), std::max(a.most, b.most),
                std::min(a.positive, b.positive), a.whole && b.whole};
  });
  if (all.least > all.most) return {};
  std::vector<Bin> found = bins(all.least, all.most, all.positive, all.whole);
  std::vector<std::uint64_t> counts(found.size(), 0);
  for (const T each : values)
    if (const auto value = static_cast<double>(each); std::isfinite(value))
      ++counts[bin_of(found, value)];
  add_ranks(comm, counts);
  for (std::size_t b = 0; b < found.size(); ++b) found[b].count = counts[b];
  return found;
}

/// Adds a chart of what share lies at or above each value, and the bins as a table. `of`: what is
/// counted; `what`: of which the values are.
void add_distribution(Section& section, const std::vector<Bin>& bins, const std::string& of,
                      const std::string& what);

}  // namespace gas::tools::report
