#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gas/graph/error.hpp"
#include "gas/program/random.hpp"
#include "loaders/generate/generate.hpp"
#include "loaders/write.hpp"
#include "partition/edge_cut.hpp"
#include "partition/partition.hpp"
#include "partition/quality.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/graph/keep_edges.hpp"
#include "tools/support/graph/simple_edges.hpp"
#include "tools/support/graph/stored_graph.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

/// Most runs have come to rest or to their tolerance by then.
constexpr double most_rounds_expected = 100;

Partition cut_edges(Run& run, const loaders::LoadedGraph& loaded, const GraphWish& wish) {
  Team& team = run.transport;
  if (team.size() == 1) {
    Partition whole;
    whole.source_master.assign(loaded.shape.sources, 0);
    if (loaded.shape.bipartite) whole.target_master.assign(loaded.shape.targets, 0);
    whole.method = run.options.partition == "auto"
                       ? "none"
                       : partition::find_method(run.options.partition).name;
    return whole;
  }
  partition::Options options;
  options.method = run.options.partition;
  options.parts = static_cast<Part>(team.size());
  options.seed = run.options.seed;
  options.rounds =
      std::clamp(static_cast<double>(run.options.iterations), 1.0, most_rounds_expected);
  options.bytes_per_mirror = wish.bytes_per_mirror;
  options.edge_cuts_only = wish.whole;
  options.shuffled = wish.shuffled;
  return partition::make_partition(team, loaded.edges, loaded.shape, options);
}

/// A folder of pairs is not one of arcs.
void check_direction(Run& run, const StoredCut& stored, bool undirected) {
  together(run.transport, [&] {
    if (stored.undirected != undirected)
      throw located_error(run.options.partition, 0, 0,
                          stored.undirected ? "a partition cut with --undirected"
                                            : "a partition cut without --undirected",
                          "one like this run");
  });
}

/// Adds the reverse of every arc, in the arc's part.
void add_reverse_arcs_in_place(EdgeList& edges, Partition& cut) {
  std::vector<Part> parts;
  for (std::size_t e = 0; e < edges.size(); ++e)
    parts.insert(parts.end(), edges.source[e] == edges.target[e] ? 1 : 2, cut.edge_part[e]);
  cut.edge_part = std::move(parts);
  add_reverse_arcs(edges);
}

/// Moves the edges that are drawn, and their parts, into lists of their own.
std::pair<EdgeList, Partition> hold_out(EdgeList& edges, Partition& cut, double share,
                                        std::uint64_t seed) {
  const Random random = Random(seed).stream(0);
  std::pair<EdgeList, Partition> held{{}, cut};
  held.second.edge_part.clear();
  EdgeList& out = held.first;
  keep_edges(edges, &cut.edge_part, [&](std::size_t e) {
    const Row source = edges.source[e], target = edges.target[e];
    if (random.stream(source).uniform(target) >= share) return true;
    out.source.push_back(source);
    out.target.push_back(target);
    if (!edges.value.empty()) out.value.push_back(edges.value[e]);
    if (!cut.edge_part.empty()) held.second.edge_part.push_back(cut.edge_part[e]);
    return false;
  });
  return held;
}

/// Of the vertices that have an edge.
double copies_per_vertex(Team& team, const LocalGraph& graph) {
  std::uint64_t masters = 0, mirrors = 0;
  for (const VertexLayout* layout : {&graph.home, &graph.parameter}) {
    const std::vector<std::uint32_t>& in = layout->in_degree;
    const std::vector<std::uint32_t>& out = layout->out_degree;
    for (LocalId v = 0; v < layout->masters(); ++v)
      masters += in[v] > 0 || (!out.empty() && out[v] > 0) ? 1 : 0;
    mirrors += layout->mirrors;
  }
  masters = all_sum(team, masters);
  mirrors = all_sum(team, mirrors);
  return masters == 0 ? 1 : static_cast<double>(masters + mirrors) / static_cast<double>(masters);
}

}  // namespace

CutGraph cut_graph(Run& run, InputGraph loaded, const GraphWish& wish) {
  Team& team = run.transport;
  run.enter(Phase::partition);
  const bool undirected = run.options.undirected || loaded.undirected;
  Partition cut;
  std::optional<double> replication;
  if (loaded.stored) {
    if (!wish.both_ways) check_direction(run, *loaded.stored, undirected);
    cut = std::move(loaded.stored->cut);
    // Of the arcs that its input had then: what changes them comes after.
    if (wish.both_ways && !loaded.stored->undirected) add_reverse_arcs_in_place(loaded.edges, cut);
    if (wish.simple) make_simple(team, loaded.shape, loaded.edges, cut.edge_part);
    if (!wish.both_ways && !wish.simple) replication = loaded.stored->replication;
  } else {
    std::vector<Part> no_parts;
    loaded.edges.both_ways = undirected || wish.both_ways;
    if (wish.simple) make_simple(team, loaded.shape, loaded.edges, no_parts);
    cut = cut_edges(run, loaded, wish);
  }
  run.summary.partition_method = cut.method;
  run.summary.parts = cut.parts;
  if (cut.parts == 1) replication = 1;
  // With a part per rank it is counted in what is built.
  const bool counted_by_ranks =
      cut.parts == static_cast<Part>(team.size()) && !wish.ones && wish.heldout == 0;
  if (!replication && !counted_by_ranks)
    replication = partition::replication(team, loaded.edges, loaded.shape, cut).all;

  if (wish.ones) add_ones(team, loaded.shape, loaded.edges, cut);

  CutGraph result;
  if (wish.heldout > 0) {
    auto [edges, parts] = hold_out(loaded.edges, cut, wish.heldout, run.options.seed);
    result.heldout = std::make_shared<const LocalGraph>(build_graph(
        team, loaded.shape, std::move(edges), std::move(parts), wish.repeats, run.options.threads));
  }
  result.shape = loaded.shape;
  result.source_ids = std::move(loaded.source_ids);
  result.target_ids = std::move(loaded.target_ids);
  result.source_names = std::move(loaded.source_names);
  result.target_names = std::move(loaded.target_names);
  const auto labels = [&](const loaders::RowIds& ids, const loaders::Names& names) {
    return all_max(team, names.size()) > 0 ? loaders::RowIds(team, ids.rows(), names) : ids;
  };
  result.source_labels = labels(result.source_ids, result.source_names);
  result.target_labels = labels(result.target_ids, result.target_names);
  result.labels = std::move(loaded.labels);
  result.graph = std::make_shared<const LocalGraph>(
      build_graph(team, loaded.shape, std::move(loaded.edges), std::move(cut), wish.repeats,
                  run.options.threads));
  run.summary.replication_factor =
      replication ? *replication : copies_per_vertex(team, *result.graph);
  run.summary.data_vertices = loaded.shape.sources;
  run.summary.parameter_vertices = loaded.shape.bipartite ? loaded.shape.targets : 0;
  run.summary.edges = result.graph->edge_count;
  return result;
}

void add_ones(Team& team, GraphShape& shape, EdgeList& edges, Partition& cut) {
  if (!edges.weighted()) edges.value.assign(edges.size(), 1.0F);
  const std::uint64_t first = HomeRange{shape.sources, team.size()}.first(team.rank());
  // From the back, each behind the edges of its row: edges that come by row still do.
  std::size_t rows = cut.source_master.size();
  std::size_t from = edges.size();
  std::size_t to = from + rows;
  const auto lengthen = [&](auto& list) {
    list.reserve(to);
    list.resize(to);
  };
  lengthen(edges.source);
  lengthen(edges.target);
  lengthen(edges.value);
  const bool parts = !cut.edge_part.empty() || cut.parts > 1;
  if (parts) lengthen(cut.edge_part);
  while (rows > 0) {
    --to;
    const bool moves = from > 0 && edges.source[from - 1] > first + rows - 1;
    from -= moves ? 1 : 0;
    rows -= moves ? 0 : 1;
    edges.source[to] = moves ? edges.source[from] : to_row(first + rows);
    edges.target[to] = moves ? edges.target[from] : to_row(shape.targets);
    edges.value[to] = moves ? edges.value[from] : 1;
    if (parts) cut.edge_part[to] = moves ? cut.edge_part[from] : cut.source_master[rows];
  }
  // One row more moves the bounds of the home ranges.
  std::vector<Part> masters;
  for (const auto& block : all_gather(team, std::span<const Part>(cut.target_master)))
    masters.insert(masters.end(), block.begin(), block.end());
  masters.push_back(0);
  for (const Part part :
       broadcast(team, std::span<const Part>(cut.source_master)
                           .first(std::min<std::size_t>(1, cut.source_master.size()))))
    masters.back() = part;
  const HomeRange home{++shape.targets, team.size()};
  const auto begin = masters.begin() + static_cast<std::ptrdiff_t>(home.first(team.rank()));
  cut.target_master.assign(begin, begin + static_cast<std::ptrdiff_t>(home.count(team.rank())));
}

std::vector<double> to_masters(Team& team, const VertexLayout& layout,
                               const std::vector<double>& home_values) {
  const HomeRange home{layout.count, team.size()};
  std::vector<std::vector<Row>> asked(static_cast<std::size_t>(team.size()));
  for (LocalId v = 0; v < layout.masters(); ++v)
    asked[static_cast<std::size_t>(home.home(layout.rows[v]))].push_back(layout.rows[v]);
  std::vector<std::vector<double>> answers(asked.size());
  const auto questions = all_to_all(team, asked);
  for (std::size_t from = 0; from < questions.size(); ++from)
    for (const Row row : questions[from])
      answers[from].push_back(home_values[row - home.first(team.rank())]);
  const auto told = all_to_all(team, answers);
  std::vector<std::size_t> next(told.size(), 0);
  std::vector<double> values(layout.masters());
  for (LocalId v = 0; v < layout.masters(); ++v) {
    const auto from = static_cast<std::size_t>(home.home(layout.rows[v]));
    values[v] = told[from][next[from]++];
  }
  return values;
}

}  // namespace gas::tools
