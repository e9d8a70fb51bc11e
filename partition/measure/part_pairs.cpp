#include "partition/measure/part_pairs.hpp"

#include <algorithm>

namespace gas::partition {
namespace {

constexpr std::uint64_t most_seen = std::uint64_t{1} << 24U;
constexpr std::size_t united_at_least = std::size_t{1} << 16U;

}  // namespace

PartPairs::PartPairs(Part parts) : parts_(parts), unite_at_(united_at_least) {
  if (parts_ * parts_ <= most_seen) seen_.resize(parts_ * parts_);
}

void PartPairs::unite() {
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  unite_at_ = std::max(united_at_least, 2 * found_.size());
}

std::uint64_t PartPairs::count(Communicator& comm) && {
  unite();
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  std::vector<std::vector<std::uint64_t>> out(ranks);
  for (const std::uint64_t pair : found_) out[pair % ranks].push_back(pair);
  found_.clear();
  for (const auto& block : all_to_all(comm, std::move(out)))
    found_.insert(found_.end(), block.begin(), block.end());
  unite();
  return all_sum(comm, static_cast<std::uint64_t>(found_.size()));
}

}  // namespace gas::partition
