#pragma once

#include <cstdint>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"

namespace gas::partition {

/// Which ordered pairs of parts occur. Memory: 16 bytes per pair that does, and 2 MB at most.
class PartPairs {
 public:
  explicit PartPairs(Part parts);

  void add(Part from, Part to) {
    const std::uint64_t pair = std::uint64_t{from} * parts_ + to;
    if (!seen_.empty()) {
      if (seen_[pair]) return;
      seen_[pair] = true;
    }
    found_.push_back(pair);
    if (found_.size() >= unite_at_) unite();
  }

  /// Pairs that some rank has added. Collective; ends the set.
  std::uint64_t count(Communicator& comm) &&;

 private:
  void unite();

  std::uint64_t parts_;
  std::vector<bool> seen_;            // by pair; empty where there could be too many
  std::vector<std::uint64_t> found_;  // with repeats, where they are not seen at once
  std::size_t unite_at_;
};

}  // namespace gas::partition
