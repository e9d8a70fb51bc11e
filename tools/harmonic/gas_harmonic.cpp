// gas-harmonic: the harmonic centrality of the vertices of a graph. A tool of its own: its rounds
// have no damping, teleport, weights or tolerance, which most options of gas-pagerank are about.
#include <bit>

#include "gas/base/error.hpp"
#include "programs/harmonic_centrality/harmonic_centrality.hpp"
#include "tools/harmonic/findings.hpp"
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

void measure(Run& run, std::uint64_t registers) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::one, .values = Values::unused};
  HarmonicOptions options{.registers = registers, .seed = run.options.seed};
  const auto bytes = [&](const PieceSizes& piece) {
    return harmonic_centrality_bytes(piece, options);
  };
  if (!check_memory(run, wish, bytes)) return;
  run.enter(Phase::load);
  const CutGraph input = cut_graph(run, read_graph(run, wish), wish);

  run.enter(Phase::compute);
  options.run = run.engine_options(run.options.iterations);
  options.on_round = run.on_round();
  options.on_close = [&] { run.enter(Phase::output); };
  const HarmonicCentralities found =
      harmonic_centrality(run.context(), Graph(input.graph), options);
  run.ended(found.outcome);
  run.tell_unfinished(found.outcome, "all paths were followed");
  run.summary.set("registers", registers);
  run.summary.set("standard_error", harmonic_error(registers));
  run.summary.set("farthest", found.farthest);
  const Top top = top_of(comm, input.shape.sources, found.centrality, run.options.top);
  run.show([&] {
    return summary_lines(run.summary, {"vertices", nullptr, "arcs"},
                         {"standard_error", "farthest"}) +
           top_table(comm, input.source_labels, top, "vertex", "centrality");
  });

  run.write_files([&](const std::filesystem::path& folder) {
    write_blocks(run, folder, "centrality", input.source_labels, found.centrality);
    write_blocks(run, folder, "reached_by", input.source_labels, found.reached_by);
    loaders::write_text(
        comm, folder / "top.tsv",
        ranking_lines(named(comm, input.source_labels, top), "vertex", "centrality"));
    write_ids(comm, folder, input);
  });
  run.report([&] {
    return std::vector{vertex_section(run, {"Centrality of vertices", "Vertices", "centrality"},
                                      input.source_labels, found.centrality)};
  });
  if (!found.outcome.interrupted)
    for (const std::string& line : told_of(run, registers, input.source_labels, found))
      run.note(line);
}

}  // namespace

int main(int argc, char* argv[]) {
  std::uint64_t registers = HarmonicOptions{}.registers;
  return run_tool(
      "gas-harmonic", argc, argv,
      [&](Options& options) {
        options.describe(
            "Estimates the harmonic centrality of every vertex: the sum of 1/d over all vertices "
            "that reach it, where d is the number of arcs on a shortest path. A third column of "
            "INPUT is not used.",
            "mpirun -n 2 gas-harmonic links.txt --top 20",
            "gas-harmonic friends.txt --undirected --registers 1024 -o near");
        take_plain_graph_to_rest(options, check_harmonic_centrality);
        options.take_output(
            {"centrality.npy", "reached_by.npy", "top.tsv", "ids.txt", "names.txt"});
        options.take_text();
        options.take_top("of the most central");
        options.take_undirected();
        options.count("--registers", registers, 16,
                      "Bytes of a vertex's counter, a power of two up to 65536: the standard "
                      "error is 1.06 / sqrt(N)");
        options.check([&] {
          if (!std::has_single_bit(registers) || registers > 65536)
            throw UsageError("--registers: found " + std::to_string(registers) +
                             ", expected a power of two from 16 to 65536");
        });
        options.summary_keys({"registers", "standard_error", "farthest"});
      },
      [&](Run& run) { measure(run, registers); });
}
