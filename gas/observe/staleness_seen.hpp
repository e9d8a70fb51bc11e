#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace gas {

/// By how many rounds the reads of one rank lagged: a read is one step's look at one other rank's
/// values or totals, and lags by 0 if it sees the rank's last round.
struct StalenessSeen {
  static constexpr std::size_t buckets = 32;  // the last one holds all that is more

  std::array<std::uint64_t, buckets> histogram{};
  std::uint64_t most = 0, sum = 0, reads = 0;

  void add(std::uint64_t lag) {
    ++histogram[std::min<std::uint64_t>(lag, buckets - 1)];
    most = std::max(most, lag);
    sum += lag;
    ++reads;
  }
  double mean() const {
    return reads == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(reads);
  }
};

}  // namespace gas
