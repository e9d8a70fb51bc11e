#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "programs/logistic_regression/filters.hpp"

namespace gas {

/// Sums over ranks of records of keys, without those that filters leave out. Each rank adds up a
/// share of the keys, in rank order, so that sums are the same in every run. One rank sends
/// nothing, and its ledger stays empty. Everything is collective, and costs O(keys) on each rank.
class FilteredSums {
 public:
  using Flags = std::vector<std::uint8_t>;  // by key

  FilteredSums(Communicator& comm, const Filters& filters) : comm_(comm), filters_(filters) {}

  /// Which flags any rank has set.
  Flags any(const Flags& mine);
  /// numbers: `width` per key, of which the sum over ranks takes the place. `active`, alike on all
  /// ranks: others are 0 afterwards. `significant`: others of mine count as 0; empty: all count.
  void add_up(std::span<double> numbers, std::size_t width, const Flags& active,
              const Flags& significant = {});

  const Filters& filters() const { return filters_; }
  const FilterLedger& ledger() const { return ledger_; }

 private:
  std::vector<Bytes> swap(std::vector<Bytes> out);
  double to_others(const std::vector<Bytes>& out) const;  // bytes

  Communicator& comm_;
  Filters filters_;
  FilterLedger ledger_;
};

}  // namespace gas
