// gas-triangles: the triangles of a graph and how clustered its vertices are.
#include "gas/engine/engine.hpp"
#include "programs/triangles/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// Per vertex of this rank.
struct Counted {
  std::vector<VertexId> rows;
  std::vector<std::int64_t> triangles;
  std::vector<double> clustering;  // the share of its pairs of neighbours that are neighbours

  void add(VertexId row, const Triangles::Vertex& vertex) {
    rows.push_back(row);
    triangles.push_back(static_cast<std::int64_t>(vertex.triangles));
    const double pairs = pairs_of(vertex);
    clustering.push_back(pairs > 0 ? static_cast<double>(vertex.triangles) / pairs : 0);
  }
  static double pairs_of(const Triangles::Vertex& vertex) {
    return vertex.degree < 2 ? 0 : 0.5 * vertex.degree * (vertex.degree - 1.0);
  }
};

void count_triangles(Run& run) {
  Communicator& comm = run.transport;
  const GraphWish wish = simple_pairs();
  run.enter(Phase::load);
  CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<Triangles> engine(run.transport, *executor, input.graph, {});
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  Counted counted;
  double pairs = 0, shares = 0;
  std::uint64_t corners = 0;
  Top most(run.options.top);
  engine.local_for_each<Triangles::Vertex>([&](VertexId row, const Triangles::Vertex& vertex) {
    counted.add(row, vertex);
    pairs += Counted::pairs_of(vertex);
    shares += counted.clustering.back();
    corners += vertex.triangles;
    most.add(row, static_cast<double>(vertex.triangles));
  });
  run.ended(report);
  run.saw(engine.local_report());
  if (report.converged) {
    const std::uint64_t triangles = all_sum(comm, corners) / 3;
    const double all_pairs = all_sum(comm, pairs), all_shares = all_sum(comm, shares);
    const auto vertices = static_cast<double>(input.shape.sources);
    run.summary.set("triangles", triangles);
    run.summary.set("transitivity",
                    all_pairs > 0 ? 3 * static_cast<double>(triangles) / all_pairs : 0);
    run.summary.set("clustering", vertices > 0 ? all_shares / vertices : 0);
  }
  run.show([&] {
    std::string text = summary_lines(run.summary, {"vertices", nullptr, "arcs"},
                                     {"triangles", "transitivity", "clustering"});
    if (report.converged) text += top_table(comm, input.source_labels, most, "vertex", "triangles");
    return text;
  });

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    write_rows<std::int64_t>(run, folder, "triangles", input.source_labels, 0, counted.rows,
                             counted.triangles);
    write_rows<double>(run, folder, "clustering", input.source_labels, 0, counted.rows,
                       counted.clustering);
    write_ids(comm, folder, input);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-triangles", argc, argv,
      [&](Options& options) {
        options.describe(
            "Counts the triangles that each vertex is a corner of, and how many of its pairs of "
            "neighbours are neighbours: its clustering coefficient. The counts are exact. A third "
            "column of INPUT is not used.",
            "gas-triangles links.txt --top 5");
        take_plain_graph_to_rest(options, Engine<Triangles>::check);
        options.take_output({"triangles.npy", "clustering.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the most triangles");
        take_undirected_folder(options);
        options.summary_keys({"triangles", "transitivity", "clustering"});
      },
      count_triangles);
}
