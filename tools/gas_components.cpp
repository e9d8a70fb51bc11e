// gas-components: the weakly connected components of a graph.
#include "programs/components/find_components.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/graph/write_labels.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void components_of(Run& run) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::unused, .arcs = Arcs::both_ways};
  run.enter(Phase::load);
  CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  const FoundComponents found = find_components(
      run.transport, *executor, input.graph, run.engine_options(run.options.iterations),
      [&](std::uint64_t round) { run.round_done(round, std::nullopt); });
  const std::vector<VertexId>& least = found.labels;
  const bool converged = found.report.converged;

  run.enter(Phase::output);
  const std::vector<std::int64_t> labels(least.begin(), least.end());
  const std::vector<VertexId> rows(
      input.graph->owner.rows.begin(),
      input.graph->owner.rows.begin() + static_cast<std::ptrdiff_t>(labels.size()));
  std::uint64_t least_rows = 0;
  for (std::size_t v = 0; v < rows.size(); ++v) least_rows += least[v] == rows[v] ? 1 : 0;
  run.ended(found.report);
  run.saw(found.did);
  if (converged) run.summary.reproducible = true;  // exact, whatever was read when
  std::optional<Top> largest;
  if (converged) {
    largest =
        most_frequent(comm, input.shape.sources, {labels.begin(), labels.end()}, run.options.top);
    run.summary.set("components", all_sum(comm, least_rows));
    run.summary.set("largest", all_max(comm, static_cast<std::uint64_t>(largest->largest())));
  }
  run.show([&] {
    std::string text =
        summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"components", "largest"});
    if (largest) text += top_table(comm, input.source_labels, *largest, "component of", "vertices");
    return text;
  });

  run.write_files([&](const std::filesystem::path& folder) {
    write_labels(run, folder, "components", input.source_labels, rows, labels);
    write_ids(comm, folder, input);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-components", argc, argv,
      [&](Options& options) {
        options.describe(
            "Finds the weakly connected components of a graph, exactly. A third column of "
            "INPUT is not used.",
            "mpirun -n 2 gas-components links.txt");
        take_plain_graph_to_rest(options, check_components);
        options.take_output({"components.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the largest components");
        take_undirected_folder(options);
        options.summary_keys({"components", "largest"});
      },
      components_of);
}
