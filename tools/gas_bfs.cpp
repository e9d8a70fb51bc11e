// gas-bfs: how many arcs every vertex is from one, and by which neighbour.
#include "programs/breadth_first_search/breadth_first_search.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_report.hpp"
#include "tools/support/ids/write_labels.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/search/search_input.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void search(Run& run, const std::string& source) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::unused};
  const auto searched = read_search(run, wish, source, breadth_first_search_bytes);
  if (!searched) return;
  const CutGraph& input = searched->graph;
  const BreadthFirstTree tree =
      breadth_first_search(run.context(), Graph(input.graph), searched->source,
                           {.run = run.engine_options(run.options.iterations),
                            .on_round = run.on_round(),
                            .on_close = [&] { run.enter(Phase::output); }});
  run.ended_exactly(tree.outcome);
  run.summary.set("reached", tree.reached);
  run.summary.set("farthest", static_cast<std::uint64_t>(tree.farthest));
  run.show([&] {
    const Top top = top_of(comm, input.shape.sources, tree.hops, run.options.top,
                           [](std::int32_t hops) { return hops >= 0; });
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"reached", "farthest"}) +
           top_table(comm, input.source_labels, top, "vertex", "hops");
  });

  run.write_files([&](const std::filesystem::path& folder) {
    write_blocks(run, folder, "hops", input.source_labels, tree.hops);
    write_labels(run, folder, "parents", input.source_labels, tree.parents);
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{vertex_section(run, {"Vertices that are reached", "Vertices", "hops"},
                                      input.source_labels, tree.hops,
                                      [](std::int32_t hops) { return hops >= 0; })};
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string source;
  return run_tool(
      "gas-bfs", argc, argv,
      [&](Options& options) {
        options.describe(
            "Searches a graph breadth first. Finds for every vertex the least number of arcs from "
            "one source vertex, and its parent: the vertex before it on such a path, of several "
            "the one with the least id. A third column of INPUT is not used.",
            "gas-bfs links.txt --source 17 --undirected",
            "mpirun -n 2 gas-bfs links.txt --source 17 -o hops");
        options.take_output({"hops.npy", "parents.npy", "ids.txt", "names.txt"});
        take_search(options, check_breadth_first_search, source);
        options.summary_keys({"reached", "farthest"});
      },
      [&](Run& run) { search(run, source); });
}
