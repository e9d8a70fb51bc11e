#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// One rank's piece of a graph, for the algorithms of Boost.Graph. Models VertexListGraph,
/// AdjacencyGraph, IncidenceGraph and BidirectionalGraph; parallel edges and self-loops are
/// ordinary edges.
///
/// Vertices are local ids. On one rank these are the vertex ids 0 … n − 1; on several ranks they
/// include mirrors, and only the edges stored on this rank exist. In a bipartite graph data
/// vertices come first, then parameters; each edge leads from data to parameter. Internal property
/// maps: vertex_index, edge_index (below the number of edges on this rank) and edge_weight (a
/// double; 1 where edges have no values).
///
/// The piece is not copied. It lists edges by one of their ends only; the constructor builds the
/// lists by the other end, in O(edges) time and 8 bytes per edge and per vertex. Copies share all
/// of it. There must be fewer than 2³² edges. Local.
class BoostGraph {
 public:
  struct Edge {
    LocalId source = 0, target = 0;
    EdgeOffset position = 0;  // of its value; no other edge on this rank has it
    bool operator==(const Edge& other) const { return position == other.position; }
  };

  /// UsageError for a piece of the complete bipartite topology, which has no lists of edges.
  explicit BoostGraph(std::shared_ptr<const LocalGraph> graph) : graph_(std::move(graph)) {
    const Adjacency& stored = graph_->adjacency;
    if (stored.vertices() != graph_->owner.locals())
      throw UsageError(
          "BoostGraph needs stored edges, and a complete bipartite graph (gather_block) stores "
          "none");
    const LocalId data = graph_->owner.locals();
    const LocalId others = graph_->bipartite ? graph_->parameter.locals() : data;
    const std::shared_ptr<const Adjacency> rows(graph_, &stored);
    const auto turned = std::make_shared<const Adjacency>(reversed(stored, others, true));
    if (graph_->bipartite) {
      out_ = {rows, 0, data};
      in_ = {turned, data, 0};
    } else {
      in_ = {rows, 0, 0};
      out_ = {turned, 0, 0};
    }
  }

  LocalId vertices() const {
    return graph_->owner.locals() + (graph_->bipartite ? graph_->parameter.locals() : 0);
  }
  std::size_t edges() const { return graph_->adjacency.neighbours.size(); }
  /// Whether v is on the parameter side of a bipartite graph.
  bool is_parameter(LocalId v) const { return v >= graph_->owner.locals(); }
  /// The vertex id of v: its row within its kind, in the whole graph.
  VertexId id(LocalId v) const {
    return is_parameter(v) ? graph_->parameter.rows[v - graph_->owner.locals()]
                           : graph_->owner.rows[v];
  }
  /// The value of the edge at this position; 1 where edges have no values.
  double value(EdgeOffset position) const {
    if (!graph_->values.empty()) return static_cast<double>(graph_->values[position]);
    return graph_->wide_values.empty() ? 1.0 : graph_->wide_values[position];
  }

  /// The edges grouped by one of their ends.
  struct Rows {
    std::shared_ptr<const Adjacency> adjacency;
    LocalId first = 0;   // the vertex of row 0
    LocalId others = 0;  // the vertex that neighbour 0 is

    bool has(LocalId v) const { return v >= first && v - first < adjacency->vertices(); }
    EdgeOffset begin(LocalId v) const { return has(v) ? adjacency->offsets[v - first] : 0; }
    EdgeOffset end(LocalId v) const { return has(v) ? adjacency->offsets[v - first + 1] : 0; }
    LocalId other(EdgeOffset i) const { return others + adjacency->neighbours[i]; }
    EdgeOffset position(EdgeOffset i) const {
      return adjacency->edges.empty() ? i : adjacency->edges[i];
    }
  };
  const Rows& out() const { return out_; }
  const Rows& in() const { return in_; }

  // The types that Boost.Graph requires of a graph.
  struct Outgoing {
    const Rows* rows = nullptr;
    LocalId vertex = 0;
    Edge operator()(EdgeOffset i) const { return {vertex, rows->other(i), rows->position(i)}; }
  };
  struct Incoming {
    const Rows* rows = nullptr;
    LocalId vertex = 0;
    Edge operator()(EdgeOffset i) const { return {rows->other(i), vertex, rows->position(i)}; }
  };
  struct Neighbour {
    const Rows* rows = nullptr;
    LocalId operator()(EdgeOffset i) const { return rows->other(i); }
  };
  template <class Number>
  using Counting =
      boost::counting_iterator<Number, boost::random_access_traversal_tag, std::ptrdiff_t>;
  using vertex_descriptor = LocalId;
  using edge_descriptor = Edge;
  using vertex_iterator = Counting<LocalId>;
  using out_edge_iterator = boost::transform_iterator<Outgoing, Counting<EdgeOffset>>;
  using in_edge_iterator = boost::transform_iterator<Incoming, Counting<EdgeOffset>>;
  using adjacency_iterator = boost::transform_iterator<Neighbour, Counting<EdgeOffset>>;
  using edge_iterator = void;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : virtual boost::vertex_list_graph_tag,
                              virtual boost::adjacency_graph_tag,
                              virtual boost::bidirectional_graph_tag {};
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static LocalId null_vertex() { return static_cast<LocalId>(max_vertices); }

 private:
  std::shared_ptr<const LocalGraph> graph_;
  Rows out_, in_;
};

namespace detail {

template <class Iterator, class Read>
std::pair<Iterator, Iterator> edge_range(const BoostGraph::Rows& rows, LocalId v, Read read) {
  using Counting = BoostGraph::Counting<EdgeOffset>;
  return {Iterator(Counting(rows.begin(v)), read), Iterator(Counting(rows.end(v)), read)};
}

}  // namespace detail

inline std::pair<BoostGraph::vertex_iterator, BoostGraph::vertex_iterator> vertices(
    const BoostGraph& graph) {
  return {BoostGraph::vertex_iterator(0), BoostGraph::vertex_iterator(graph.vertices())};
}
inline std::size_t num_vertices(const BoostGraph& graph) { return graph.vertices(); }
inline std::size_t num_edges(const BoostGraph& graph) { return graph.edges(); }
inline LocalId source(const BoostGraph::Edge& edge, const BoostGraph&) { return edge.source; }
inline LocalId target(const BoostGraph::Edge& edge, const BoostGraph&) { return edge.target; }

inline auto out_edges(LocalId v, const BoostGraph& graph) {
  return detail::edge_range<BoostGraph::out_edge_iterator>(graph.out(), v,
                                                           BoostGraph::Outgoing{&graph.out(), v});
}
inline auto in_edges(LocalId v, const BoostGraph& graph) {
  return detail::edge_range<BoostGraph::in_edge_iterator>(graph.in(), v,
                                                          BoostGraph::Incoming{&graph.in(), v});
}
inline auto adjacent_vertices(LocalId v, const BoostGraph& graph) {
  return detail::edge_range<BoostGraph::adjacency_iterator>(graph.out(), v,
                                                            BoostGraph::Neighbour{&graph.out()});
}
inline std::size_t out_degree(LocalId v, const BoostGraph& graph) {
  return graph.out().end(v) - graph.out().begin(v);
}
inline std::size_t in_degree(LocalId v, const BoostGraph& graph) {
  return graph.in().end(v) - graph.in().begin(v);
}
inline std::size_t degree(LocalId v, const BoostGraph& graph) {
  return out_degree(v, graph) + in_degree(v, graph);
}

/// Property map: an edge's index among the edges on this rank.
struct EdgeIndexMap {
  using key_type = BoostGraph::Edge;
  using value_type = EdgeOffset;
  using reference = EdgeOffset;
  using category = boost::readable_property_map_tag;
};
inline EdgeOffset get(const EdgeIndexMap&, const BoostGraph::Edge& edge) { return edge.position; }

/// Property map: an edge's value.
struct EdgeValueMap {
  using key_type = BoostGraph::Edge;
  using value_type = double;
  using reference = double;
  using category = boost::readable_property_map_tag;
  const BoostGraph* graph = nullptr;
};
inline double get(const EdgeValueMap& map, const BoostGraph::Edge& edge) {
  return map.graph->value(edge.position);
}

using VertexIndexMap = boost::typed_identity_property_map<LocalId>;
inline VertexIndexMap get(boost::vertex_index_t, const BoostGraph&) { return {}; }
inline LocalId get(boost::vertex_index_t, const BoostGraph&, LocalId v) { return v; }
inline EdgeIndexMap get(boost::edge_index_t, const BoostGraph&) { return {}; }
inline EdgeOffset get(boost::edge_index_t, const BoostGraph&, const BoostGraph::Edge& edge) {
  return edge.position;
}
inline EdgeValueMap get(boost::edge_weight_t, const BoostGraph& graph) { return {&graph}; }
inline double get(boost::edge_weight_t, const BoostGraph& graph, const BoostGraph::Edge& edge) {
  return graph.value(edge.position);
}

/// Property map: the caller's values, one per vertex on this rank. They are not copied, so they
/// must outlive the map.
template <class T>
auto by_vertex(std::span<T> values) {
  return boost::iterator_property_map<T*, VertexIndexMap>(values.data(), VertexIndexMap());
}
template <class T>
auto by_vertex(std::vector<T>& values) {
  return by_vertex(std::span(values));
}

}  // namespace gas

template <>
struct boost::property_map<gas::BoostGraph, boost::vertex_index_t> {
  using type = gas::VertexIndexMap;
  using const_type = type;
};
template <>
struct boost::property_map<gas::BoostGraph, boost::edge_index_t> {
  using type = gas::EdgeIndexMap;
  using const_type = type;
};
template <>
struct boost::property_map<gas::BoostGraph, boost::edge_weight_t> {
  using type = gas::EdgeValueMap;
  using const_type = type;
};
