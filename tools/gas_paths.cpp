// gas-paths: the distances of all vertices from one.
#include <cmath>
#include <numeric>

#include "gas/base/error.hpp"
#include "gas/engine/engine.hpp"
#include "programs/shortest_paths/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/source.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// The width of buckets for delta-stepping: the mean length of an arc (of at most a million or two
/// per rank), divided by the mean number of arcs of a vertex, so that as many vertices settle with
/// a bucket whatever the degree; wider on several ranks, which meet after each, where few arcs lead
/// far. 1 where no arc has a length.
double bucket_width(Communicator& comm, const LocalGraph& graph) {
  double sum = 0, count = 0;
  const auto add = [&](const auto& lengths) {
    const std::size_t stride = 1 + (lengths.size() >> 16U);
    for (std::size_t e = 0; e < lengths.size(); e += stride) {
      sum += static_cast<double>(lengths[e]);
      ++count;
    }
  };
  add(graph.values);
  add(graph.wide_values);
  const double all = all_sum(comm, sum), arcs = static_cast<double>(graph.edge_count);
  const double mean = all / all_sum(comm, count);
  const double width = mean * static_cast<double>(graph.owner.count) / arcs;
  const bool deep = comm.size() > 1 && arcs < 8 * static_cast<double>(graph.owner.count);
  return width > 0 && std::isfinite(width) ? width * (deep ? 30 : 1.3) : 1;
}

/// Every distance is finite if the sum of all lengths is.
void check_sum(Run& run, const LocalGraph& graph) {
  const double mine = std::accumulate(graph.wide_values.begin(), graph.wide_values.end(), 0.0);
  const double sum = all_sum(run.transport, mine);
  together(run.transport, [&] {
    if (!std::isfinite(sum))
      throw located_error(run.options.input_name(), 0, 0, "lengths without a finite sum",
                          "a sum that a 64-bit float holds, at most 1.7e308");
  });
}

template <class Length>
void find_paths(Run& run, const CutGraph& input, VertexId from) {
  Communicator& comm = run.transport;
  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  using Program = ShortestPaths<Length>;
  Engine<Program> engine(run.transport, *executor, input.graph,
                         {.source = from, .step = bucket_width(comm, *input.graph)});
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  std::uint64_t reached = 0;
  double farthest = 0;
  engine.template local_for_each<typename Program::Vertex>([&](VertexId, const auto& vertex) {
    if (std::isinf(vertex.distance)) return;
    ++reached;
    farthest = std::max(farthest, vertex.distance);
  });
  run.ended(report);
  run.saw(engine.local_report());
  if (report.converged) run.summary.reproducible = true;  // exact, whatever was read when
  run.summary.set("applied", all_sum(comm, engine.local_counters().applies));
  run.summary.set("reached", all_sum(comm, reached));
  run.summary.set("farthest", all_max(comm, farthest));
  run.show([&] {
    Top top(run.options.top);
    engine.template local_for_each<typename Program::Vertex>([&](VertexId row, const auto& vertex) {
      if (!std::isinf(vertex.distance)) top.add(row, vertex.distance);
    });
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"reached", "farthest"}) +
           top_table(comm, input.source_labels, top, "vertex", "distance");
  });

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    std::vector<VertexId> rows;
    std::vector<double> distances;
    engine.template local_for_each<typename Program::Vertex>([&](VertexId row, const auto& vertex) {
      rows.push_back(row);
      distances.push_back(vertex.distance);
    });
    write_rows<double>(run, folder, "distances", input.source_labels, 0, rows, distances);
    write_ids(comm, folder, input);
  });
}

void find_paths(Run& run, const std::string& source) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::wide_lengths};
  run.enter(Phase::load);
  InputGraph loaded = read_graph(run, wish);
  const VertexId from = source_row(run, loaded.source_ids, source);
  const CutGraph input = cut_graph(run, std::move(loaded), wish);
  if (all_max(comm, input.graph->wide_values.empty() ? 0 : 1) == 0)
    return find_paths<float>(run, input, from);
  check_sum(run, *input.graph);
  find_paths<double>(run, input, from);
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string source;
  return run_tool(
      "gas-paths", argc, argv,
      [&](Options& options) {
        options.describe(
            "Finds the distance of every vertex from one vertex. The third column of INPUT is the "
            "length of the edge, 1 without it. Sums are in double.",
            "gas-paths roads.txt --source 17 --undirected");
        take_plain_graph_to_rest(options, Engine<ShortestPaths<>>::check, Order::priority);
        options.take_output({"distances.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the vertices that are farthest");
        options.take_undirected();
        options.text("--source", source, "ID", "The vertex, as INPUT calls it, to start from");
        options.require("--source");
        options.summary_keys({"applied", "reached", "farthest"});
      },
      [&](Run& run) { return find_paths(run, source); });
}
