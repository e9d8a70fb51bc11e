#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/context.hpp"

namespace gas {

namespace detail {

template <class T>
using Element = std::remove_cvref_t<decltype(*std::declval<T&>().data())>;

}  // namespace detail

/// A vector whose width is known at run time: std::vector<double>, Eigen::VectorXd and the like.
template <class T>
concept WideVector = std::default_initializable<T> && std::movable<T> && !Plain<T> &&
                     requires(T & vector, std::size_t width) {
  vector.resize(static_cast<decltype(vector.size())>(width));
  requires Plain<detail::Element<T>>;
};

/// What map_reduce can reduce: a trivially copyable value, as a whole, or a WideVector, element by
/// element.
template <class T>
concept Reducible = (Plain<T> && std::default_initializable<T>) || WideVector<T>;

namespace detail {

/// The number of tasks into which a rank's slices are grouped. Fixed, so that the order of
/// reduction does not depend on the number of threads.
constexpr std::size_t map_reduce_tasks = 64;

template <WideVector T>
std::span<Element<T>> elements(T& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

inline void check_widths(std::size_t one, std::size_t other) {
  if (one != other)
    throw UsageError("map_reduce: f must return vectors of one length, found lengths " +
                     std::to_string(one) + " and " + std::to_string(other));
}

/// total = op(total, next).
template <class T, class Op>
void reduce_into(T& total, T& next, Op& op) {
  if constexpr (Plain<T>) {
    total = static_cast<T>(op(total, next));
  } else {
    const auto to = elements(total);
    const auto from = elements(next);
    check_widths(to.size(), from.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Element<T>>(op(to[i], from[i]));
  }
}

/// The result over this rank's slices; empty if it has none.
template <class T, class Slices, class F, class Op>
std::optional<T> map_reduce_here(Executor& executor, const Slices& slices, F& f, Op& op) {
  const BlockDistribution groups{static_cast<std::uint64_t>(std::ranges::size(slices)),
                                 static_cast<int>(map_reduce_tasks)};
  std::vector<std::optional<T>> by_group(map_reduce_tasks);
  const auto reduce_group = [&](std::size_t group, std::size_t) {
    std::optional<T> total;
    const auto end = groups.first(static_cast<int>(group) + 1);
    for (auto i = groups.first(static_cast<int>(group)); i < end; ++i) {
      const auto at = static_cast<std::ranges::range_difference_t<const Slices>>(i);
      T next = f(std::ranges::begin(slices)[at]);
      if (total)
        reduce_into(*total, next, op);
      else
        total = std::move(next);
    }
    by_group[group] = std::move(total);
  };
  executor.run(map_reduce_tasks, reduce_group, [] {});
  std::optional<T>& total = by_group[0];  // the first slices
  for (std::size_t group = 1; group < map_reduce_tasks; ++group)
    if (by_group[group]) reduce_into(*total, *by_group[group], op);
  return std::move(total);
}

/// Reduces the values of the ranks that have one, in rank order.
template <Plain T, class Op>
T reduce_ranks(Communicator& comm, std::optional<T> mine, Op& op) {
  struct Share {
    T value;
    bool any;
  };
  std::optional<T> total;
  for (const Share& share : all_gather(comm, Share{mine.value_or(T{}), mine.has_value()})) {
    if (!share.any) continue;
    total = total ? static_cast<T>(op(*total, share.value)) : share.value;
  }
  return total.value_or(T{});
}

/// Each rank reduces one block of the elements and receives the other blocks, reduced, from the
/// other ranks.
template <WideVector T, class Op>
T reduce_ranks(Communicator& comm, std::optional<T> mine, Op& op) {
  using E = Element<T>;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const auto widths = all_gather(comm, mine ? std::uint64_t{elements(*mine).size()} : none);
  const auto first = std::ranges::find_if(widths, [](auto width) { return width != none; });
  T total;
  if (first == widths.end()) {
    std::ranges::fill(elements(total), E{});  // where its width is fixed
    return total;
  }
  together(comm, [&] {
    for (const std::uint64_t width : widths)
      if (width != none) check_widths(*first, width);
  });
  if (comm.size() == 1) return std::move(*mine);

  const BlockDistribution blocks{*first, comm.size()};
  std::vector<std::vector<E>> out(widths.size());
  for (int rank = 0; mine && rank < comm.size(); ++rank) {
    const auto block = elements(*mine).subspan(blocks.first(rank), blocks.count(rank));
    out[static_cast<std::size_t>(rank)].assign(block.begin(), block.end());
  }
  const auto in = all_to_all(comm, std::move(out));
  std::vector<E> block = in[static_cast<std::size_t>(first - widths.begin())];
  for (auto rank = static_cast<std::size_t>(first - widths.begin()) + 1; rank < in.size(); ++rank)
    for (std::size_t i = 0; i < in[rank].size(); ++i)
      block[i] = static_cast<E>(op(block[i], in[rank][i]));
  total.resize(static_cast<decltype(total.size())>(*first));
  std::ranges::copy(all_gather(comm, std::span<const E>(block)).values(), elements(total).begin());
  return total;
}

}  // namespace detail

/// Reduces f(slice) over all slices of all ranks by `op`, and returns the result on every rank.
/// Each rank gives its own `slices`: a random-access range, for example of spans of examples or of
/// numbers; it may be empty. The context's threads call f concurrently. `op` must be associative.
/// Values are reduced as a whole. Vectors are reduced element by element and must all have the same
/// width.
///
/// The order is fixed. Each rank reduces its slices in 64 groups of neighbours, then the groups;
/// then the ranks' results are reduced; each in order. So the result is bit for bit the same for
/// any number of threads and in every run. With other numbers of ranks it can differ by the
/// rounding of `op`. If no rank has a slice, the result is T{}, all zero.
///
/// Collective. If f throws on one rank, all ranks throw that error (see `together`). UsageError if
/// widths differ. Memory: up to 64 results on each rank. A vector travels twice, whatever the
/// number of ranks.
template <std::ranges::random_access_range Slices, class F, class Op = std::plus<>>
auto map_reduce(const Context& context, const Slices& slices, F f, Op op = {}) {
  using T =
      std::remove_cvref_t<std::invoke_result_t<F&, std::ranges::range_reference_t<const Slices>>>;
  static_assert(Reducible<T>,
                "map_reduce: f must return a trivially copyable value, or a vector of such values "
                "that has data(), size() and resize()");
  std::optional<T> mine;
  together(context.transport(),
           [&] { mine = detail::map_reduce_here<T>(context.executor(), slices, f, op); });
  return detail::reduce_ranks<T>(context.transport(), std::move(mine), op);
}

}  // namespace gas
