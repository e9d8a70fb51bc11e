// gas-labels: the communities of a graph, by label propagation.
#include "gas/engine/engine.hpp"
#include "programs/label_propagation/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/graph/write_labels.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void find_communities(Run& run) {
  Communicator& comm = run.transport;
  const GraphWish wish = simple_pairs();
  run.enter(Phase::load);
  CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<LabelPropagation> engine(run.transport, *executor, input.graph, {}, run.options.seed);
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  std::vector<VertexId> rows;
  std::vector<std::int64_t> labels;
  engine.local_for_each<LabelPropagation::Vertex>([&](VertexId row, const auto& vertex) {
    rows.push_back(row);
    labels.push_back(vertex.label);
  });
  run.ended(report);
  run.saw(engine.local_report());
  const auto tallied =
      tally(comm, input.shape.sources, std::vector<VertexId>(labels.begin(), labels.end()));
  const auto used = static_cast<std::uint64_t>(
      std::ranges::count_if(tallied, [](std::uint64_t vertices) { return vertices > 0; }));
  const Top largest =
      most_frequent(comm, input.shape.sources, {labels.begin(), labels.end()}, run.options.top);
  run.summary.set("communities", all_sum(comm, used));
  run.summary.set("largest", all_max(comm, static_cast<std::uint64_t>(largest.largest())));
  run.show([&] {
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"communities", "largest"}) +
           top_table(comm, input.source_labels, largest, "label", "vertices");
  });

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    write_labels(run, folder, "labels", input.source_labels, rows, labels);
    write_ids(comm, folder, input);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-labels", argc, argv,
      [&](Options& options) {
        options.describe(
            "Finds communities by label propagation: every vertex ends with a label that most of "
            "its neighbours have. A third column of INPUT is not used.",
            "gas-labels links.txt --top 5");
        take_plain_graph_to_rest(options, Engine<LabelPropagation>::check);
        options.take_output({"labels.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the largest communities");
        take_undirected_folder(options);
        options.summary_keys({"communities", "largest"});
      },
      find_communities);
}
