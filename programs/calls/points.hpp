#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/function_ref.hpp"
#include "gas/base/threads/executor.hpp"

namespace gas {

/// This rank's share of points, of any number of rows, in memory that the caller keeps. The shares
/// of all ranks form one list, in which a rank's rows follow those of lower ranks. A row's id is
/// its index in that list, from 0.
template <class T>
requires std::same_as<T, float> || std::same_as<T, double>
struct Points {
  std::span<const T> values;             // row after row
  std::uint64_t columns = 0;             // numbers per row; alike on all ranks that have rows
  std::string_view name = "the points";  // for messages

  std::uint64_t rows() const { return columns > 0 ? values.size() / columns : 0; }
};
template <std::ranges::contiguous_range R>
Points(const R&, std::uint64_t) -> Points<std::ranges::range_value_t<R>>;

/// The shares of all ranks.
struct PointShares {
  std::uint64_t columns = 0;
  std::vector<std::uint64_t>
      first;  // by rank: the id of its first row; then the number of all rows

  std::uint64_t rows() const { return first.back(); }
};

namespace detail {

/// The shares of all ranks; this one has `rows` rows of `columns` numbers, or nothing if not
/// `some`. InputError for what is wrong in any form; check(id of its first row) throws the rest.
/// Collective.
PointShares joined_shares(Communicator& comm, const std::string& name, bool some,
                          std::uint64_t columns, std::uint64_t rows,
                          FunctionRef<void(std::uint64_t first)> check);

}  // namespace detail

/// InputError if a share does not consist of whole rows, if its rows have another length than those
/// of other ranks, or if a number is not finite. Reads all points on the executor's threads.
/// Collective.
template <class T>
PointShares check_points(Communicator& comm, Executor& executor, const Points<T>& points);

}  // namespace gas
