// gas-components: the weakly connected components of a graph.
#include <numeric>

#include "gas/engine/engine.hpp"
#include "loaders/write.hpp"
#include "programs/connected_components.hpp"
#include "tools/support/graph_input.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// How many vertices bear the label that most do. Collective.
std::uint64_t most_alike(Team& team, std::uint64_t count, std::vector<std::int64_t> labels) {
  struct Tally {
    std::uint64_t label, vertices;
  };
  const HomeRange home{count, team.size()};
  std::vector<std::vector<Tally>> mine(static_cast<std::size_t>(team.size()));
  std::ranges::sort(labels);
  for (auto at = labels.begin(); at != labels.end();) {
    const auto end = std::upper_bound(at, labels.end(), *at);
    const auto label = static_cast<std::uint64_t>(*at);
    mine[static_cast<std::size_t>(home.home(label))].push_back(
        {label, static_cast<std::uint64_t>(end - at)});
    at = end;
  }
  std::vector<std::uint64_t> sums(home.count(team.rank()));
  for (const auto& block : all_to_all(team, mine))
    for (const Tally& tally : block) sums[tally.label - home.first(team.rank())] += tally.vertices;
  return all_max(team, std::accumulate(sums.begin(), sums.end(), std::uint64_t{0},
                                       [](auto a, auto b) { return std::max(a, b); }));
}

void find_components(Run& run) {
  Team& team = run.transport;
  GraphWish wish;
  wish.plain = true;
  wish.both_ways = true;
  run.enter(Phase::load);
  CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<ConnectedComponents> engine(run.transport, *executor, input.graph, {});
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  std::vector<Row> rows;
  std::vector<std::int64_t> labels;
  std::uint64_t least_rows = 0;
  engine.local_for_each<ConnectedComponents::Vertex>([&](Row row, const auto& vertex) {
    rows.push_back(row);
    labels.push_back(vertex.label);
    least_rows += vertex.label == row ? 1 : 0;
  });
  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.summary.converged = report.converged;
  run.saw(engine.local_report());
  if (report.converged) run.summary.reproducible = true;  // exact, whatever was read when
  if (report.converged) {
    run.summary.set("components", all_sum(team, least_rows));
    run.summary.set("largest", most_alike(team, input.shape.sources, labels));
  }

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    const std::uint64_t shape[] = {input.shape.sources};
    loaders::write_npy<std::int64_t>(team, folder / "components.npy", shape, rows, labels);
    write_ids(team, folder / "ids.txt", input.source_ids);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-components", argc, argv,
      [&](Options& options) {
        options.describe(
            "Finds the weakly connected components of a graph, exactly: --tolerance, --model and "
            "--apply do not apply.");
        options.take_input({"edges", "mtx", "metis"});
        options.take_rounds_to_rest();
        options.take_staleness(gas::Engine<ConnectedComponents>::check);
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(partition_methods(), "metis");
        options.take_without_input();
        options.take_output({"components.npy", "ids.txt"});
        options.flag("--undirected", options.common.undirected,
                     "The folder of --partition was cut so; edges join both ends in any case");
        options.summary_keys({"components", "largest"});
      },
      find_components);
}
