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

/// Which arcs an algorithm takes the edges of a plain graph for.
enum class Arcs {
  given,      // the edges; both arcs of each where the graph is undirected
  both_ways,  // both arcs of each edge
  simple      // the same without self-loops, and each pair once; laid out with Repeats::add
};

/// What an algorithm reads of the values of edges: nothing; floats, to which doubles are rounded;
/// or doubles where floats do not hold each value, else floats.
enum class EdgeValues { unread, floats, as_given };

/// Alike on all ranks.
struct GraphOptions {
  std::uint64_t vertices = 0;      // ids are 0 … vertices − 1; 0: up to the largest of an edge
  bool undirected = false;         // an edge leads both ways
  std::string partition = "auto";  // the method that cuts it, on several ranks
  double rounds = 100;             // that `auto` expects
  std::uint64_t seed = 1;          // of that method
};

/// A plain graph for the algorithms of this library: the edges, shared out over the ranks, and each
/// layout that an algorithm has asked for. Memory over all ranks: 8 bytes per edge (12 or 16 with
/// values), 4 bytes per arc and layout (8 or 12 where its values are read), and as much as the
/// edges again while a layout is made. Copies share everything.
class Graph {
 public:
  /// A graph of one's own: edges sources[e] → targets[e], which are read here and may go away.
  /// Ranks give a share each, of any size; together they are the graph. InputError, naming the
  /// edge, for lists of different lengths and ids that are negative or not below
  /// options.vertices. Collective.
  template <Ids Sources, Ids Targets>
  static Graph from_edges(const Context& context, const Sources& sources, const Targets& targets,
                          const GraphOptions& options = {}) {
    return {context, detail::given_edges(sources, targets, std::span<const float>()), options};
  }
  /// The same with a value per edge: floats where these hold each number, else doubles.
  template <Ids Sources, Ids Targets, Numbers Values>
  static Graph from_edges(const Context& context, const Sources& sources, const Targets& targets,
                          const Values& values, const GraphOptions& options = {}) {
    return {context, detail::given_edges(sources, targets, std::span(values)), options};
  }
  /// Compressed rows: this rank's vertices follow those of the ranks before it; the i-th has edges
  /// to targets[offsets[i]] … targets[offsets[i + 1] − 1]. `values` may be empty. Collective.
  template <Ids Offsets, Ids Targets, Numbers Values>
  static Graph from_rows(const Context& context, const Offsets& offsets, const Targets& targets,
                         const Values& values, const GraphOptions& options = {}) {
    return {context, detail::given_rows(offsets, targets, std::span(values)), options};
  }

  /// From a file, in any format that holds a plain graph (loaders/load_graph.hpp); ids() tells what
  /// its vertices are called there. Values that floats do not hold are kept as doubles (`how.wide`
  /// is implied), so that EdgeValues::as_given is what the file says. Collective.
  static Graph load(const Context& context, const std::string& path,
                    const GraphOptions& options = {}, loaders::GraphOptions how = {});

  /// One that is laid out already, with the arcs that whoever runs on it asks for. `name` is for
  /// messages.
  explicit Graph(std::shared_ptr<const LocalGraph> laid_out, std::string name = "the graph");

  std::uint64_t vertices() const;
  /// That of its file, for messages.
  const std::string& name() const;
  /// Of a graph from a file: the id of each vertex there.
  const loaders::RowIds& ids() const;

  /// The layout for such arcs and values. Collective.
  std::shared_ptr<const LocalGraph> laid_out(const Context& context, Arcs arcs,
                                             EdgeValues values) const;

 private:
  struct State;

  Graph(const Context& context, detail::GivenEdges mine, const GraphOptions& options);
  explicit Graph(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace gas
