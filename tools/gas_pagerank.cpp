#include "gas/engine/engine.hpp"
#include "partition/partition.hpp"
#include "programs/page_rank.hpp"
#include "programs/page_rank_by_need.hpp"
#include "tools/support/graph_input.hpp"
#include "tools/support/table.hpp"
#include "tools/support/top.hpp"
#include "tools/support/write_rows.hpp"

using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;

namespace {

struct PageRankOptions {
  double damping = 0.85;
  std::string dangling = "spread";
  std::string precision;  // empty: by the tolerance
  bool simplify = false;
};

/// The tolerance from which on float shares do: they leave an L1 error well below it.
constexpr double float_tolerance = 1e-6;

gas::tools::CutGraph read_pages(Run& run, const PageRankOptions& options) {
  gas::tools::GraphWish wish;
  wish.plain = true;
  wish.repeats = options.simplify ? gas::Repeats::add : gas::Repeats::keep;
  run.enter(Phase::load);
  return gas::tools::cut_graph(run, gas::tools::read_graph(run, wish), wish);
}

/// Writes the ranks, times `scale`, and shows the highest.
template <class Program>
void write_ranks(Run& run, const gas::tools::CutGraph& input, gas::Engine<Program>& engine,
                 double scale) {
  run.enter(Phase::output);
  const auto local_for_each_rank = [&](auto f) {
    engine.template local_for_each<typename Program::Vertex>(
        [&](gas::Row row, const auto& page) { f(row, page.rank * scale); });
  };
  run.show([&] {
    gas::tools::Top top(run.options.top);
    local_for_each_rank([&](gas::Row row, double rank) { top.add(row, rank); });
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"delta"}) +
           top_table(run.transport, input.source_ids, top, "vertex", "rank");
  });
  run.write_files([&](const std::filesystem::path& folder) {
    std::vector<gas::Row> rows;
    std::vector<double> ranks;
    local_for_each_rank([&](gas::Row row, double rank) {
      rows.push_back(row);
      ranks.push_back(rank);
    });
    gas::tools::write_rows<double>(run, folder, "ranks", input.source_ids, 0, rows, ranks);
    gas::tools::write_ids(run.transport, folder / "ids.txt", input.source_ids);
  });
}

void report_delta(Run& run, double delta) {
  run.summary.objective = delta;
  run.summary.set("delta", delta);
}

template <class Share>
void rank_pages(Run& run, const PageRankOptions& options) {
  const gas::tools::CutGraph input = read_pages(run, options);
  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  gas::Engine<PageRank<Share>> engine(run.transport, *executor, input.graph,
                                      {.damping = options.damping,
                                       .spread = options.dangling == "spread",
                                       .tolerance = run.options.tolerance});
  const gas::RunReport report = engine.run(
      run.engine_options(run.options.iterations),
      [&](const auto& round) { run.round_done(round.round, round.summaries.vertex().delta); });
  run.enter(Phase::objective);
  if (run.options.staleness > 0) engine.run({.iterations = report.rounds + 1});  // how far off?
  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.summary.converged = report.converged;
  run.saw(engine.local_report());
  report_delta(run, engine.last().vertex().delta);
  write_ranks(run, input, engine, 1);
}

/// By need, then one round of all pages, which tells how much the ranks still change.
void rank_pages_by_need(Run& run, const PageRankOptions& options) {
  const gas::tools::CutGraph input = read_pages(run, options);
  run.enter(Phase::compute);
  const auto executor = gas::make_tbb_executor(run.options.threads);
  const double least = PageRankByNeed::least_for(run.options.tolerance, options.damping,
                                                 static_cast<double>(input.shape.sources));
  gas::Engine<PageRankByNeed> engine(run.transport, *executor, input.graph,
                                     {.damping = options.damping, .least = least});
  const gas::RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.summary.converged = report.converged;
  run.saw(engine.local_report());
  run.summary.set("applied", gas::all_sum(run.transport, engine.local_counters().applies));

  std::vector<double> ranks, grown, shares;  // by master
  engine.local_for_each<PageRankByNeed::Vertex>([&](gas::Row, const auto& page) {
    ranks.push_back(page.rank);
    grown.push_back(page.said > 0 ? page.rank / page.said : 0);
  });
  engine.local_for_each_published<PageRankByNeed::Vertex>(
      [&](gas::Row, double share) { shares.push_back(share * grown[shares.size()]); });
  gas::Engine<PageRank<double>> closing(
      run.transport, *executor, input.graph,
      {.damping = options.damping, .spread = false, .tolerance = 0});
  std::size_t next = 0;
  closing.local_for_each<PageRank<double>::Vertex>(
      [&](gas::Row, auto& page) { page.rank = ranks[next++]; });
  next = 0;
  closing.local_give<PageRank<double>::Vertex>([&](gas::Row) { return shares[next++]; });
  closing.run({.iterations = 1});
  double sum = 0;
  closing.local_for_each<PageRank<double>::Vertex>(
      [&](gas::Row, const auto& page) { sum += page.rank; });
  const double all = gas::all_sum(run.transport, sum);
  const double scale = options.dangling == "spread" && all > 0 ? 1 / all : 1;
  report_delta(run, closing.last().vertex().delta * scale);
  write_ranks(run, input, closing, scale);
}

void check_setting(const gas::RunOptions& options) {
  if (options.order == gas::Order::priority)
    gas::Engine<PageRankByNeed>::check(options);
  else
    gas::Engine<PageRank<double>>::check(options);
}

}  // namespace

int main(int argc, char* argv[]) {
  PageRankOptions mine;
  return gas::tools::run_tool(
      "gas-pagerank", argc, argv,
      [&](Options& options) {
        options.describe("Ranks the vertices of a directed graph by PageRank.",
                         "mpirun -n 2 gas-pagerank links.txt --top 20");
        options.take_input({"edges", "mtx", "metis"});
        options.take_rounds(100, 1e-6);
        options.take_staleness(check_setting);
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(gas::tools::partition_methods(), "metis");
        options.take_without_input();
        options.take_output({"ranks.npy", "ids.txt"});
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
            "not 0, or with --order priority, else float");
        options.flag("--simplify", mine.simplify, "Repeated edges count once");
        options.check([&] {
          if (options.common.order == gas::Order::priority && options.common.tolerance == 0)
            throw gas::UsageError(
                "--order priority needs a --tolerance above 0: it alone ends the run");
          if (options.common.order == gas::Order::priority && mine.damping == 1)
            throw gas::UsageError(
                "--order priority needs a --damping below 1: ranks grow from 1 - damping");
          if (options.common.order == gas::Order::priority && mine.precision == "float")
            throw gas::UsageError("--order priority computes in double, not in float");
          if (mine.precision.empty())
            mine.precision =
                options.common.order == gas::Order::priority ||
                        (options.common.tolerance > 0 && options.common.tolerance < float_tolerance)
                    ? "double"
                    : "float";
        });
        options.summary_keys({"delta", "applied", "precision"});
      },
      [&](Run& run) {
        run.summary.set("precision", mine.precision);
        if (run.options.order == gas::Order::priority) return rank_pages_by_need(run, mine);
        return mine.precision == "double" ? rank_pages<double>(run, mine)
                                          : rank_pages<float>(run, mine);
      });
}
