#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/threads/parallel.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"
#include "partition/partition.hpp"

namespace gas {

/// Numbers that lie side by side in memory.
template <class R>
concept Numbers =
    std::ranges::contiguous_range<R> && std::is_arithmetic_v<std::ranges::range_value_t<R>>;
template <class R>
concept Ids = Numbers<R> && std::integral<std::ranges::range_value_t<R>>;

namespace detail {

/// Entries from which on it pays to start threads.
constexpr std::size_t large = std::size_t{1} << 16U;

constexpr auto unseen = [](std::size_t, std::size_t) {};  // looks at no block

/// One rank's share of edges, copied from its caller's memory.
struct GivenEdges {
  EdgeList edges;
  std::uint64_t sources = 0, targets = 0;  // the largest id of each end, + 1
  std::uint64_t rows = 0;                  // sources that this rank lists the edges of
  /// Where each row begins, and the end, where the list of sources is left out.
  std::vector<EdgeOffset> offsets;
  std::string problem;  // what is wrong with the share; empty: nothing

  /// The list of one end, of so many edges; `see` and `more` as in copied_soon.
  template <std::integral Id, class See>
  void take_ids(std::vector<VertexId>& list, std::uint64_t& beyond, std::span<const Id> ids,
                See see, std::size_t more = 0) {
    if (ids.empty()) return;
    Id least = ids[0], most = ids[0];
    std::vector<VertexId> copy = copied_soon<VertexId>(
        ids,
        [&](std::size_t first, std::size_t last) {
          const auto [low, high] = bounds_of(ids.subspan(first, last - first));
          least = std::min(least, low), most = std::max(most, high);
          see(first, last);
        },
        more);
    const auto fits = [](Id id) {
      return std::in_range<VertexId>(id) && std::cmp_less(id, max_vertices);
    };
    if (!fits(least) || !fits(most)) {
      const auto bad = std::ranges::find_if_not(ids, fits);
      return refuse_id(std::to_string(*bad), static_cast<std::size_t>(bad - ids.begin()));
    }
    list = std::move(copy);
    beyond = static_cast<std::uint64_t>(most) + 1;
  }
  template <std::integral Id>
  void take_ids(std::vector<VertexId>& list, std::uint64_t& beyond, std::span<const Id> ids) {
    take_ids(list, beyond, ids, unseen);
  }
  /// Plain comparisons, which compilers turn into vector instructions.
  template <class Id>
  static std::pair<Id, Id> bounds_of(std::span<const Id> ids) {
    Id least = ids[0], most = ids[0];
    for (const Id id : ids) {
      least = id < least ? id : least;
      most = id > most ? id : most;
    }
    return {least, most};
  }
  void refuse_id(const std::string& id, std::size_t edge);
  void refuse_value(double value, std::size_t edge);
  void refuse_lengths(std::size_t from, std::size_t to, std::size_t values);

  /// Floats where these hold each value, or, if they are to be `rounded`, come near it; else
  /// doubles. Floats have room for `more`.
  template <class Value>
  void take_values(std::span<const Value> values, bool rounded = false, std::size_t more = 0) {
    bool finite = true, narrow = true, near = rounded;
    const auto see = [&](std::size_t first, std::size_t last) {
      for (const Value given : values.subspan(first, last - first)) {
        const auto value = static_cast<double>(given);
        finite &= std::abs(value) <= std::numeric_limits<double>::max();
        narrow &= static_cast<double>(static_cast<float>(value)) == value;
        near &= std::abs(value) <= std::numeric_limits<float>::max();
      }
    };
    constexpr bool floats = std::is_same_v<Value, float>;
    if constexpr (floats)
      edges.value = copied_soon<float>(values, see, more);
    else
      see(0, values.size());
    if (!finite) {
      const auto bad = std::ranges::find_if_not(
          values, [](Value value) { return std::isfinite(static_cast<double>(value)); });
      return refuse_value(static_cast<double>(*bad),
                          static_cast<std::size_t>(bad - values.begin()));
    }
    if constexpr (floats) return;
    if (narrow || near)
      edges.value = copied_soon<float>(values, unseen, more);
    else
      edges.wide_value = copied_soon<double>(values, unseen);
  }
};

/// Edges sources[e] → targets[e], with values[e] unless there are none.
template <Ids Sources, Ids Targets, class Value>
GivenEdges given_edges(const Sources& sources, const Targets& targets,
                       std::span<const Value> values) {
  const std::span from(sources);
  const std::span to(targets);
  GivenEdges given;
  if (from.size() != to.size() || (!values.empty() && values.size() != from.size())) {
    given.refuse_lengths(from.size(), to.size(), values.size());
    return given;
  }
  given.take_ids(given.edges.source, given.sources, from);
  if (given.problem.empty()) given.take_ids(given.edges.target, given.targets, to);
  if (given.problem.empty()) given.take_values(values);
  return given;
}

/// How many of the ids from `first` on and before `last` do not exceed the id before. Plain
/// comparisons, which compilers turn into vector instructions.
template <class Target>
std::size_t descents(std::span<const Target> to, std::size_t first, std::size_t last) {
  std::size_t count = 0;
  for (std::size_t e = std::max<std::size_t>(first, 1); e < last; ++e)
    count += to[e - 1] < to[e] ? 0U : 1U;
  return count;
}
/// How many of these are where rows begin.
template <class Offset, class Target>
std::size_t descents_between(std::span<const Offset> bounds, std::span<const Target> to) {
  std::size_t count = 0, begin = 0;
  for (const Offset bound : bounds) {
    const auto next = static_cast<std::size_t>(bound);
    if (next > begin && next < to.size()) count += descents(to, next, next + 1);
    begin = next;
  }
  return count;
}

/// What given_rows may do: keep rows that ascend as they are, with offsets instead of sources, and
/// round values to floats.
struct RowsTaken {
  bool as_rows = false;
  unsigned threads = 1;
};

/// Compressed rows: the i-th has edges to targets[offsets[i]] … targets[offsets[i + 1] − 1].
template <Ids Offsets, Ids Targets, class Value>
GivenEdges given_rows(const Offsets& offsets, const Targets& targets, std::span<const Value> values,
                      RowsTaken how = {}) {
  const std::span bounds(std::as_const(offsets));
  const std::span to(std::as_const(targets));
  GivenEdges given, of_values;
  if (bounds.empty() || bounds[0] != 0 || !std::cmp_equal(bounds.back(), to.size()) ||
      !std::ranges::is_sorted(bounds)) {
    given.problem = "found offsets of rows that do not ascend from 0 to the number of targets";
    return given;
  }
  if (!values.empty() && values.size() != to.size()) {
    given.refuse_lengths(to.size(), to.size(), values.size());
    return given;
  }
  given.rows = bounds.size() - 1;
  const std::size_t room = how.as_rows ? given.rows : 0;  // for a one in each row
  bool keeps_rows = false;  // where the targets of each row ascend, none twice
  in_parallel(to.size() < large ? 1 : how.threads, 2, [&](unsigned, std::size_t task) {
    if (task == 1) return of_values.take_values(values, how.as_rows, room);
    if (!how.as_rows) return given.take_ids(given.edges.target, given.targets, to);
    std::size_t found = 0;
    given.take_ids(
        given.edges.target, given.targets, to,
        [&](auto first, auto last) { found += descents(to, first, last); }, room);
    keeps_rows = found == descents_between(bounds, to);
  });
  if (given.problem.empty()) given.problem = of_values.problem;
  given.edges.value = std::move(of_values.edges.value);
  given.edges.wide_value = std::move(of_values.edges.wide_value);
  if (keeps_rows) {
    given.offsets.assign(bounds.begin(), bounds.end());
    return given;
  }
  given.edges.source.reserve(to.size());
  for (std::size_t i = 0; i < given.rows; ++i)
    given.edges.source.resize(static_cast<std::size_t>(bounds[i + 1]), static_cast<VertexId>(i));
  return given;
}

/// Makes the shares of all ranks one list: each rank's rows follow those of the ranks before it,
/// and values are of one width, 1 where only other ranks gave some. Returns where the rows of each
/// rank begin, by rank, and the end. Collective.
std::vector<std::uint64_t> join(Communicator& comm, GivenEdges& given);

/// InputError on all ranks where a rank's share is at fault. Collective.
void check(Communicator& comm, const std::string& problem);

/// Cuts edges into a part per rank as `how` says. Collective.
Partition cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
              partition::Options how);

}  // namespace detail
}  // namespace gas
