#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gas/graph/local_graph.hpp"
#include "loaders/load_graph.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a tool asks of its graph.
struct GraphWish {
  loaders::Format fallback = loaders::Format::edges;  // where neither --format nor the file tells
  bool bipartite = false;  // two kinds of vertices, the columns of an edge list
  Repeats repeats = Repeats::keep;
  std::uint64_t columns = 0;                  // libsvm: as GraphOptions::columns
  std::optional<std::uint64_t> index_base{};  // libsvm: of the model, without --index-base
  bool plain = false;                         // one kind of vertices: refuse formats of two
  bool ones = false;         // bipartite: add a last parameter row with an edge of 1 to all data
  bool values = true;        // false: they are left out, which a note says
  bool lengths = false;      // edges: values are at least 0
  bool weights = false;      // as GraphOptions::weights
  bool wide = false;         // plain: values that floats do not hold are doubles
  bool both_ways = false;    // plain: edges count in both directions, with --undirected or without
  double heldout = 0;        // bipartite: this share of the edges, by a draw per pair, apart
  double vertex_bytes = 50;  // that one takes at least, beside its edges
  std::optional<double> parameter_bytes{};  // bipartite: the same of a parameter row, if it differs
  bool whole = false;                       // `auto` keeps all edges of a data vertex on one rank
  bool shuffled = false;                    // `auto` gives ranks data vertices at random
  double bytes_per_mirror = 8;              // that a round exchanges, for `auto`
  bool simple = false;  // plain, with Repeats::add: self-loops and repeats are left out
};

/// Pairs of a plain graph, each once, in both directions; no self-loops, no values.
inline GraphWish simple_pairs() {
  GraphWish wish;
  wish.plain = wish.both_ways = wish.simple = true;
  wish.values = false;
  wish.repeats = Repeats::add;
  return wish;
}

/// A graph cut and laid out over the ranks, with the ids of its rows.
struct CutGraph {
  std::shared_ptr<const LocalGraph> graph;
  std::shared_ptr<const LocalGraph> heldout;  // the edges held out, if any are; masters as in graph
  GraphShape shape;
  loaders::RowIds source_ids;
  loaders::RowIds target_ids;
  loaders::Names source_names, target_names;     // as LoadedGraph has them
  loaders::RowIds source_labels, target_labels;  // names, if there are any, otherwise ids
  std::vector<double> labels;  // libsvm: of the data rows of this rank's HomeRange
};

/// The partition that came with a graph from a partition folder.
struct StoredCut {
  Partition cut;                // edge_part: parallel to the graph's edges
  bool undirected = false;      // the edges are both arcs of each pair
  std::size_t value_bytes = 0;  // of an edge: 4 or 8, or 0 without values
  double replication = 1;
};

/// A graph as it came in: from INPUT, then its edges are in the order of the file, or from a
/// partition folder, then every rank has those of its parts.
struct InputGraph : loaders::LoadedGraph {
  std::optional<StoredCut> stored;
};

/// How the command line says that graphs are to be read, --vertices left out: it is of INPUT alone.
loaders::GraphOptions graph_options(const Run& run, const GraphWish& wish);

/// Reads (or generates) the run's INPUT, with the vertices that --vertices declares; with
/// --partition DIR the graph comes from the folder, and it is only checked that INPUT is what was
/// cut. Sets what the summary says of missing ids. Collective; no phase is entered here.
InputGraph read_graph(Run& run, const GraphWish& wish);

/// InputError if there is neither an edge nor a vertex, unless --allow-empty. Collective.
void check_not_empty(Run& run, const InputGraph& loaded);

/// Cuts it as --partition says and builds every rank's piece; enters Phase::partition, and sets
/// what the summary says of vertices, edges and partition. Collective; uses `loaded` up.
CutGraph cut_graph(Run& run, InputGraph loaded, const GraphWish& wish);

/// Adds a last parameter row with an edge of value 1 from every data row; an edge goes to the part
/// of its data row's master, so `cut` stays as good as it was. Collective.
void add_ones(Team& team, GraphShape& shape, EdgeList& edges, Partition& cut);

/// Values of this rank's HomeRange of rows → one per master of `layout`, by local id. Collective.
std::vector<double> to_masters(Team& team, const VertexLayout& layout,
                               const std::vector<double>& home_values);

/// The names that --partition takes.
std::vector<std::string> partition_methods();

/// Writes PREFIXids.txt, the id of every row, one per line, unless they are RowIds::trivial, and
/// PREFIXnames.txt, the same with names, if there are any. Collective.
void write_ids(Team& team, const std::filesystem::path& folder, const std::string& prefix,
               const loaders::RowIds& ids, const loaders::Names& names);
/// Those of both kinds of a graph. Collective.
template <class Graph>
void write_ids(Team& team, const std::filesystem::path& folder, const Graph& graph) {
  write_ids(team, folder, "", graph.source_ids, graph.source_names);
  if (graph.shape.bipartite)
    write_ids(team, folder, "parameter_", graph.target_ids, graph.target_names);
}

}  // namespace gas::tools
