#include "partition/part_pairs.hpp"

#include <algorithm>
#include <limits>

namespace gas::partition {
namespace {

constexpr std::size_t slots = std::size_t{1} << 12U;

}  // namespace

PartPairs::PartPairs(Part parts)
    : parts_(parts), recent_(slots, std::numeric_limits<std::uint64_t>::max()), unite_at_(slots) {}

void PartPairs::unite() {
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  unite_at_ = std::max(slots, 2 * found_.size());
}

std::uint64_t PartPairs::count(Team& team) && {
  unite();
  const auto ranks = static_cast<std::uint64_t>(team.size());
  std::vector<std::vector<std::uint64_t>> out(ranks);
  for (const std::uint64_t pair : found_) out[pair % ranks].push_back(pair);
  found_.clear();
  for (const auto& block : all_to_all(team, std::move(out)))
    found_.insert(found_.end(), block.begin(), block.end());
  unite();
  return all_sum(team, static_cast<std::uint64_t>(found_.size()));
}

}  // namespace gas::partition
