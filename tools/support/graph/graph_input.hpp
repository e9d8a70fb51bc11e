#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gas/graph/partition.hpp"
#include "loaders/load_graph.hpp"
#include "tools/support/graph/graph_wish.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/sample/row_sample.hpp"

namespace gas::tools {

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
  /// With --sample, of a graph of two kinds: the rows that are left, and what all are called.
  struct Sampled {
    RowSample rows;
    loaders::RowIds all;
  };
  std::optional<Sampled> sampled = {};
};

/// How the command line says that graphs are to be read, --vertices left out: it is of INPUT alone.
loaders::GraphOptions graph_options(const Run& run, const GraphWish& wish);

/// Reads (or generates) the run's INPUT, with the vertices that --vertices declares; with
/// --partition DIR the graph comes from the folder, and it is only checked that INPUT is what was
/// cut. Sets what the summary says of missing ids. With --sample a graph of two kinds keeps a share
/// of its rows. Collective; no phase is entered here.
InputGraph read_graph(Run& run, const GraphWish& wish);

/// Sets what the summary says of the graph that --sample took these edges from. Collective.
void tell_sampled(Run& run, const EdgeList& edges, std::uint64_t rows, std::uint64_t all);

/// InputError if there is neither an edge nor a vertex, unless --allow-empty. Collective.
void check_not_empty(Run& run, const InputGraph& loaded);

/// The names that --partition takes.
std::vector<std::string> partition_methods();

/// Writes PREFIXids.txt, the id of every row, one per line, unless they are RowIds::trivial, and
/// PREFIXnames.txt, the same with names, if there are any. Collective.
void write_ids(Communicator& comm, const std::filesystem::path& folder, const std::string& prefix,
               const loaders::RowIds& ids, const loaders::Names& names);
/// Those of both kinds of a graph. Collective.
template <class Graph>
void write_ids(Communicator& comm, const std::filesystem::path& folder, const Graph& graph) {
  write_ids(comm, folder, "", graph.source_ids, graph.source_names);
  if (graph.shape.bipartite)
    write_ids(comm, folder, "parameter_", graph.target_ids, graph.target_names);
}

}  // namespace gas::tools
