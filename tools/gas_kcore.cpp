// gas-kcore: the core numbers of a graph.
#include "gas/base/error.hpp"
#include "programs/k_core/k_core.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/ids/vertex_report.hpp"
#include "tools/support/memory/graph_memory.hpp"
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

void find(Run& run) {
  Communicator& comm = run.transport;
  const GraphWish wish = simple_pairs();
  const auto bytes = [&](const PieceSizes& piece) {
    return k_core_bytes(piece, {.run = run.options.run_options()});
  };
  if (!check_memory(run, wish, bytes)) return;
  run.enter(Phase::load);
  const CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  const Cores found = k_core(run.context(), Graph(input.graph),
                             {.run = run.engine_options(run.options.iterations),
                              .on_round = run.on_round(),
                              .on_close = [&] { run.enter(Phase::output); }});
  run.ended_exactly(found.outcome);
  const bool converged = found.outcome.converged;
  if (converged) run.summary.set("degeneracy", std::uint64_t{found.degeneracy});
  run.show([&] {
    std::string text = summary_lines(run.summary, {"vertices", nullptr, "arcs"}, {"degeneracy"});
    if (converged)
      text += deepest_table(comm, found.degeneracy, {found.cores.begin(), found.cores.end()},
                            run.options.top);
    return text;
  });

  run.write_files([&](const std::filesystem::path& folder) {
    together(comm, [&] {
      if (found.degeneracy > 0x7fffffff) throw RunError("a core number beyond 2^31 − 1");
    });
    const std::vector<std::int32_t> cores(found.cores.begin(), found.cores.end());
    write_blocks(run, folder, "cores", input.source_labels, cores);
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{vertex_section(run, {"Core numbers", "Vertices", "core number"},
                                      input.source_labels, found.cores,
                                      [&](auto) { return converged; })};
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_tool(
      "gas-kcore", argc, argv,
      [](Options& options) {
        options.describe(
            "Finds the core number of every vertex: the largest k such that the vertex lies in a "
            "part of the graph whose vertices all have at least k neighbours in that part. The "
            "result is exact. A third column of INPUT is not used.",
            "gas-kcore links.txt --top 5", "mpirun -n 2 gas-kcore links.txt -o cores");
        take_plain_graph_to_rest(options, check_k_core, Order::priority);
        options.take_output({"cores.npy", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the largest core numbers");
        take_undirected_folder(options);
        options.summary_keys({"degeneracy"});
      },
      find);
}
