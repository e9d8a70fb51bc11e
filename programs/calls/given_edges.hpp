#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
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

/// One rank's share of edges, copied from its caller's memory.
struct GivenEdges {
  EdgeList edges;
  std::uint64_t sources = 0, targets = 0;  // the largest id of each end, + 1
  std::uint64_t rows = 0;                  // sources that this rank lists the edges of
  std::string problem;                     // what is wrong with the share; empty: nothing

  template <class Id>
  bool take(std::vector<VertexId>& list, std::uint64_t& beyond, Id id) {
    if (!std::in_range<VertexId>(id) || static_cast<std::uint64_t>(id) >= max_vertices) {
      refuse_id(std::to_string(id), list.size());
      return false;
    }
    list.push_back(static_cast<VertexId>(id));
    beyond = std::max(beyond, static_cast<std::uint64_t>(id) + 1);
    return true;
  }
  void refuse_id(const std::string& id, std::size_t edge);
  void refuse_value(double value, std::size_t edge);
  void refuse_lengths(std::size_t from, std::size_t to, std::size_t values);

  /// Floats where these hold each value, else doubles.
  template <class Value>
  void take_values(std::span<const Value> values) {
    bool narrow = true;
    for (std::size_t e = 0; e < values.size(); ++e) {
      if (!std::isfinite(static_cast<double>(values[e])))
        return refuse_value(static_cast<double>(values[e]), e);
      const auto narrowed = static_cast<double>(static_cast<float>(values[e]));
      narrow = narrow && narrowed == static_cast<double>(values[e]);
    }
    if (narrow)
      for (const Value value : values) edges.value.push_back(static_cast<float>(value));
    else
      for (const Value value : values) edges.wide_value.push_back(static_cast<double>(value));
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
  given.edges.source.reserve(from.size());
  given.edges.target.reserve(from.size());
  for (std::size_t e = 0; e < from.size(); ++e)
    if (!given.take(given.edges.source, given.sources, from[e]) ||
        !given.take(given.edges.target, given.targets, to[e]))
      return given;
  given.take_values(values);
  return given;
}

/// Compressed rows: the i-th has edges to targets[offsets[i]] … targets[offsets[i + 1] − 1].
template <Ids Offsets, Ids Targets, class Value>
GivenEdges given_rows(const Offsets& offsets, const Targets& targets,
                      std::span<const Value> values) {
  const std::span bounds(offsets);
  const std::span to(targets);
  std::vector<VertexId> sources;
  sources.reserve(to.size());
  bool whole = !bounds.empty() && bounds[0] == 0 && std::cmp_equal(bounds.back(), to.size());
  for (std::size_t i = 1; whole && i < bounds.size(); ++i) {
    whole = bounds[i - 1] <= bounds[i] && std::cmp_less_equal(bounds[i], to.size());
    if (whole) sources.resize(static_cast<std::size_t>(bounds[i]), static_cast<VertexId>(i - 1));
  }
  if (!whole) {
    GivenEdges refused;
    refused.problem = "found offsets of rows that do not ascend from 0 to the number of targets";
    return refused;
  }
  GivenEdges given = given_edges(sources, targets, values);
  given.rows = bounds.size() - 1;
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
