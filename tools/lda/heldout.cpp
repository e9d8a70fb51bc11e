#include "tools/lda/heldout.hpp"

#include "gas/graph/keep_edges.hpp"
#include "partition/partition.hpp"
#include "programs/lda/fold_in.hpp"
#include "tools/lda/rows.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/graph/row_names.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t rounds = 100;

}  // namespace

InputGraph take_heldout(Run& run, const TopicSettings& settings, InputGraph& training) {
  InputGraph heldout;
  const double fraction = settings.heldout_fraction();
  if (fraction == 0) {
    heldout = read_tokens_of(run, settings.heldout, settings.topics);
    rename_words(
        run, heldout,
        rows_among(run.transport, heldout.target_ids, all_ids(run.transport, training.target_ids)),
        training.shape.targets);
    return heldout;
  }
  const Random random = Random(run.options.seed).stream(0);
  const auto held = [&](VertexId document) { return random.uniform(document) < fraction; };
  heldout.shape = training.shape;
  heldout.edges = training.edges;
  keep_edges(heldout.edges, nullptr, [&](std::size_t e) { return held(heldout.edges.source[e]); });
  keep_edges(training.edges, training.stored ? &training.stored->cut.edge_part : nullptr,
             [&](std::size_t e) { return !held(training.edges.source[e]); });
  return heldout;
}

double score_heldout(Run& run, Executor& executor, const WordRows& words, std::size_t topics,
                     double alpha, loaders::LoadedGraph heldout) {
  partition::Options cut;
  cut.method = "range";
  cut.parts = static_cast<Part>(run.transport.size());
  auto partition = partition::make_partition(run.transport, heldout.edges, heldout.shape, cut);
  const auto graph = std::make_shared<const LocalGraph>(
      build_graph(run.transport, heldout.shape, std::move(heldout.edges), std::move(partition),
                  Repeats::expand, run.options.threads));
  LdaFoldIn program{.topics = topics, .alpha = static_cast<float>(alpha), .halves = true};
  program.seed = run.options.seed;
  Engine<LdaFoldIn> engine(run.transport, executor, graph, program);
  const std::vector<float> weights = words.get(masters(graph->parameter));
  give_words(engine, topics, [&](std::size_t i, std::size_t k) { return weights[i * topics + k]; });
  engine.run({.iterations = rounds});
  engine.run_at_rest();
  return engine.last().data().mean();
}

}  // namespace gas::tools
