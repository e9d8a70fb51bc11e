#pragma once

#include <cstdint>
#include <vector>

#include "gas/base/id_kind.hpp"
#include "gas/base/types.hpp"

namespace gas::partition {

/// What consecutive rows of one kind are called in the INPUT.
struct RowNames {
  IdKind kind = IdKind::consecutive;
  std::uint64_t first = 0;             // consecutive: the id of row 0 of all
  std::vector<std::uint64_t> numbers;  // numbers: one per row
  std::vector<char> text;              // names: each with a '\n' behind it
};

/// What is known of consecutive rows of one kind beside their edges.
struct RowTables {
  std::vector<Part> masters;
  RowNames names;
  std::vector<double> labels;  // one per row, or none
};

/// Of this rank's BlockDistribution of each kind. Masters are left out: a Partition has them.
struct RowData {
  RowTables sources, targets;  // targets: bipartite only
};

}  // namespace gas::partition
