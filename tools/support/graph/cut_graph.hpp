#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gas/graph/local_graph.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {

/// A graph that has been cut: its edges, still where they were read, and where they will go.
struct CutEdges : loaders::LoadedGraph {
  Partition cut;                      // edge_part: parallel to the arcs of the edges
  std::optional<double> replication;  // where it is known before the pieces are built
};

/// A graph cut and laid out over the ranks, with the ids of its rows.
struct CutGraph {
  std::shared_ptr<const LocalGraph> graph;
  GraphShape shape;
  loaders::RowIds source_ids;
  loaders::RowIds target_ids;
  loaders::Names source_names, target_names;     // as LoadedGraph has them
  loaders::RowIds source_labels, target_labels;  // names, if there are any, otherwise ids
  std::vector<double> labels;  // libsvm: of the data rows of this rank's BlockDistribution
};

/// Cuts it as --partition says, with the arcs that are wished for; enters Phase::partition. With
/// --sample a plain graph keeps a share of its edges.
/// Collective; uses `loaded` up.
CutEdges cut_edges(Run& run, InputGraph loaded, const GraphWish& wish);

/// Sends every edge to its rank and builds every rank's piece; sets what the summary says of
/// vertices, edges and partition. Collective; uses `cut` up.
CutGraph lay_out(Run& run, CutEdges cut, Repeats repeats);

/// One after the other.
inline CutGraph cut_graph(Run& run, InputGraph loaded, const GraphWish& wish) {
  return lay_out(run, cut_edges(run, std::move(loaded), wish), wish.repeats);
}

// What a tool may change in between.

/// Moves the edges that are drawn, a `share` of all by a draw per pair, into a graph of their own
/// with the same masters. Collective.
std::shared_ptr<const LocalGraph> hold_out(Run& run, CutEdges& cut, double share, Repeats repeats);

/// Adds a last parameter row with an edge of value 1 from every data row (gas::add_ones); the
/// summary's replication stays that of the graph without it. Collective.
void add_ones(Communicator& comm, CutEdges& cut);

}  // namespace gas::tools
