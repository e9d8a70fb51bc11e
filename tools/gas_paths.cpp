// gas-paths: the distances of all vertices from one.
#include <cmath>

#include "programs/shortest_paths/shortest_paths.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_report.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/search/search_input.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void find(Run& run, const std::string& source, double width) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::wide_lengths};
  const auto searched = read_search(run, wish, source, shortest_paths_bytes);
  if (!searched) return;
  const CutGraph& input = searched->graph;
  const Distances found =
      shortest_paths(run.context(), Graph(input.graph, run.options.input_name()), searched->source,
                     {.width = width,
                      .run = run.engine_options(run.options.iterations),
                      .on_round = run.on_round(),
                      .on_close = [&] { run.enter(Phase::output); }});
  run.ended_exactly(found.outcome);
  run.summary.set("applied", found.applied);
  run.summary.set("reached", found.reached);
  run.summary.set("farthest", found.farthest);
  run.show([&] {
    const Top top = top_of(comm, input.shape.sources, found.distances, run.options.top,
                           [](double distance) { return !std::isinf(distance); });
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"reached", "farthest"}) +
           top_table(comm, input.source_labels, top, "vertex", "distance");
  });

  run.write_files([&](const std::filesystem::path& folder) {
    write_blocks(run, folder, "distances", input.source_labels, found.distances);
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{vertex_section(run, {"Vertices that are reached", "Vertices", "distance"},
                                      input.source_labels, found.distances)};
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string source;
  double width = 0;
  return run_tool(
      "gas-paths", argc, argv,
      [&](Options& options) {
        options.describe(
            "Finds the distance of every vertex from one vertex. The third column of INPUT is the "
            "length of the edge, 1 without it. Sums are in double.",
            "gas-paths roads.txt --source 17 --undirected",
            "mpirun -n 2 gas-paths roads.txt --source 17 -o distances");
        options.take_output({"distances.npy", "ids.txt", "names.txt"});
        take_search(options, check_shortest_paths, source);
        options.real("--width", width, {.least = 0},
                     "Width of the buckets of distances, with --order priority; 0: chosen from the "
                     "lengths and the number of arcs per vertex");
        options.check([&] {
          if (width > 0 && options.common.order != Order::priority)
            throw UsageError("--width needs --order priority");
        });
        options.summary_keys({"applied", "reached", "farthest"});
      },
      [&](Run& run) { find(run, source, width); });
}
