#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/context.hpp"
#include "gas/graph/local_graph.hpp"
#include "loaders/load_graph.hpp"

namespace gas {

/// Which arcs an algorithm takes the edges of a plain graph for.
enum class Arcs {
  given,      // the edges; both arcs of each where the graph is undirected
  both_ways,  // both arcs of each edge
  simple      // the same without self-loops, and each pair once
};

/// What an algorithm reads of the values of edges.
enum class EdgeValues { unread, floats, as_given };

/// Alike on all ranks.
struct GraphOptions {
  std::uint64_t vertices = 0;      // ids are 0 … vertices − 1; 0: up to the largest of an edge
  bool undirected = false;         // an edge leads both ways
  std::string partition = "auto";  // the method that cuts it, on several ranks
  double rounds = 100;             // that `auto` expects
  std::uint64_t seed = 1;          // of that method
};

/// Numbers that lie side by side in memory.
template <class R>
concept Numbers =
    std::ranges::contiguous_range<R> && std::is_arithmetic_v<std::ranges::range_value_t<R>>;
template <class R>
concept Ids = Numbers<R> && std::integral<std::ranges::range_value_t<R>>;

/// A plain graph for the algorithms of this library: edges shared out over the ranks, and, once an
/// algorithm has asked for it, the layout over the ranks that this one runs on, which is kept.
/// Memory: 8 bytes per edge (12 or 16 with values), and per layout 4 bytes per arc (8 or 12 where
/// the algorithm reads values), each over all ranks. Copies share everything.
class Graph {
 public:
  /// A graph of one's own: edges sources[e] → targets[e], which are read here and may go away.
  /// Ranks give a share each, of any size; together they are the graph. InputError, naming the
  /// edge, for lists of different lengths and ids that are negative or not below
  /// options.vertices. Collective.
  template <Ids Sources, Ids Targets>
  static Graph from_edges(const Context& context, const Sources& sources, const Targets& targets,
                          const GraphOptions& options = {}) {
    return {context, listed(sources, targets, std::span<const float>()), options};
  }
  /// The same with a value per edge: floats where these hold each number, else doubles.
  template <Ids Sources, Ids Targets, Numbers Values>
  static Graph from_edges(const Context& context, const Sources& sources, const Targets& targets,
                          const Values& values, const GraphOptions& options = {}) {
    return {context, listed(sources, targets, std::span(values)), options};
  }
  /// Compressed rows: this rank's vertices follow those of the ranks before it; the i-th has edges
  /// to targets[offsets[i]] … targets[offsets[i + 1] − 1]. `values` may be empty. Collective.
  template <Ids Offsets, Ids Targets, Numbers Values>
  static Graph from_rows(const Context& context, const Offsets& offsets, const Targets& targets,
                         const Values& values, const GraphOptions& options = {}) {
    return {context, listed_rows(offsets, targets, std::span(values)), options};
  }

  /// From a file, in any format that holds a plain graph (loaders/load_graph.hpp); ids() tells what
  /// its vertices are called there. Collective.
  static Graph load(const Context& context, const std::string& path,
                    const GraphOptions& options = {}, loaders::GraphOptions how = {});

  /// One that is laid out already, with the arcs that whoever runs on it asks for.
  explicit Graph(std::shared_ptr<const LocalGraph> laid_out);

  std::uint64_t vertices() const;
  /// Of a graph from a file: the id of each vertex there.
  const loaders::RowIds& ids() const;

  /// The layout for such arcs and values. Collective.
  std::shared_ptr<const LocalGraph> laid_out(const Context& context, Arcs arcs,
                                             EdgeValues values) const;

 private:
  struct Listed {
    EdgeList edges;
    std::uint64_t beyond = 0;  // the largest id of all edges, + 1
    std::uint64_t rows = 0;    // vertices that this rank lists the edges of
    std::string problem;       // what is wrong with this rank's share; empty: nothing
  };
  struct State;

  Graph(const Context& context, Listed mine, const GraphOptions& options);
  explicit Graph(std::shared_ptr<State> state) : state_(std::move(state)) {}

  template <class Id>
  static bool take(Listed& all, std::vector<VertexId>& list, Id id, std::size_t edge);
  static void refuse(Listed& all, const std::string& what, std::size_t edge);
  template <class Value>
  static void take_values(EdgeList& edges, std::span<const Value> values);
  template <Ids Sources, Ids Targets, class Value>
  static Listed listed(const Sources& sources, const Targets& targets,
                       std::span<const Value> values);
  template <Ids Offsets, Ids Targets, class Value>
  static Listed listed_rows(const Offsets& offsets, const Targets& targets,
                            std::span<const Value> values);

  std::shared_ptr<State> state_;
};

template <class Id>
bool Graph::take(Listed& all, std::vector<VertexId>& list, Id id, std::size_t edge) {
  if (!std::in_range<VertexId>(id) || static_cast<std::uint64_t>(id) >= max_vertices) {
    refuse(all, std::to_string(id), edge);
    return false;
  }
  list.push_back(static_cast<VertexId>(id));
  all.beyond = std::max(all.beyond, static_cast<std::uint64_t>(id) + 1);
  return true;
}

template <class Value>
void Graph::take_values(EdgeList& edges, std::span<const Value> values) {
  if constexpr (!std::is_same_v<Value, float>) {
    const auto narrow = [](Value value) {
      return static_cast<Value>(static_cast<float>(value)) == value;
    };
    if (!std::ranges::all_of(values, narrow)) {
      for (const Value value : values) edges.wide_value.push_back(static_cast<double>(value));
      return;
    }
  }
  for (const Value value : values) edges.value.push_back(static_cast<float>(value));
}

template <Ids Sources, Ids Targets, class Value>
Graph::Listed Graph::listed(const Sources& sources, const Targets& targets,
                            std::span<const Value> values) {
  const std::span from(sources);
  const std::span to(targets);
  Listed all;
  if (from.size() != to.size() || (!values.empty() && values.size() != from.size())) {
    refuse(all,
           "lists of " + std::to_string(from.size()) + " sources, " + std::to_string(to.size()) +
               " targets and " + std::to_string(values.size()) + " values",
           from.size());
    return all;
  }
  all.edges.source.reserve(from.size());
  all.edges.target.reserve(from.size());
  for (std::size_t e = 0; e < from.size(); ++e)
    if (!take(all, all.edges.source, from[e], e) || !take(all, all.edges.target, to[e], e))
      return all;
  take_values(all.edges, values);
  return all;
}

template <Ids Offsets, Ids Targets, class Value>
Graph::Listed Graph::listed_rows(const Offsets& offsets, const Targets& targets,
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
    Listed refused;
    refused.problem = "found offsets of rows that do not ascend from 0 to the number of targets";
    return refused;
  }
  Listed all = listed(sources, targets, values);
  all.rows = bounds.size() - 1;
  return all;
}

}  // namespace gas
