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

struct Settings {
  std::string folder;
  partition::Widths widths;
};

void set_up(tools::Options& options, Settings& settings) {
  options.describe("Prints what a partition of INPUT, made by gas-partition, costs.");
  options.take_input({"edges", "libsvm", "docword", "mtx", "metis", "hmetis"});
  options.take_undirected();
  options.take_bipartite();
  options.text("--partition", settings.folder, "DIR", "Folder of gas-partition");
  options.require("--partition");
  tools::take_partition_report(options, settings.widths);
  options.check([&options] {
    if (options.common.undirected && options.common.bipartite)
      throw UsageError("--undirected and --bipartite exclude each other");
  });
}

/// The input is read as the partition's was, whose manifest tells how.
tools::Ending work(tools::Run& run, const Settings& settings) {
  Team& team = run.transport;
  run.enter(tools::Phase::load);
  const partition::Manifest manifest = partition::read_manifest(team, settings.folder);
  const bool bipartite = run.options.bipartite || manifest.shape.bipartite;
  loaders::LoadedGraph loaded = tools::read_graph(run, {.bipartite = bipartite});
  const GraphShape& shape = loaded.shape;
  run.summary.data_vertices = shape.sources;
  run.summary.parameter_vertices = shape.bipartite ? shape.targets : 0;
  run.summary.edges = all_sum(team, static_cast<std::uint64_t>(loaded.edges.size()));

  run.enter(tools::Phase::partition);
  const bool undirected = run.options.undirected || loaded.undirected || manifest.how.undirected;
  if (undirected) add_reverse_arcs(loaded.edges);
  const Partition cut = partition::attach_folder(team, settings.folder, loaded.edges, shape);
  partition::Measured quality = partition::quality(team, loaded.edges, shape, cut);
  if (undirected) quality.edge_cut /= 2;  // pairs, as `edges`; loops are never cut
  tools::report_partition(
      run.summary, cut.method, cut.parts, quality,
      partition::predict(quality, shape.bipartite, manifest.weighted, settings.widths));
  run.table = tools::partition_table;
  return tools::Ending::done;
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  return tools::run_tool(
      "gas-evaluate", argc, argv, [&](tools::Options& options) { set_up(options, settings); },
      [&](tools::Run& run) { return work(run, settings); });
}
