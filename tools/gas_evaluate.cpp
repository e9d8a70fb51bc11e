// Says what a stored partition of a graph costs.
#include "gas/base/error.hpp"
#include "gas/graph/local_graph.hpp"
#include "tools/support/graph/stored_graph.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/partition/partition_report.hpp"
#include "tools/support/partition/parts_report.hpp"
#include "tools/support/run/run_tool.hpp"

namespace {

using namespace gas;

struct Settings {
  partition::Widths widths;
};

void set_up(tools::Options& options, Settings& settings) {
  options.describe("Prints the costs of a partition of INPUT that gas-partition made.",
                   "gas-evaluate links.txt --partition parts",
                   "gas-evaluate links.txt --partition parts --summary json");
  options.take_input({"edges", "libsvm", "vw", "ldac", "docword", "mtx", "metis", "hmetis"});
  options.take_undirected();
  options.take_bipartite();
  options.take_vertices(tools::Options::Kinds::by_option);
  options.text("--partition", options.common.partition, "DIR", "Folder of gas-partition");
  options.require("--partition");
  options.common.partition_is_folder = true;
  options.take_without_input();
  options.take_dry_run();
  options.take_report();
  tools::take_partition_report(options, settings.widths);
  options.check([&options] {
    if (options.common.undirected && options.common.bipartite)
      throw UsageError("--undirected and --bipartite exclude each other");
  });
}

void work(tools::Run& run, const Settings& settings) {
  Communicator& comm = run.transport;
  const std::string& folder = run.options.partition;
  const auto source = tools::look_at_graph(run, {});
  const auto plan = [&](const tools::Machine& machine) {
    return std::vector{tools::loading_moment(*source, machine),
                       tools::measuring_moment(*source, machine, source->parts,
                                               source->sizes.edges / machine.ranks)};
  };
  if (!tools::check_memory(run, plan)) return;
  run.enter(tools::Phase::load);
  const tools::InputGraph loaded = tools::read_stored(run, folder);
  tools::check_not_empty(run, loaded);
  run.summary.missing_ids = loaded.source_ids.missing() + loaded.target_ids.missing();
  const GraphShape& shape = loaded.shape;
  const bool undirected = loaded.stored->undirected;
  together(comm, [&] {
    if ((run.options.bipartite && !shape.bipartite) || (run.options.undirected && !undirected))
      throw located_error(folder, 0, 0,
                          run.options.bipartite ? "a partition cut without --bipartite"
                                                : "a partition cut without --undirected",
                          "one cut with the same option as this run has");
  });
  tools::check_widths(comm, settings.widths, shape.bipartite);
  std::uint64_t edges = 0;  // pairs, where the folder has both arcs of each
  for (std::size_t e = 0; e < loaded.edges.size(); ++e)
    edges += undirected && loaded.edges.source[e] != loaded.edges.target[e] ? 1 : 2;
  run.summary.data_vertices = shape.sources;
  run.summary.parameter_vertices = shape.bipartite ? shape.targets : 0;
  run.summary.edges = all_sum(comm, edges) / 2;

  run.enter(tools::Phase::partition);
  const Partition& cut = loaded.stored->cut;
  partition::Measured quality = partition::quality(comm, loaded.edges, shape, cut);
  const tools::PartsReport parts(run, loaded.edges, shape, cut, quality, settings.widths);
  if (undirected) quality.edge_cut /= 2;  // pairs, as `edges`; loops are never cut
  tools::report_partition(
      run.summary, cut.method, cut.parts, quality,
      partition::predict(quality, shape.bipartite, loaded.stored->value_bytes, settings.widths));
  run.table = tools::partition_table;
  run.report([&] { return parts.sections(); });
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  return tools::run_tool(
      "gas-evaluate", argc, argv, [&](tools::Options& options) { set_up(options, settings); },
      [&](tools::Run& run) { return work(run, settings); });
}
