// gas-pagerank: ranks the vertices of a graph.
#include "partition/edge_cut.hpp"
#include "programs/page_rank/page_rank.hpp"
#include "tools/pagerank/findings.hpp"
#include "tools/pagerank/settings.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_report.hpp"
#include "tools/support/ids/vertex_weights.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// Weights as doubles where shares are, if floats do not hold each.
GraphWish wish_of(const PageRankSettings& choices, const PageRankOptions& ranking) {
  return {.kinds = Kinds::one,
          .values = ranking.unweighted        ? Values::unused
                    : page_rank_wide(ranking) ? Values::wide_lengths
                                              : Values::lengths,
          .repeats = choices.simplify ? Repeats::add : Repeats::keep};
}

void rank_pages(Run& run, const PageRankSettings& choices) {
  Communicator& comm = run.transport;
  PageRankOptions ranking = choices.ranking;
  ranking.run.order = run.options.order;
  const GraphWish wish = wish_of(choices, ranking);
  const auto source = look_at_graph(run, wish);
  const auto plan = [&](Precision precision) {
    PageRankOptions with = ranking;
    with.precision = precision;
    return graph_plan(run, source, wish_of(choices, with),
                      [=](const PieceSizes& piece) { return page_rank_bytes(piece, with); });
  };
  if (!check_memory(run, plan(ranking.precision),
                    {instead("--precision float", plan(Precision::single))}))
    return;
  run.enter(Phase::load);
  InputGraph loaded = read_graph(run, wish);
  // Repeats of links without weights count once: what --simplify makes of them is no weight.
  if (partition::value_bytes(comm, loaded.edges) == 0) ranking.unweighted = true;
  const CutGraph input = cut_graph(run, std::move(loaded), wish);
  if (!choices.personalise.empty())
    ranking.teleport = read_vertex_weights(comm, choices.personalise, input.source_ids);

  run.enter(Phase::compute);
  ranking.run = run.engine_options(run.options.iterations);
  ranking.on_round = run.on_round();
  ranking.on_close = [&] { run.enter(Phase::objective); };
  const PageRanks found =
      page_rank(run.context(), Graph(input.graph, run.options.input_name()), ranking);
  run.ended(found.outcome);
  run.objective_is("Change of all ranks in a round");
  run.summary.objective = found.delta;
  run.summary.set("delta", found.delta);
  if (ranking.run.order == Order::priority) run.summary.set("applied", found.applied);
  run.summary.set("precision", found.wide ? "double" : "float");
  run.summary.set("weighted", found.weighted);
  run.summary.set("personalised", !ranking.teleport.empty());

  run.enter(Phase::output);
  const Top top = top_of(comm, input.shape.sources, found.ranks, run.options.top);
  run.show([&] {
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"delta"}) +
           top_table(comm, input.source_labels, top, "vertex", "rank");
  });
  run.write_files([&](const std::filesystem::path& folder) {
    write_blocks(run, folder, "ranks", input.source_labels, found.ranks);
    loaders::write_text(comm, folder / "top.tsv",
                        ranking_lines(named(comm, input.source_labels, top), "vertex", "rank"));
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{vertex_section(run, {"Ranks of vertices", "Vertices", "rank"},
                                      input.source_labels, found.ranks)};
  });
  if (!found.outcome.interrupted)
    for (const std::string& line : told_of(run, ranking, input.source_labels, found))
      run.note(line);
}

}  // namespace

int main(int argc, char* argv[]) {
  PageRankSettings settings;
  return run_tool(
      "gas-pagerank", argc, argv, [&](Options& options) { take_page_rank(options, settings); },
      [&](Run& run) { return rank_pages(run, settings); });
}
