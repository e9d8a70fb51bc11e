// gas-kcore: the core numbers of a graph.
#include "gas/base/error.hpp"
#include "gas/engine/engine.hpp"
#include "programs/k_core/peeling.hpp"
#include "programs/k_core/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// How many vertices have each of the largest core numbers. Rank 0 gets it. Collective.
std::string deepest_table(Communicator& comm, std::uint32_t degeneracy, std::vector<VertexId> cores,
                          std::uint64_t count) {
  struct Core {
    std::uint64_t core, vertices;
  };
  const std::uint64_t numbers = std::uint64_t{degeneracy} + 1;
  const std::vector<std::uint64_t> vertices = tally(comm, numbers, std::move(cores));
  const std::uint64_t first = BlockDistribution{numbers, comm.size()}.first(comm.rank());
  std::vector<Core> deepest;
  for (std::size_t i = vertices.size(); i > 0 && deepest.size() < count; --i)
    if (vertices[i - 1] > 0) deepest.push_back({first + i - 1, vertices[i - 1]});
  const auto ranks = gather(comm, std::span<const Core>(deepest));
  Table table({Table::Side::right, Table::Side::right});
  table.row({"core", "vertices"});
  std::uint64_t left = count;
  for (std::size_t rank = ranks.size(); rank > 0; --rank)  // blocks ascend by rank
    for (const Core& core : ranks[rank - 1])
      if (left > 0 && left-- > 0) table.row({shown(core.core), shown(core.vertices)});
  return table.text_below();
}

template <class Program>
void find_cores(Run& run, const CutGraph& input) {
  Communicator& comm = run.transport;
  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<Program> engine(run.transport, *executor, input.graph, {});
  const RunReport report =
      engine.run(run.engine_options(run.options.iterations),
                 [&](const auto& round) { run.round_done(round.round, std::nullopt); });
  std::vector<VertexId> rows;
  std::vector<std::int32_t> cores;
  std::uint32_t degeneracy = 0;
  engine.template local_for_each<typename Program::Vertex>([&](VertexId row, const auto& vertex) {
    rows.push_back(row);
    cores.push_back(static_cast<std::int32_t>(vertex.core));
    degeneracy = std::max(degeneracy, vertex.core);
  });
  degeneracy = all_max(comm, degeneracy);
  run.ended(report);
  run.saw(engine.local_report());
  if (report.converged) run.summary.reproducible = true;  // exact, whatever was read when
  if (report.converged) run.summary.set("degeneracy", std::uint64_t{degeneracy});
  run.show([&] {
    std::string text = summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"degeneracy"});
    if (report.converged)
      text += deepest_table(comm, degeneracy, {cores.begin(), cores.end()}, run.options.top);
    return text;
  });

  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    together(comm, [&] {
      if (degeneracy > 0x7fffffff) throw RunError("a core number beyond 2^31 − 1");
    });
    write_rows<std::int32_t>(run, folder, "cores", input.source_labels, 0, rows, cores);
    write_ids(comm, folder, input);
  });
}

/// In step by levels, else by estimates that stand any staleness.
bool peels(const RunOptions& options) { return options.order == Order::priority; }

void find_cores(Run& run) {
  const GraphWish wish = simple_pairs();
  run.enter(Phase::load);
  const CutGraph input = cut_graph(run, read_graph(run, wish), wish);
  if (peels(run.engine_options(run.options.iterations)))
    find_cores<Peeling>(run, input);
  else
    find_cores<KCore>(run, input);
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-kcore", argc, argv,
      [&](Options& options) {
        options.describe(
            "Finds the core number of every vertex: the largest k such that the vertex lies in a "
            "part of the graph whose vertices all have at least k neighbours in that part. The "
            "result is exact. A third column of INPUT is not used.",
            "gas-kcore links.txt --top 5");
        take_plain_graph_to_rest(
            options,
            [](const RunOptions& wanted) {
              peels(wanted) ? Engine<Peeling>::check(wanted) : Engine<KCore>::check(wanted);
            },
            Order::priority);
        options.take_output({"cores.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the largest core numbers");
        take_undirected_folder(options);
        options.summary_keys({"degeneracy"});
      },
      [](Run& run) { find_cores(run); });
}
