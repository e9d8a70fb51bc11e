#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/types.hpp"
#include "programs/calls/points.hpp"
#include "programs/k_means/sparse/rows.hpp"

namespace gas::detail {

/// What the points of a rank weigh, in units of a power of 2 in which no weight is above 1.
struct Weights {
  bool given = false;             // else all weigh 1
  std::vector<double> each = {};  // by placed row; empty if not given
  int exponent = 0;               // of the unit
  double sum = 0;                 // of all ranks, in units
  std::uint64_t positive = 0;     // points on all ranks that weigh more than 0
  bool alike = true;              // all weigh the same

  double operator[](std::size_t i) const { return given ? each[i] : 1; }
};

/// Points on the ranks that compute with them, in the data's own units.
template <class Value>
struct Placed {
  std::uint64_t count = 0;  // on all ranks
  std::size_t dimensions = 0;
  std::vector<VertexId> rows;    // ids, ascending
  bool stay = false;             // on all ranks, where they were given
  std::span<const Value> given;  // row after row, if so,
  std::vector<Value> moved;      // else here
  std::vector<double> factors =
      {};  // by row, of its numbers, where lengths are to be 1; else empty
  Weights weights = {};

  std::span<const Value> values() const { return stay ? given : std::span<const Value>(moved); }
  /// Number d of row i, in a length of 1 if so.
  double at(std::size_t i, std::size_t d) const {
    const auto x = static_cast<double>(values()[i * dimensions + d]);
    return factors.empty() ? x : x * factors[i];
  }
};

template <>
struct Placed<SparseReal> {
  std::uint64_t count = 0;
  std::size_t dimensions = 0;
  std::vector<VertexId> rows;
  bool stay = false;
  std::shared_ptr<const SparseRows> entries;  // row after row
  std::vector<double> factors = {};
  Weights weights = {};
};

/// Whether the shares are even blocks of ids.
inline bool are_even_blocks(const PointShares& shares, int ranks) {
  const BlockDistribution blocks{shares.rows(), ranks};
  bool same = true;
  for (int of = 0; of <= ranks; ++of)
    same &= shares.first[static_cast<std::size_t>(of)] == blocks.first(of);
  return same;
}

/// Where each rank's rows are computed with: (*rank_of)[i] for the i-th of this rank's share; null
/// on all ranks: in even blocks of ids. Shares that are so already stay where they are, uncopied.
/// Collective.
template <class Value>
Placed<Value> place(Communicator& comm, const PointShares& shares, std::span<const Value> share,
                    const std::vector<int>* rank_of) {
  const BlockDistribution blocks{shares.rows(), comm.size()};
  Placed<Value> placed{shares.rows(),
                       shares.columns,
                       {},
                       rank_of == nullptr && are_even_blocks(shares, comm.size()),
                       share,
                       {}};
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::uint64_t first = shares.first[rank], count = shares.first[rank + 1] - first;
  if (placed.stay) {
    placed.rows.resize(count);
    std::iota(placed.rows.begin(), placed.rows.end(), to_vertex_id(first));
    return placed;
  }
  std::vector<std::vector<VertexId>> rows(shares.first.size() - 1);
  std::vector<std::vector<Value>> coordinates(rows.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto to = static_cast<std::size_t>(rank_of ? (*rank_of)[i] : blocks.owner(first + i));
    const auto x = share.subspan(i * placed.dimensions, placed.dimensions);
    rows[to].push_back(to_vertex_id(first + i));
    coordinates[to].insert(coordinates[to].end(), x.begin(), x.end());
  }
  // By rank, so by id: the rows arrive in ascending order.
  for (const auto& block : all_to_all(comm, std::move(rows)))
    placed.rows.insert(placed.rows.end(), block.begin(), block.end());
  for (const auto& block : all_to_all(comm, std::move(coordinates)))
    placed.moved.insert(placed.moved.end(), block.begin(), block.end());
  return placed;
}

/// Values by placed row → by row of this rank's share. Collective.
template <class Value, class T>
std::vector<T> to_shares(Communicator& comm, const PointShares& shares, const Placed<Value>& placed,
                         std::vector<T> values) {
  if (placed.stay) return values;
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::uint64_t first = shares.first[rank];
  std::vector<std::vector<VertexId>> rows(shares.first.size() - 1);
  std::vector<std::vector<T>> told(rows.size());
  for (std::size_t i = 0, to = 0; i < placed.rows.size(); ++i) {
    while (placed.rows[i] >= shares.first[to + 1]) ++to;
    rows[to].push_back(placed.rows[i]);
    told[to].push_back(values[i]);
  }
  const auto in_rows = all_to_all(comm, std::move(rows));
  const auto in_values = all_to_all(comm, std::move(told));
  values.resize(shares.first[rank + 1] - first);
  for (std::size_t from = 0; from < in_rows.size(); ++from)
    for (std::size_t i = 0; i < in_rows[from].size(); ++i)
      values[in_rows[from][i] - first] = in_values[from][i];
  return values;
}

}  // namespace gas::detail
