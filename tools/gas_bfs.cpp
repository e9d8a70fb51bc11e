// gas-bfs: how many arcs every vertex is from one, and by which neighbour.
#include "gas/base/error.hpp"
#include "gas/engine/engine.hpp"
#include "programs/breadth_first_search/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/source.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void search(Run& run, const std::string& source) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::unused};
  run.enter(Phase::load);
  InputGraph loaded = read_graph(run, wish);
  const VertexId from = source_row(run, loaded.source_ids, source);
  const CutGraph input = cut_graph(run, std::move(loaded), wish);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<BreadthFirst> engine(run.transport, *executor, input.graph, {.source = from});
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  std::uint64_t reached = 0;
  std::uint32_t farthest = 0;
  engine.local_for_each<BreadthFirst::Vertex>([&](VertexId, const auto& vertex) {
    if (vertex.path.hops == BreadthFirst::unreached) return;
    ++reached;
    farthest = std::max(farthest, vertex.path.hops);
  });
  farthest = all_max(comm, farthest);
  run.ended(report);
  run.saw(engine.local_report());
  if (report.converged) run.summary.reproducible = true;  // exact, whatever was read when
  run.summary.set("reached", all_sum(comm, reached));
  run.summary.set("farthest", std::uint64_t{farthest});

  run.show([&] {
    Top top(run.options.top);
    engine.local_for_each<BreadthFirst::Vertex>([&](VertexId row, const auto& vertex) {
      if (vertex.path.hops != BreadthFirst::unreached) top.add(row, vertex.path.hops);
    });
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"reached", "farthest"}) +
           top_table(comm, input.source_labels, top, "vertex", "hops");
  });

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    together(comm, [&] {
      if (farthest > 0x7fffffff) throw RunError("a vertex more than 2^31 − 1 arcs away");
    });
    std::vector<VertexId> rows;
    std::vector<std::int32_t> hops;
    std::vector<std::int64_t> parents;
    engine.local_for_each<BreadthFirst::Vertex>([&](VertexId row, const auto& vertex) {
      const auto [distance, parent] = vertex.path;
      rows.push_back(row);
      hops.push_back(distance == BreadthFirst::unreached ? -1
                                                         : static_cast<std::int32_t>(distance));
      parents.push_back(parent == BreadthFirst::unreached ? -1 : std::int64_t{parent});
    });
    write_rows<std::int32_t>(run, folder, "hops", input.source_labels, 0, rows, hops);
    write_rows<std::int64_t>(run, folder, "parents", input.source_labels, 0, rows, parents);
    write_ids(comm, folder, input);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string source;
  return run_tool(
      "gas-bfs", argc, argv,
      [&](Options& options) {
        options.describe(
            "Searches a graph breadth first: finds of every vertex how many arcs it is away from "
            "one vertex at least, and its parent, the neighbour before it on such a path; of "
            "several the one with the least id. A third column of INPUT is not used.",
            "gas-bfs links.txt --source 17 --undirected");
        take_plain_graph_to_rest(options, Engine<BreadthFirst>::check, Order::priority);
        options.take_output({"hops.npy", "parents.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the vertices that are farthest");
        options.take_undirected();
        options.text("--source", source, "ID", "The vertex, as INPUT calls it, to start from");
        options.require("--source");
        options.summary_keys({"reached", "farthest"});
      },
      [&](Run& run) { return search(run, source); });
}
