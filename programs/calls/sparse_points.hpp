#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gas/base/types.hpp"
#include "programs/calls/points.hpp"

namespace gas {

/// Points in memory of which only some numbers are stored, the others being 0: compressed rows that
/// the caller keeps. Shares of ranks as in Points.
struct SparsePoints {
  /// Entries of the i-th row that this rank gives: from offsets[i] to offsets[i + 1] − 1. One more
  /// than there are rows, the first 0; empty: no rows.
  std::span<const std::uint64_t> offsets = {};
  std::span<const VertexId> column = {};     // of each entry; ascending in a row, none twice
  std::span<const float> values = {};        // of each entry,
  std::span<const double> wide_values = {};  // or here
  std::uint64_t columns = 0;                 // numbers per row; alike on all ranks that have rows
  std::string_view name = "the points";      // for messages

  std::uint64_t rows() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::uint64_t entries() const { return column.size(); }
  bool wide() const { return !wide_values.empty(); }
};

/// InputError where lists do not fit each other, columns are not below `columns` or do not ascend,
/// rows differ in length between ranks, or a number is not finite. Reads all points. Collective.
PointShares check_points(Communicator& comm, Executor& executor, const SparsePoints& points);

}  // namespace gas
