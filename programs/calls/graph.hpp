#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "gas/context.hpp"
#include "gas/graph/local_graph.hpp"
#include "loaders/load_graph.hpp"
#include "programs/calls/given_edges.hpp"

namespace gas {

/// Which arcs an algorithm makes of the edges of a plain graph.
enum class Arcs {
  given,      // the edges; both arcs of each where the graph is undirected
  both_ways,  // both arcs of each edge
  simple      // the same without self-loops, and each pair once, of the sum of its values
};

/// How an algorithm reads the values of edges. unread: not at all; a program with an Edge reads 1.
/// floats: as floats, to which doubles are rounded; as doubles if some are beyond the range of
/// floats. as_given: as doubles if floats do not hold each value, else as floats. Of a graph
/// without values all read 1.
enum class EdgeValues { unread, floats, as_given };

/// Alike on all ranks.
struct GraphOptions {
  /// Of a graph in memory: ids are 0 … vertices − 1; 0: up to the largest id that occurs. load()
  /// does not read it.
  std::uint64_t vertices = 0;
  bool undirected = false;         // an edge leads both ways
  std::string partition = "auto";  // the method that cuts it, on several ranks
  double rounds = 100;             // that `auto` expects
  std::uint64_t seed = 1;          // of that method
};

/// A plain graph for the algorithms of this library. It keeps the edges, spread over the ranks, and
/// each layout that an algorithm has used. Memory over all ranks: 8 bytes per edge (12 or 16 with
/// values), 4 bytes per arc and layout (8 or 12 if its values are read), about 30 per vertex of a
/// layout that is used both with its values and without, and as much as the edges again while a
/// layout is made. Copies share everything.
class Graph {
 public:
  /// A graph from the caller's edges sources[e] → targets[e], which are copied. Each rank gives a
  /// share of any size; together the shares are the graph. InputError, naming the edge, for lists
  /// of different lengths, and for ids that are negative or not below options.vertices. Collective.
  template <Ids Sources, Ids Targets>
  static Graph from_edges(const Context& context, const Sources& sources, const Targets& targets,
                          const GraphOptions& options = {}) {
    return {context, detail::given_edges(sources, targets, std::span<const float>()), options};
  }
  /// The same with a value per edge, kept as floats if these hold each value, else as doubles.
  template <Ids Sources, Ids Targets, Numbers Values>
  static Graph from_edges(const Context& context, const Sources& sources, const Targets& targets,
                          const Values& values, const GraphOptions& options = {}) {
    return {context, detail::given_edges(sources, targets, std::span(values)), options};
  }
  /// A graph from compressed rows. This rank's vertices follow those of lower ranks. Its i-th
  /// vertex has edges to targets[offsets[i]] … targets[offsets[i + 1] − 1]. `values` may be empty.
  /// Collective.
  template <Ids Offsets, Ids Targets, Numbers Values>
  static Graph from_rows(const Context& context, const Offsets& offsets, const Targets& targets,
                         const Values& values, const GraphOptions& options = {}) {
    return {context, detail::given_rows(offsets, targets, std::span(values)), options};
  }

  /// From a file, in any format that holds a plain graph (loaders/load_graph.hpp). ids() has the
  /// vertices' ids in the file. Values that floats do not hold are kept as doubles (`how.wide` is
  /// implied), so EdgeValues::as_given gives the values of the file. Collective.
  static Graph load(const Context& context, const std::string& path,
                    const GraphOptions& options = {}, loaders::GraphOptions how = {});

  /// A graph that is laid out already. Its arcs must be those that the algorithms run on it need.
  /// `name` is for messages.
  explicit Graph(std::shared_ptr<const LocalGraph> laid_out, std::string name = "the graph");
  Graph(const Graph&) = default;  // and none is left empty by a move
  Graph& operator=(const Graph&) = default;

  std::uint64_t vertices() const;
  /// The name of its file, for messages.
  const std::string& name() const;
  /// If the graph is from a file: the id of each vertex there.
  const loaders::RowIds& ids() const;

  /// The layout for these arcs and values; it is made if it is not there yet. On one rank several
  /// threads may call this, and so algorithms, at once, each with a Context of its own. Collective.
  std::shared_ptr<const LocalGraph> laid_out(const Context& context, Arcs arcs,
                                             EdgeValues values) const;

 private:
  struct State;

  Graph(const Context& context, detail::GivenEdges mine, const GraphOptions& options);
  explicit Graph(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace gas
