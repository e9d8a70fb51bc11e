#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
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
#include "programs/calls/whole_rows.hpp"

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

/// The least and the largest of ids. Plain comparisons, which compilers turn into vector
/// instructions.
template <std::integral Id>
struct IdBounds {
  Id least = std::numeric_limits<Id>::max(), most = std::numeric_limits<Id>::lowest();

  void look(std::span<const Id> ids) {
    Id low = least, high = most;
    for (const Id id : ids) {
      low = id < low ? id : low;
      high = id > high ? id : high;
    }
    least = low, most = high;
  }
};

/// What values are.
struct ValueKind {
  bool finite = true;
  bool narrow = true;  // floats hold each
  bool near = true;    // floats come near each

  /// Of floats that are not finite all bits of the exponent are 1. To compare integers takes a
  /// quarter of the time.
  void look(std::span<const float> values) {
    constexpr std::int32_t sign = std::numeric_limits<std::int32_t>::min();
    const auto infinite = std::bit_cast<std::int32_t>(std::numeric_limits<float>::infinity());
    std::int32_t most = 0;
    for (const float value : values) {
      const std::int32_t size = std::bit_cast<std::int32_t>(value) & ~sign;
      most = size > most ? size : most;
    }
    finite &= most < infinite;
  }
  template <class Value>
  void look(std::span<const Value> values) {
    bool all_finite = true, all_narrow = true, all_near = true;
    for (const Value given : values) {
      const auto value = static_cast<double>(given);
      all_finite &= std::abs(value) <= std::numeric_limits<double>::max();
      all_narrow &= static_cast<double>(static_cast<float>(value)) == value;
      all_near &= std::abs(value) <= std::numeric_limits<float>::max();
    }
    finite &= all_finite, narrow &= all_narrow, near &= all_near;
  }
};

/// What is wrong with a value that a float shall hold.
std::string too_large(double value);

/// One rank's share of edges, copied from its caller's memory.
struct GivenEdges {
  EdgeList edges;
  std::uint64_t sources = 0, targets = 0;  // the largest id of each end, + 1
  std::uint64_t rows = 0;                  // sources that this rank lists the edges of
  std::optional<WholeRows> whole;          // instead of `edges`
  std::string problem;                     // what is wrong with the share; empty: nothing

  /// The list of one end, of so many edges.
  template <std::integral Id>
  void take_ids(std::vector<VertexId>& list, std::uint64_t& beyond, std::span<const Id> ids) {
    IdBounds<Id> bounds;
    list = copied_soon<VertexId>(ids, [&](std::size_t first, std::size_t last) {
      bounds.look(ids.subspan(first, last - first));
    });
    check_ids(ids, bounds, beyond);
  }
  template <std::integral Id>
  void check_ids(std::span<const Id> ids, const IdBounds<Id>& bounds, std::uint64_t& beyond) {
    if (ids.empty()) return;
    const auto fits = [](Id id) {
      return std::in_range<VertexId>(id) && std::cmp_less(id, max_vertices);
    };
    if (!fits(bounds.least) || !fits(bounds.most)) {
      const auto bad = std::ranges::find_if_not(ids, fits);
      return refuse_id(std::to_string(*bad), static_cast<std::size_t>(bad - ids.begin()));
    }
    beyond = static_cast<std::uint64_t>(bounds.most) + 1;
  }

  /// Floats where these hold each value, else doubles.
  template <class Value>
  void take_values(std::span<const Value> values) {
    ValueKind kind;
    const auto look = [&](std::size_t first, std::size_t last) {
      kind.look(values.subspan(first, last - first));
    };
    if constexpr (std::is_same_v<Value, float>)
      edges.value = copied_soon<float>(values, look);
    else
      look(0, values.size());
    check_finite(values, kind);
    if (!kind.finite || std::is_same_v<Value, float>) return;
    if (kind.narrow)
      edges.value = copied_soon<float>(values, unseen);
    else
      edges.wide_value = copied_soon<double>(values, unseen);
  }
  template <class Value>
  void check_finite(std::span<const Value> values, const ValueKind& kind) {
    if (kind.finite) return;
    const auto bad = std::ranges::find_if_not(
        values, [](Value value) { return std::isfinite(static_cast<double>(value)); });
    refuse_value(static_cast<double>(*bad), static_cast<std::size_t>(bad - values.begin()));
  }

  template <class Value>
  void refuse_large(std::span<const Value> values) {
    problem = too_large(static_cast<double>(*std::ranges::find_if(values, [](Value value) {
      return std::abs(static_cast<double>(value)) > std::numeric_limits<float>::max();
    })));
  }

  void refuse_id(const std::string& id, std::size_t edge);
  void refuse_value(double value, std::size_t edge);
  void refuse_lengths(std::size_t from, std::size_t to, std::size_t values);
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

/// What given_rows may do.
struct RowsTaken {
  bool whole = false;   // keep rows that ascend as they are, and round values to floats
  bool borrow = false;  // those where they lie, if they are such numbers
  unsigned threads = 1;
};

/// Numbers as T, where they lie if they may be `borrowed` and are such ones, else copied. In
/// blocks, which see(first, last) looks at.
template <class T, class From, class See>
SharedList<T> taken_soon(std::span<const From> given, bool borrowed, See see) {
  constexpr bool alike =
      sizeof(T) == sizeof(From) && std::is_integral_v<T> == std::is_integral_v<From>;
  if constexpr (alike)
    if (borrowed) {
      by_blocks(given.size(), see);
      return SharedList<T>::borrowed({reinterpret_cast<const T*>(given.data()), given.size()});
    }
  return copied_soon<T>(given, see);
}

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
  WholeRows whole;
  bool ascend = false;  // the targets of each row, none twice
  const auto take_whole_ids = [&] {
    IdBounds<std::ranges::range_value_t<Targets>> ids;
    std::size_t found = 0;
    whole.columns = taken_soon<VertexId>(to, how.borrow, [&](std::size_t first, std::size_t last) {
      ids.look(to.subspan(first, last - first));
      found += descents(to, first, last);
    });
    given.check_ids(to, ids, given.targets);
    ascend = found == descents_between(bounds, to);
  };
  const auto take_whole_values = [&] {
    ValueKind kind;
    whole.values = taken_soon<float>(values, how.borrow, [&](std::size_t first, std::size_t last) {
      kind.look(values.subspan(first, last - first));
    });
    of_values.check_finite(values, kind);
    if (kind.finite && !kind.near) of_values.refuse_large(values);
  };
  in_parallel(to.size() < large ? 1 : how.threads, 2, [&](unsigned, std::size_t task) {
    if (task == 0 && how.whole) take_whole_ids();
    if (task == 0 && !how.whole) given.take_ids(given.edges.target, given.targets, to);
    if (task == 1 && how.whole) take_whole_values();
    if (task == 1 && !how.whole) of_values.take_values(values);
  });
  if (given.problem.empty()) given.problem = of_values.problem;
  if (how.whole && ascend) {
    whole.offsets.assign(bounds.begin(), bounds.end());
    given.whole = std::move(whole);
    return given;
  }
  given.edges.value = std::move(of_values.edges.value);
  given.edges.wide_value = std::move(of_values.edges.wide_value);
  if (how.whole) {
    given.edges.target = whole.columns.copy();
    given.edges.value = whole.values.copy();
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

/// InputError if the machines of all ranks cannot hold so many vertices: a single large id makes
/// as many. Collective.
void check_vertices(Communicator& comm, std::uint64_t vertices);

/// UsageError on all ranks unless a graph or matrix was made on as many. Collective.
void check_ranks(Communicator& comm, int made_on, const char* what);

/// Cuts edges into a part per rank as `how` says. Collective.
Partition cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
              partition::Options how);

}  // namespace detail
}  // namespace gas
