// gas-components: the weakly connected components of a graph.
#include <algorithm>

#include "programs/components/components.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_report.hpp"
#include "tools/support/ids/write_labels.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void find(Run& run) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::unused, .arcs = Arcs::both_ways};
  const auto bytes = [](const PieceSizes& piece) {
    const double masters = piece.owner.masters;
    return std::max(components_bytes(piece), masters * sizeof(VertexId) + tally_bytes(masters));
  };
  if (!check_memory(run, wish, bytes)) return;
  run.enter(Phase::load);
  const CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const Components found = components(run.context(), Graph(input.graph),
                                      {.run = run.engine_options(run.options.iterations),
                                       .on_round = run.on_round(),
                                       .on_close = [&] { run.enter(Phase::output); }});

  run.ended_exactly(found.outcome);
  std::optional<Top> largest;
  if (found.outcome.converged) {
    largest = most_frequent(comm, input.shape.sources, found.labels, run.options.top);
    run.summary.set("components", found.count);
    run.summary.set("largest", all_max(comm, static_cast<std::uint64_t>(largest->largest())));
  }
  run.show([&] {
    std::string text =
        summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"components", "largest"});
    if (largest) text += top_table(comm, input.source_labels, *largest, "component of", "vertices");
    return text;
  });
  run.write_files([&](const std::filesystem::path& folder) {
    write_labels(run, folder, "components", input.source_labels,
                 {found.labels.begin(), found.labels.end()});
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{group_section(run, {"Sizes of components", "Components", "vertices"},
                                     input.source_labels, found.labels)};
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-components", argc, argv,
      [](Options& options) {
        options.describe(
            "Finds the weakly connected components of a graph, exactly. A third column of "
            "INPUT is not used.",
            "mpirun -n 2 gas-components links.txt",
            "gas-components links.txt --text -o components");
        take_plain_graph_to_rest(options, check_components);
        options.take_output({"components.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the largest components");
        take_undirected_folder(options);
        options.summary_keys({"components", "largest"});
      },
      find);
}
