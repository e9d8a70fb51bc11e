#include <numeric>

#include "gas/engine/engine.hpp"
#include "partition/edge_cut.hpp"
#include "partition/partition.hpp"
#include "programs/page_rank/link_weights.hpp"
#include "programs/page_rank/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/graph/vertex_weights.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;

namespace {

struct PageRankOptions {
  double damping = 0.85;
  std::string dangling = "spread";
  std::string precision;  // empty: by the tolerance
  bool precision_given = false;
  bool simplify = false;
  bool unweighted = false;
  std::string personalise;  // a file, or empty

  bool wide() const { return precision == "double"; }
};

/// The tolerance from which on float shares do: they leave an L1 error well below it.
constexpr double float_tolerance = 1e-6;

/// The graph, and the sum of the weights of each master's links where they have any.
struct Pages : gas::tools::CutGraph {
  bool weighted = false;  // on all ranks alike
  std::vector<double> weights;
  std::vector<double> homes;  // of all rows: what each gets of the teleport; empty: all alike

  /// Hands the weights and homes over to an engine.
  template <class Program>
  void give_weights(gas::Engine<Program>& engine) const {
    if constexpr (requires(typename Program::Vertex page) { page.home = 1.0; })
      engine.template local_for_each<typename Program::Vertex>(
          [&](gas::VertexId row, auto& page) { page.home = homes[row]; });
    if constexpr (gas::present<gas::EdgeType<Program>>) {
      std::size_t next = 0;
      engine.template local_for_each<typename Program::Vertex>(
          [&](gas::VertexId, auto& page) { page.weight = weights[next++]; });
    }
  }
};

/// Float shares of a unit of weight need weights that are neither very small nor very large: where
/// some are, shares are double, unless --precision says otherwise. Collective.
void check_precision(Run& run, const Pages& pages, PageRankOptions& options) {
  constexpr double far = 0x1p60;
  bool fit = true;
  for (const double weight : pages.weights)
    fit = fit && (weight == 0 || (weight >= 1 / far && weight <= far));
  fit = gas::all_min(run.transport, fit ? 1 : 0) != 0;
  if (fit || options.wide()) return;
  if (options.precision_given)
    throw gas::UsageError(
        "--precision float: the weights of some page's links add up to less than "
        "2^-60 or more than 2^60");
  options.precision = "double";
}

Pages read_pages(Run& run, PageRankOptions& options) {
  using gas::tools::Kinds, gas::tools::Values;
  const gas::tools::GraphWish wish{
      .kinds = Kinds::one,
      .values = options.unweighted ? Values::unused : Values::lengths,
      .repeats = options.simplify ? gas::Repeats::add : gas::Repeats::keep};
  run.enter(Phase::load);
  gas::tools::InputGraph loaded = gas::tools::read_graph(run, wish);
  Pages pages;
  pages.weighted = gas::partition::value_bytes(run.transport, loaded.edges) > 0;
  static_cast<gas::tools::CutGraph&>(pages) = gas::tools::cut_graph(run, std::move(loaded), wish);
  if (pages.weighted) {
    pages.weights = gas::link_weights(run.transport, *pages.graph);
    check_precision(run, pages, options);
  }
  if (!options.personalise.empty())
    pages.homes =
        gas::tools::read_vertex_weights(run.transport, options.personalise, pages.source_labels);
  run.summary.set("precision", options.precision);
  run.summary.set("weighted", pages.weighted);
  run.summary.set("personalised", !pages.homes.empty());
  return pages;
}

/// Writes the ranks, times `scale`, and shows the highest.
template <class Program>
void write_ranks(Run& run, const gas::tools::CutGraph& input, gas::Engine<Program>& engine,
                 double scale) {
  run.enter(Phase::output);
  const auto local_for_each_rank = [&](auto f) {
    engine.template local_for_each<typename Program::Vertex>(
        [&](gas::VertexId row, const auto& page) { f(row, page.rank * scale); });
  };
  run.show([&] {
    gas::tools::Top top(run.options.top);
    local_for_each_rank([&](gas::VertexId row, double rank) { top.add(row, rank); });
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"delta"}) +
           top_table(run.transport, input.source_labels, top, "vertex", "rank");
  });
  run.write_files([&](const std::filesystem::path& folder) {
    std::vector<gas::VertexId> rows;
    std::vector<double> ranks;
    local_for_each_rank([&](gas::VertexId row, double rank) {
      rows.push_back(row);
      ranks.push_back(rank);
    });
    gas::tools::write_rows<double>(run, folder, "ranks", input.source_labels, 0, rows, ranks);
    gas::tools::write_ids(run.transport, folder, input);
  });
}

void report_delta(Run& run, double delta) {
  run.summary.objective = delta;
  run.summary.set("delta", delta);
}

template <class Share, bool weighted, bool personal>
void rank_pages(Run& run, const PageRankOptions& options, const Pages& input) {
  using Program = gas::PageRank<Share, weighted, gas::Active::every_round, personal>;
  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  gas::Engine<Program> engine(run.transport, *executor, input.graph,
                              {.damping = options.damping,
                               .spread = options.dangling == "spread",
                               .tolerance = run.options.tolerance});
  input.give_weights(engine);
  const gas::RunReport report = engine.run(
      run.engine_options(run.options.iterations),
      [&](const auto& round) { run.round_done(round.round, round.summaries.vertex().delta); });
  run.enter(Phase::objective);
  if (run.options.staleness > 0) engine.run_at_rest();  // how far off?
  run.ended(report);
  run.saw(engine.local_report());
  report_delta(run, engine.last().vertex().delta);
  write_ranks(run, input, engine, 1);
}

/// By need, then two rounds of all pages: one brings every page what the others' ranks are, one
/// tells how much that still changes them.
template <bool weighted, bool personal>
void rank_pages_by_need(Run& run, const PageRankOptions& options, const Pages& input) {
  using ByNeed = gas::PageRankByNeed<weighted, personal>;
  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  const double mine = std::accumulate(input.weights.begin(), input.weights.end(), 0.0);
  const double weights =
      weighted ? gas::all_sum(run.transport, mine) : static_cast<double>(input.graph->edge_count);
  gas::Engine<ByNeed> engine(
      run.transport, *executor, input.graph,
      ByNeed(options.damping, ByNeed::least_for(run.options.tolerance, options.damping, weights)));
  input.give_weights(engine);
  const gas::RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.summary.converged = report.converged;
  run.saw(engine.local_report());
  run.summary.set("applied", gas::all_sum(run.transport, engine.local_counters().applies));
  engine.run_at_rest(2);
  double sum = 0;
  engine.template local_for_each<typename ByNeed::Vertex>(
      [&](gas::VertexId, const auto& page) { sum += page.rank; });
  const double all = gas::all_sum(run.transport, sum);
  const double scale = options.dangling == "spread" && all > 0 ? 1 / all : 1;
  report_delta(run, engine.last().vertex().delta * scale);
  write_ranks(run, input, engine, scale);
}

void check_setting(const gas::RunOptions& options) {
  if (options.order == gas::Order::priority)
    gas::Engine<gas::PageRankByNeed<>>::check(options);
  else
    gas::Engine<gas::PageRank<>>::check(options);
}

template <bool weighted, bool personal>
void rank_by(Run& run, const PageRankOptions& options, const Pages& pages) {
  if (run.options.order == gas::Order::priority)
    return rank_pages_by_need<weighted, personal>(run, options, pages);
  if constexpr (!personal)
    if (!options.wide()) return rank_pages<float, weighted, false>(run, options, pages);
  rank_pages<double, weighted, personal>(run, options, pages);
}

template <bool weighted>
void rank_from(Run& run, const PageRankOptions& options, const Pages& pages) {
  return pages.homes.empty() ? rank_by<weighted, false>(run, options, pages)
                             : rank_by<weighted, true>(run, options, pages);
}

}  // namespace

int main(int argc, char* argv[]) {
  PageRankOptions mine;
  return gas::tools::run_tool(
      "gas-pagerank", argc, argv,
      [&](Options& options) {
        options.describe(
            "Ranks the vertices of a directed graph by PageRank. A third column of INPUT "
            "weighs the links.",
            "mpirun -n 2 gas-pagerank links.txt --top 20");
        gas::tools::take_plain_graph(options, check_setting);
        options.take_rounds(100, 1e-6);
        options.take_output({"ranks.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the highest ranks");
        options.take_undirected();
        options.real("--damping", mine.damping, {.least = 0, .most = 1},
                     "Share of its rank that a page gives to those it links to");
        options.choice("--dangling", mine.dangling, {"spread", "ignore"},
                       "What becomes of the rank of pages without links");
        options.choice(
            "--precision", mine.precision, {"float", "double"},
            "How wide shares of ranks are; default: double where --tolerance is below 1e-6 but "
            "not 0, or with --order priority or --personalise, else float");
        options.flag("--simplify", mine.simplify,
                     "Repeated edges count once (those with weights as one with their sum)");
        options.text("--personalise", mine.personalise, "FILE",
                     "Pages where a reader begins anew, a line each: an id and, if not 1, a "
                     "weight; default: all alike");
        options.flag("--unweighted", mine.unweighted,
                     "Links count alike, whatever the third column");
        options.check([&] {
          mine.precision_given = !mine.precision.empty();
          if (options.common.order == gas::Order::priority && options.common.tolerance == 0)
            throw gas::UsageError(
                "--order priority needs a --tolerance above 0: it alone ends the run");
          if (options.common.order == gas::Order::priority && mine.damping == 1)
            throw gas::UsageError(
                "--order priority needs a --damping below 1: ranks grow from 1 - damping");
          if (options.common.order == gas::Order::priority && mine.precision == "float")
            throw gas::UsageError("--order priority computes in double, not in float");
          if (!mine.personalise.empty() && mine.precision == "float")
            throw gas::UsageError("--personalise computes in double, not in float");
          if (mine.precision.empty())
            mine.precision =
                !mine.personalise.empty() || options.common.order == gas::Order::priority ||
                        (options.common.tolerance > 0 && options.common.tolerance < float_tolerance)
                    ? "double"
                    : "float";
        });
        options.summary_keys({"delta", "applied", "precision", "weighted", "personalised"});
      },
      [&](Run& run) {
        const Pages pages = read_pages(run, mine);
        return pages.weighted ? rank_from<true>(run, mine, pages)
                              : rank_from<false>(run, mine, pages);
      });
}
