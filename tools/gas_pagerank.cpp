// gas-pagerank: ranks the vertices of a graph.
#include "gas/base/error.hpp"
#include "partition/edge_cut.hpp"
#include "programs/page_rank/page_rank.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_weights.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

struct Choices {
  PageRankOptions ranking;
  std::string dangling = "spread";
  std::string precision;    // empty: by the tolerance
  std::string personalise;  // a file, or empty
  bool simplify = false;
};

/// What the command line alone decides, as `page_rank` takes it.
void settle(const Options& options, Choices& choices) {
  PageRankOptions& ranking = choices.ranking;
  ranking.tolerance = options.common.tolerance;
  ranking.dangling = choices.dangling == "spread" ? Dangling::spread : Dangling::ignore;
  const bool single = choices.precision == "float";
  if (!choices.precision.empty()) ranking.precision = single ? Precision::single : Precision::twice;
  const bool by_need = options.common.order == Order::priority;
  if (by_need && ranking.tolerance == 0)
    throw UsageError("--order priority needs a --tolerance above 0: it alone ends the run");
  if (by_need && ranking.damping == 1)
    throw UsageError("--order priority needs a --damping below 1: ranks grow from 1 - damping");
  if (by_need && single) throw UsageError("--order priority computes in double, not in float");
  if (!choices.personalise.empty() && single)
    throw UsageError("--personalise computes in double, not in float");
}

void rank_pages(Run& run, const Choices& choices) {
  Communicator& comm = run.transport;
  PageRankOptions ranking = choices.ranking;
  const GraphWish wish{.kinds = Kinds::one,
                       .values = ranking.unweighted ? Values::unused : Values::lengths,
                       .repeats = choices.simplify ? Repeats::add : Repeats::keep};
  run.enter(Phase::load);
  InputGraph loaded = read_graph(run, wish);
  // Repeats of links without weights count once: what --simplify makes of them is no weight.
  if (partition::value_bytes(comm, loaded.edges) == 0) ranking.unweighted = true;
  const CutGraph input = cut_graph(run, std::move(loaded), wish);
  if (!choices.personalise.empty())
    ranking.teleport = read_vertex_weights(comm, choices.personalise, input.source_labels);

  run.enter(Phase::compute);
  ranking.run = run.engine_options(run.options.iterations);
  ranking.on_round = run.on_round();
  ranking.on_close = [&] { run.enter(Phase::objective); };
  const PageRanks found =
      page_rank(run.context(), Graph(input.graph, run.options.input_name()), ranking);
  run.ended(found.outcome);
  run.summary.objective = found.delta;
  run.summary.set("delta", found.delta);
  if (ranking.run.order == Order::priority) run.summary.set("applied", found.applied);
  run.summary.set("precision", found.wide ? "double" : "float");
  run.summary.set("weighted", found.weighted);
  run.summary.set("personalised", !ranking.teleport.empty());

  run.enter(Phase::output);
  run.show([&] {
    const Top top = top_of(comm, input.shape.sources, found.ranks, run.options.top);
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"delta"}) +
           top_table(comm, input.source_labels, top, "vertex", "rank");
  });
  run.write_files([&](const std::filesystem::path& folder) {
    write_blocks(run, folder, "ranks", input.source_labels, found.ranks);
    write_ids(comm, folder, input);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  Choices choices;
  return run_tool(
      "gas-pagerank", argc, argv,
      [&](Options& options) {
        options.describe(
            "Ranks the vertices of a directed graph by PageRank. A third column of INPUT "
            "weighs the links.",
            "mpirun -n 2 gas-pagerank links.txt --top 20");
        take_plain_graph(options, check_page_rank);
        options.take_rounds(100, 1e-6);
        options.take_output({"ranks.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the highest ranks");
        options.take_undirected();
        options.real("--damping", choices.ranking.damping, {.least = 0, .most = 1},
                     "Share of its rank that a page gives to those it links to");
        options.choice("--dangling", choices.dangling, {"spread", "ignore"},
                       "What becomes of the rank of pages without links");
        options.choice(
            "--precision", choices.precision, {"float", "double"},
            "How wide shares of ranks are; default: double where --tolerance is below 1e-6 but "
            "not 0, or with --order priority or --personalise, else float");
        options.flag("--simplify", choices.simplify,
                     "Repeated edges count once (those with weights as one with their sum)");
        options.text("--personalise", choices.personalise, "FILE",
                     "Pages where a reader begins anew, a line each: an id and, if not 1, a "
                     "weight; default: all alike");
        options.flag("--unweighted", choices.ranking.unweighted,
                     "Links count alike, whatever the third column");
        options.check([&] { settle(options, choices); });
        options.summary_keys({"delta", "applied", "precision", "weighted", "personalised"});
      },
      [&](Run& run) { rank_pages(run, choices); });
}
