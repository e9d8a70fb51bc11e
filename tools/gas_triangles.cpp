// gas-triangles: the triangles of a graph and how clustered its vertices are.
#include "programs/triangles/triangles.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_report.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void count(Run& run) {
  Communicator& comm = run.transport;
  const GraphWish wish = simple_pairs();
  if (!check_memory(run, wish, triangles_bytes)) return;
  run.enter(Phase::load);
  const CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const TriangleCounts found = triangles(run.context(), Graph(input.graph),
                                         {.run = run.engine_options(run.options.iterations),
                                          .on_round = run.on_round(),
                                          .on_close = [&] { run.enter(Phase::output); }});
  run.ended_exactly(found.outcome);
  const bool converged = found.outcome.converged;
  if (converged) {
    run.summary.set("triangles", found.count);
    run.summary.set("transitivity", found.transitivity);
    run.summary.set("clustering", found.mean_clustering);
  }
  run.show([&] {
    std::string text = summary_lines(run.summary, {"vertices", nullptr, "arcs"},
                                     {"triangles", "transitivity", "clustering"});
    if (converged)
      text += top_table(comm, input.source_labels,
                        top_of(comm, input.shape.sources, found.triangles, run.options.top),
                        "vertex", "triangles");
    return text;
  });

  run.write_files([&](const std::filesystem::path& folder) {
    const std::vector<std::int64_t> corners(found.triangles.begin(), found.triangles.end());
    write_blocks(run, folder, "triangles", input.source_labels, corners);
    write_blocks(run, folder, "clustering", input.source_labels, found.clustering);
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{vertex_section(run, {"Triangles of vertices", "Vertices", "triangles"},
                                      input.source_labels, found.triangles,
                                      [&](auto) { return converged; })};
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-triangles", argc, argv,
      [](Options& options) {
        options.describe(
            "Counts the triangles that each vertex is a corner of, and how many of its pairs of "
            "neighbours are neighbours: its clustering coefficient. The counts are exact. A third "
            "column of INPUT is not used.",
            "gas-triangles links.txt --top 5", "mpirun -n 2 gas-triangles links.txt -o triangles");
        take_plain_graph_to_rest(options, check_triangles);
        options.take_output({"triangles.npy", "clustering.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the most triangles");
        take_undirected_folder(options);
        options.summary_keys({"triangles", "transitivity", "clustering"});
      },
      count);
}
