#include "tools/support/graph/cut_graph.hpp"

#include <algorithm>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/random.hpp"
#include "gas/graph/columns.hpp"
#include "gas/graph/keep_edges.hpp"
#include "gas/graph/simple_edges.hpp"
#include "partition/measure/quality.hpp"
#include "partition/partition.hpp"

namespace gas::tools {
namespace {

/// Most runs have come to rest or to their tolerance by then.
constexpr double most_rounds_expected = 100;

Partition make_cut(Run& run, const loaders::LoadedGraph& loaded, const GraphWish& wish,
                   const std::string& method) {
  Communicator& comm = run.transport;
  if (comm.size() == 1) {
    Partition whole = one_part(loaded.shape);
    if (method != "auto") whole.method = partition::find_method(method).name;
    return whole;
  }
  partition::Options options;
  options.method = method;
  options.parts = static_cast<Part>(comm.size());
  options.seed = run.options.seed;
  // A sample is cut as for the run that it stands for.
  options.rounds = run.options.sample < 1 ? most_rounds_expected
                                          : std::clamp(static_cast<double>(run.options.iterations),
                                                       1.0, most_rounds_expected);
  options.bytes_per_mirror = wish.bytes_per_mirror;
  options.edge_cuts_only = wish.cuts != Cuts::any;
  options.shuffled = wish.cuts == Cuts::shuffled;
  return partition::make_partition(comm, loaded.edges, loaded.shape, options);
}

/// Keeps the edges of a plain graph that --sample asks for, and all vertices: what is read lies as
/// far apart as in the whole.
void take_edges(Run& run, CutEdges& graph) {
  Communicator& comm = run.transport;
  EdgeList& edges = graph.edges;
  const std::uint64_t all = all_sum(comm, std::uint64_t{edges.size()});
  const Random random(1);
  keep_edges(edges, nullptr, [&](std::size_t e) {
    return random.uniform((std::uint64_t{edges.source[e]} << 32U) | edges.target[e]) <
           run.options.sample;
  });
  tell_sampled(run, edges, graph.shape.sources, all);
}

/// A folder of pairs is not one of arcs.
void check_direction(Run& run, const StoredCut& stored, bool undirected) {
  together(run.transport, [&] {
    if (stored.undirected != undirected)
      throw located_error(run.options.partition, 0, 0,
                          stored.undirected ? "a partition cut with --undirected"
                                            : "a partition cut without --undirected",
                          "one cut as this run needs it: add or remove --undirected");
  });
}

/// Makes the parts of edges those of their arcs in both directions.
void spread_parts(const EdgeList& edges, Partition& cut) {
  std::vector<Part> parts;
  parts.reserve(edges.arcs());
  for (std::size_t e = 0; e < edges.size(); ++e)
    parts.insert(parts.end(), edges.source[e] == edges.target[e] ? 1 : 2, cut.edge_part[e]);
  cut.edge_part = std::move(parts);
}

/// Of the vertices that have an edge.
double copies_per_vertex(Communicator& comm, const LocalGraph& graph) {
  std::uint64_t masters = 0, mirrors = 0;
  for (const VertexLayout* layout : {&graph.owner, &graph.parameter}) {
    const std::vector<std::uint32_t>& in = layout->in_degree;
    const std::vector<std::uint32_t>& out = layout->out_degree;
    for (LocalId v = 0; v < layout->masters(); ++v)
      masters += in[v] > 0 || (!out.empty() && out[v] > 0) ? 1 : 0;
    mirrors += layout->mirrors;
  }
  masters = all_sum(comm, masters);
  mirrors = all_sum(comm, mirrors);
  return masters == 0 ? 1 : static_cast<double>(masters + mirrors) / static_cast<double>(masters);
}

void know_replication(Communicator& comm, CutEdges& cut) {
  if (!cut.replication)
    cut.replication = partition::replication(comm, cut.edges, cut.shape, cut.cut).all;
}

}  // namespace

CutEdges cut_edges(Run& run, InputGraph loaded, const GraphWish& wish) {
  Communicator& comm = run.transport;
  run.enter(Phase::partition);
  const bool undirected = run.options.undirected || loaded.undirected;
  std::optional<StoredCut> stored = std::move(loaded.stored);
  CutEdges result{std::move(loaded), {}, std::nullopt};
  if (stored) {
    if (wish.arcs == Arcs::given) {
      check_direction(run, *stored, undirected);
      result.replication = stored->replication;
    }
    result.cut = std::move(stored->cut);
    // Of the arcs that its input had then: what changes them comes after.
    result.edges.both_ways = wish.arcs != Arcs::given && !stored->undirected;
    if (wish.arcs == Arcs::simple)
      make_simple(comm, result.shape, result.edges, result.cut.edge_part);
    if (result.edges.both_ways) spread_parts(result.edges, result.cut);
  } else {
    std::vector<Part> no_parts;
    result.edges.both_ways = undirected || wish.arcs != Arcs::given;
    if (wish.arcs == Arcs::simple) make_simple(comm, result.shape, result.edges, no_parts);
    std::string method = run.options.partition;
    if (run.options.sample < 1 && !result.shape.bipartite) {
      // For the whole: which method is best depends on how many edges a vertex has.
      if (method == "auto" && comm.size() > 1) method = make_cut(run, result, wish, method).method;
      take_edges(run, result);
    }
    result.cut = make_cut(run, result, wish, method);
  }
  if (result.cut.parts == 1) result.replication = 1;
  // With a part per rank it is counted in what is built.
  if (result.cut.parts != static_cast<Part>(comm.size())) know_replication(comm, result);
  return result;
}

CutGraph lay_out(Run& run, CutEdges cut, Repeats repeats) {
  Communicator& comm = run.transport;
  run.summary.partition_method = cut.cut.method;
  run.summary.parts = cut.cut.parts;
  run.summary.data_vertices = cut.shape.sources;
  run.summary.parameter_vertices = cut.shape.bipartite ? cut.shape.targets : 0;
  CutGraph result;
  result.shape = cut.shape;
  result.source_ids = std::move(cut.source_ids);
  result.target_ids = std::move(cut.target_ids);
  result.source_names = std::move(cut.source_names);
  result.target_names = std::move(cut.target_names);
  const auto labels = [&](const loaders::RowIds& ids, const loaders::Names& names) {
    return all_max(comm, names.size()) > 0 ? loaders::RowIds(comm, ids.rows(), names) : ids;
  };
  result.source_labels = labels(result.source_ids, result.source_names);
  result.target_labels = labels(result.target_ids, result.target_names);
  result.labels = std::move(cut.labels);
  result.graph = std::make_shared<const LocalGraph>(build_graph(
      comm, cut.shape, std::move(cut.edges), std::move(cut.cut), repeats, run.options.threads));
  run.summary.replication_factor =
      cut.replication ? *cut.replication : copies_per_vertex(comm, *result.graph);
  run.summary.edges = result.graph->edge_count;
  return result;
}

std::shared_ptr<const LocalGraph> hold_out(Run& run, CutEdges& cut, double share, Repeats repeats) {
  know_replication(run.transport, cut);
  const Random random = Random(run.options.seed).stream(0);
  EdgeList& edges = cut.edges;
  std::vector<Part>& parts = cut.cut.edge_part;
  EdgeList held;
  std::vector<Part> held_parts;
  keep_edges(edges, &parts, [&](std::size_t e) {
    if (random.stream(edges.source[e]).uniform(edges.target[e]) >= share) return true;
    append_edge(held, edges, e);
    if (!parts.empty()) held_parts.push_back(parts[e]);
    return false;
  });
  Partition held_cut{cut.cut.parts, std::move(held_parts), cut.cut.source_master,
                     cut.cut.target_master, cut.cut.method};
  return std::make_shared<const LocalGraph>(build_graph(run.transport, cut.shape, std::move(held),
                                                        std::move(held_cut), repeats,
                                                        run.options.threads));
}

void add_ones(Communicator& comm, CutEdges& cut) {
  know_replication(comm, cut);
  gas::add_ones(comm, cut.shape, cut.edges, cut.cut);
}

}  // namespace gas::tools
