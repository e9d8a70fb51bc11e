#include "gas/base/error.hpp"
#include "partition/by_block.hpp"
#include "partition/degrees.hpp"
#include "partition/edge_cut.hpp"
#include "partition/methods/method.hpp"
#include "partition/metis/call.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

/// METIS's part of each of this rank's block of ids.
struct Parts {
  std::vector<Part> source, target;  // target: bipartite only
};

Parts home_parts(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                 const Options& options) {
  const MetisGraph graph = gather_metis_graph(comm, edges, shape, options);
  std::vector<Part> all;  // rank 0: by row, then the parameter side
  together(comm, [&] {
    if (comm.rank() != 0) return;
    all.assign(shape.sources + (shape.bipartite ? shape.targets : 0), no_part);
    const std::vector<Part> of_vertex = metis_parts(graph, options);
    for (std::size_t i = 0; i < of_vertex.size(); ++i) all[graph.vertex[i]] = of_vertex[i];
  });
  const std::span<const Part> found(all);
  Parts parts;
  parts.source = send_to_owners(comm, source_blocks(comm, shape),
                                found.first(comm.rank() == 0 ? shape.sources : 0));
  if (shape.bipartite)
    parts.target = send_to_owners(comm, target_blocks(comm, shape),
                                  found.subspan(comm.rank() == 0 ? shape.sources : 0));
  return parts;
}

}  // namespace

Partition metis_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  Parts parts = home_parts(comm, edges, shape, options);
  return edge_cut(comm, edges, shape, options, std::move(parts.source), std::move(parts.target));
}

Partition metis_vertex_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                           const Options& options) {
  const Parts parts = home_parts(comm, edges, shape, options);
  const LowerEnds lower(comm, edges, shape);
  std::vector<Part> of_edge(edges.size());
  {
    const auto part = fetch(comm, source_blocks(comm, shape), std::span<const Part>(parts.source),
                            source_rows(edges, shape));
    for (std::size_t e = 0; e < of_edge.size(); ++e)
      if (const bool source = lower.is_source(e); source || !shape.bipartite)
        of_edge[e] = part[source ? edges.source[e] : edges.target[e]];
  }
  if (shape.bipartite) {
    const auto part = fetch(comm, target_blocks(comm, shape), std::span<const Part>(parts.target),
                            target_rows(edges, shape));
    for (std::size_t e = 0; e < of_edge.size(); ++e)
      if (!lower.is_source(e)) of_edge[e] = part[edges.target[e]];
  }
  return vertex_cut(comm, edges, shape, options, of_edge);
}

}  // namespace gas::partition
