#include "gas/engine/engine.hpp"
#include "loaders/write.hpp"
#include "partition/partition.hpp"
#include "programs/page_rank.hpp"
#include "tools/support/graph_input.hpp"

using gas::tools::Ending;
using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;

namespace {

struct PageRankOptions {
  double damping = 0.85;
  std::string dangling = "spread";
  bool simplify = false;
};

template <class Share>
Ending rank_pages(Run& run, const PageRankOptions& options) {
  gas::tools::GraphWish wish;
  wish.plain = true;
  wish.repeats = options.simplify ? gas::Repeats::add : gas::Repeats::keep;
  run.enter(Phase::load);
  gas::tools::CutGraph input = gas::tools::cut_graph(run, gas::tools::read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  gas::Engine<PageRank<Share>> engine(run.transport, *executor, input.graph,
                                      {.damping = options.damping,
                                       .spread = options.dangling == "spread",
                                       .tolerance = run.options.tolerance});
  const gas::RunReport report = engine.run(
      run.engine_options(run.options.iterations),
      [&](const auto& round) { run.round_done(round.round, round.summaries.vertex().delta); });
  if (run.options.staleness > 0) engine.run({.iterations = report.rounds + 1});  // how far off?

  const double delta = engine.last().vertex().delta;
  run.summary.iterations = report.rounds;
  run.summary.converged = report.converged;
  run.saw(engine.local_report());
  run.summary.objective = delta;
  run.summary.set("delta", delta);

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    std::vector<gas::Row> rows;
    std::vector<double> ranks;
    engine.template local_for_each<typename PageRank<Share>::Vertex>(
        [&](gas::Row row, const auto& page) {
          rows.push_back(row);
          ranks.push_back(page.rank);
        });
    const std::uint64_t shape[] = {input.shape.sources};
    gas::loaders::write_npy<double>(run.transport, folder / "ranks.npy", shape, rows, ranks);
    gas::tools::write_ids(run.transport, folder / "ids.txt", input.source_ids, 0);
  });
  return report.interrupted ? Ending::interrupted : Ending::done;
}

}  // namespace

int main(int argc, char* argv[]) {
  PageRankOptions mine;
  return gas::tools::run_tool(
      "gas-pagerank", argc, argv,
      [&](Options& options) {
        options.describe("Ranks the vertices of a directed graph by PageRank.");
        options.take_input({"edges"});
        options.take_rounds(100, 1e-6);
        options.take_staleness();
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(gas::tools::partition_methods(), "metis");
        options.take_output();
        options.take_undirected();
        options.real("--damping", mine.damping, {.least = 0, .most = 1},
                     "Share of its rank that a page gives to those it links to");
        options.choice("--dangling", mine.dangling, {"spread", "ignore"},
                       "What becomes of the rank of pages without links");
        options.flag("--simplify", mine.simplify, "Repeated edges count once");
        options.summary_keys({"delta"});
      },
      [&](Run& run) {
        // Float shares leave an L1 error well below 1e-6, that of stopping at such a tolerance.
        const bool precise = run.options.tolerance < 1e-6;
        return precise ? rank_pages<double>(run, mine) : rank_pages<float>(run, mine);
      });
}
