// gas-labels: the communities of a graph, by label propagation.
#include <algorithm>

#include "programs/label_propagation/label_propagation.hpp"
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
  const GraphWish wish = simple_pairs();
  const auto bytes = [](const PieceSizes& piece) {
    const double masters = piece.owner.masters;
    return std::max(label_propagation_bytes(piece),
                    masters * sizeof(VertexId) + tally_bytes(masters));
  };
  if (!check_memory(run, wish, bytes)) return;
  run.enter(Phase::load);
  const CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const Communities found = label_propagation(run.context(), Graph(input.graph),
                                              {.seed = run.options.seed,
                                               .run = run.engine_options(run.options.iterations),
                                               .on_round = run.on_round(),
                                               .on_close = [&] { run.enter(Phase::output); }});
  run.ended(found.outcome);
  run.tell_unfinished(found.outcome, "labels stayed the same");
  const Top largest = most_frequent(comm, input.shape.sources, found.labels, run.options.top);
  run.summary.set("communities", found.count);
  run.summary.set("largest", all_max(comm, static_cast<std::uint64_t>(largest.largest())));
  run.show([&] {
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"communities", "largest"}) +
           top_table(comm, input.source_labels, largest, "label", "vertices");
  });

  run.write_files([&](const std::filesystem::path& folder) {
    write_labels(run, folder, "labels", input.source_labels,
                 {found.labels.begin(), found.labels.end()});
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{group_section(run, {"Sizes of communities", "Communities", "vertices"},
                                     input.source_labels, found.labels)};
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-labels", argc, argv,
      [](Options& options) {
        options.describe(
            "Finds communities by label propagation: every vertex ends with a label that most of "
            "its neighbours have. A third column of INPUT is not used.",
            "gas-labels links.txt --top 5",
            "mpirun -n 2 gas-labels links.txt --iterations 20 -o labels");
        take_plain_graph_to_rest(options, check_label_propagation);
        options.take_output({"labels.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the largest communities");
        take_undirected_folder(options);
        options.summary_keys({"communities", "largest"});
      },
      find);
}
