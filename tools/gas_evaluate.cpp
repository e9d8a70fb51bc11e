// Says what a stored partition of a graph costs.
#include "gas/graph/error.hpp"
#include "gas/graph/local_graph.hpp"
#include "loaders/load_graph.hpp"
#include "partition/folder.hpp"
#include "tools/support/graph_input.hpp"
#include "tools/support/partition_report.hpp"
#include "tools/support/run_tool.hpp"

namespace {

using namespace gas;

void set_up(tools::Options& options, std::string& folder) {
  options.describe("Prints what a partition of INPUT, made by gas-partition, costs.");
  options.take_input({"edges", "libsvm", "docword", "mtx", "metis", "hmetis"});
  options.take_undirected();
  options.take_bipartite();
  options.text("--partition", folder, "DIR", "Folder of gas-partition");
  options.require("--partition");
  options.summary_keys(tools::partition_keys());
  options.check([&options] {
    if (options.common.undirected && options.common.bipartite)
      throw UsageError("--undirected and --bipartite exclude each other");
  });
}

/// The input is read as the partition's was, whose manifest tells how.
tools::Ending work(tools::Run& run, const std::string& folder) {
  Team& team = run.transport;
  run.enter(tools::Phase::load);
  const partition::Manifest manifest = partition::read_manifest(team, folder);
  const bool bipartite = run.options.bipartite || manifest.shape.bipartite;
  loaders::LoadedGraph loaded = tools::read_graph(run, {.bipartite = bipartite});
  const GraphShape& shape = loaded.shape;
  run.summary.data_vertices = shape.sources;
  run.summary.parameter_vertices = shape.bipartite ? shape.targets : 0;
  run.summary.edges = all_sum(team, static_cast<std::uint64_t>(loaded.edges.size()));

  run.enter(tools::Phase::partition);
  const bool undirected = run.options.undirected || loaded.undirected || manifest.how.undirected;
  if (undirected) add_reverse_arcs(loaded.edges);
  const Partition cut = partition::attach_folder(team, folder, loaded.edges, shape);
  partition::Quality quality = partition::quality(team, loaded.edges, shape, cut);
  if (undirected) quality.edge_cut /= 2;  // pairs, as `edges`; loops are never cut
  tools::report_partition(run.summary, cut.method, cut.parts, quality);
  if (!run.options.summary) run.print(tools::partition_table(cut.method, cut.parts, quality));
  return tools::Ending::done;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string folder;
  return tools::run_tool(
      "gas-evaluate", argc, argv, [&](tools::Options& options) { set_up(options, folder); },
      [&](tools::Run& run) { return work(run, folder); });
}
