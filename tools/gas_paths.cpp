// gas-paths: the distances of all vertices from one.
#include <fmt/format.h>

#include <cmath>

#include "gas/engine/engine.hpp"
#include "gas/graph/error.hpp"
#include "programs/shortest_paths.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// The row of --source. Collective; InputError if there is none.
Row source_row(Run& run, const loaders::RowIds& ids, const std::string& source) {
  const Row found = row_of(run.transport, ids, source);
  together(run.transport, [&] {
    if (found == no_row)
      throw located_error(run.options.input_name(), 0, 0, fmt::format("no vertex {}", source),
                          "one, the --source");
  });
  return found;
}

/// The mean length of an arc; 1 where none has one.
double mean_length(Team& team, const LocalGraph& graph) {
  double sum = 0;
  for (const float length : graph.values) sum += static_cast<double>(length);
  for (const double length : graph.wide_values) sum += length;
  const double all = all_sum(team, sum);
  return all > 0 && std::isfinite(all) ? all / static_cast<double>(graph.edge_count) : 1;
}

template <class Length>
void find_paths(Run& run, const CutGraph& input, Row from) {
  Team& team = run.transport;
  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  using Program = ShortestPaths<Length>;
  Engine<Program> engine(run.transport, *executor, input.graph,
                         {.source = from, .step = mean_length(team, *input.graph)});
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  std::vector<Row> rows;
  std::vector<double> distances;
  std::uint64_t reached = 0;
  double farthest = 0;
  engine.template local_for_each<typename Program::Vertex>([&](Row row, const auto& vertex) {
    rows.push_back(row);
    distances.push_back(vertex.distance);
    if (std::isinf(vertex.distance)) return;
    ++reached;
    farthest = std::max(farthest, vertex.distance);
  });
  run.ended(report);
  run.saw(engine.local_report());
  if (report.converged) run.summary.reproducible = true;  // exact, whatever was read when
  run.summary.set("applied", all_sum(team, engine.local_counters().applies));
  run.summary.set("reached", all_sum(team, reached));
  run.summary.set("farthest", all_max(team, farthest));
  run.show([&] {
    Top top(run.options.top);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!std::isinf(distances[i])) top.add(rows[i], distances[i]);
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"reached", "farthest"}) +
           top_table(team, input.source_labels, top, "vertex", "distance");
  });

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    write_rows<double>(run, folder, "distances", input.source_labels, 0, rows, distances);
    write_ids(team, folder, input);
  });
}

void find_paths(Run& run, const std::string& source) {
  Team& team = run.transport;
  GraphWish wish;
  wish.plain = true;
  wish.lengths = true;
  wish.wide = true;
  run.enter(Phase::load);
  InputGraph loaded = read_graph(run, wish);
  const Row from = source_row(run, loaded.source_ids, source);
  const CutGraph input = cut_graph(run, std::move(loaded), wish);
  if (all_max(team, input.graph->wide_values.empty() ? 0 : 1) == 0)
    find_paths<float>(run, input, from);
  else
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
        take_plain_graph_to_rest(options, Engine<ShortestPaths<>>::check);
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
