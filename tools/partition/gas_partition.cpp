// Cuts a graph into parts and keeps the partition for later runs.
#include <vector>

#include "gas/base/error.hpp"
#include "gas/graph/local_graph.hpp"
#include "partition/edge_cut.hpp"
#include "partition/folder/folder.hpp"
#include "partition/folder/part_list.hpp"
#include "tools/partition/cut.hpp"
#include "tools/partition/memory.hpp"
#include "tools/support/graph/stored_graph.hpp"
#include "tools/support/partition/partition_report.hpp"
#include "tools/support/partition/parts_report.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// Whether each of this rank's arcs is as INPUT has it: not the reverse of the one before it.
std::vector<bool> arcs_of_input(const EdgeList& pairs, bool undirected) {
  std::vector<bool> of_input;
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    of_input.push_back(true);
    if (undirected && pairs.source[e] != pairs.target[e]) of_input.push_back(false);
  }
  return of_input;
}

void work(Run& run, PartitionSettings settings) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = run.options.bipartite ? Kinds::two : Kinds::any,
                       .values = Values::as_stored};
  if (!check_memory(run, cutting_plan(run, look_at_graph(run, wish), settings))) return;
  run.enter(Phase::load);
  partition::InputIdentity input;
  if (run.has_output()) input = identify_input(run);
  InputGraph loaded = read_graph(run, wish);
  const GraphShape& shape = loaded.shape;
  const bool undirected = run.options.undirected || loaded.undirected;
  together(comm, [&] {
    if (undirected && shape.bipartite)
      throw located_error(run.options.input_name(), 0, 0, "a graph of two kinds of vertices",
                          "a graph of one kind of vertices, as --undirected needs");
  });
  check_widths(comm, settings.widths, shape.bipartite);
  run.summary.data_vertices = shape.sources;
  run.summary.parameter_vertices = shape.bipartite ? shape.targets : 0;
  run.summary.edges = all_sum(comm, static_cast<std::uint64_t>(loaded.edges.size()));

  run.enter(Phase::partition);
  loaded.edges.both_ways = undirected;
  const EdgeList& edges = loaded.edges;
  const Partition cut = cut_input(run, loaded, settings);
  const bool given = settings.cut.vertex_weights == partition::VertexWeights::given;
  run.enter(Phase::compute);
  const partition::Measured quality = partition::quality(comm, edges, shape, cut);
  tell_balance(run, partition::balance(comm, edges, shape, cut, settings.cut),
               settings.cut.vertex_weights, undirected);
  partition::Quality told = quality;
  if (undirected) told.edge_cut /= 2;  // pairs, as `edges`; loops are never cut
  const std::size_t value_bytes = partition::value_bytes(comm, edges);
  report_partition(run.summary, cut.method, cut.parts, told,
                   partition::predict(quality, shape.bipartite, value_bytes, settings.widths));

  const PartsReport parts_report(run, edges, shape, cut, quality, settings.widths);
  if (run.shows()) run.table = partition_table;

  run.enter(Phase::output);
  if (!settings.vertex_parts.empty())
    run.write_beside("metis-part",
                     [&] { partition::write_vertex_parts(comm, settings.vertex_parts, cut); });
  if (!settings.edge_parts.empty())
    run.write_beside("edge-part", [&] {
      const std::vector<bool> of_input = arcs_of_input(loaded.edges, undirected);
      std::vector<Part> parts;
      for (std::size_t arc = 0; arc < of_input.size(); ++arc)
        if (of_input[arc]) parts.push_back(cut.edge_part[arc]);
      partition::write_edge_parts(comm, settings.edge_parts, parts);
    });
  if (undirected && run.has_output()) add_reverse_arcs(loaded.edges);
  run.write_files([&](const std::filesystem::path& folder) {
    const partition::Provenance how{.seed = settings.cut.seed,
                                    .imbalance_percent = settings.cut.imbalance_percent,
                                    .vertex_weights = given ? "given" : settings.vertex_weights,
                                    .input = input,
                                    .format = std::string(loaders::format_name(loaded.format)),
                                    .pairs = loaded.undirected,
                                    .undirected = undirected,
                                    .declared = !run.options.vertices.empty()};
    write_ids(comm, folder, loaded);
    run.manifest.identity = input;
    run.manifest.partition = partition::write_parts(comm, folder, edges, shape, cut, quality, how,
                                                    row_data(comm, loaded));
    run.manifest.files = run.manifest.partition->part_files;
  });
  run.report([&] { return parts_report.sections(); });
}

}  // namespace

int main(int argc, char* argv[]) {
  PartitionSettings settings;
  return run_tool(
      "gas-partition", argc, argv,
      [&](Options& options) { take_partition_settings(options, settings); },
      [&](Run& run) { return work(run, settings); });
}
