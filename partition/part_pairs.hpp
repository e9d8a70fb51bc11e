#pragma once

#include <cstdint>
#include <vector>

#include "gas/graph/team.hpp"
#include "gas/graph/types.hpp"

namespace gas::partition {

/// Which ordered pairs of parts occur. Memory: 16 bytes per pair that does.
class PartPairs {
 public:
  explicit PartPairs(Part parts);

  void add(Part from, Part to) {
    const std::uint64_t pair = std::uint64_t{from} * parts_ + to;
    std::uint64_t& recent = recent_[pair % recent_.size()];
    if (recent == pair) return;
    recent = pair;
    found_.push_back(pair);
    if (found_.size() >= unite_at_) unite();
  }

  /// Pairs that some rank has added. Collective; ends the set.
  std::uint64_t count(Team& team) &&;

 private:
  void unite();

  std::uint64_t parts_;
  std::vector<std::uint64_t> recent_;  // so that most repeats are seen at once
  std::vector<std::uint64_t> found_;
  std::size_t unite_at_;
};

}  // namespace gas::partition
