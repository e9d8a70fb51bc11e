#include "programs/lda/fold_in.hpp"

#include "programs/lda/program.hpp"
#include "tools/lda/rounds.hpp"
#include "tools/lda/rows.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr double folding_bytes = 4.25;  // of a word's weight in a topic: what it publishes

}  // namespace

void fold_in(Run& run, const TopicSettings& settings, const TopicModel& model) {
  InputGraph loaded = read_tokens(run, model.topics);
  rename_words(run, loaded, rows_among(run.transport, loaded.target_ids, model.ids), model.words);
  check_rows(run, model.words, static_cast<std::size_t>(model.topics), folding_bytes);
  const CutGraph cut = cut_graph(run, std::move(loaded), tokens_wish(model.topics));
  together(run.transport, [&] { Lda::local_require_counts(*cut.graph); });
  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  const auto topics = static_cast<std::size_t>(model.topics);
  LdaFoldIn program{.topics = topics, .alpha = static_cast<float>(settings.alpha)};
  program.seed = run.options.seed;
  Engine<LdaFoldIn> engine(run.transport, *executor, cut.graph, program);
  const auto& names = cut.graph->parameter.rows;
  give_words(engine, topics,
             [&](std::size_t i, std::size_t k) { return model.weight(k, names[i]); });
  TopicRounds rounds(run, engine, cut.graph->edge_count, exact_rounds_between_measures);
  rounds.run();
  run.summary.set("topics", model.topics);
  run.summary.set("tokens", cut.graph->edge_count);
  run.summary.set("words", model.words);
  run.measure_and_write(
      [&] {
        if (!settings.no_objective) run.summary.objective = rounds.measure();
      },
      [&](const std::filesystem::path& folder) {
        write_documents(run, engine, *cut.graph, topics, settings.alpha, cut.source_labels, folder);
        write_ids(run.transport, folder, "", cut.source_ids, cut.source_names);
      });
  run.show([&] {
    std::vector<VertexId> drawn;
    engine.local_for_each_edge([&](VertexId, VertexId, const auto& token) {
      if (token.topic != TopicCounts::none) drawn.push_back(token.topic);
    });
    const auto largest = most_frequent(run.transport, topics, std::move(drawn), run.options.top);
    return summary_lines(run.summary, topic_counts(run), {"objective"}) +
           top_table(run.transport, loaders::RowIds(topics, 0), largest, "topic", "tokens");
  });
}

}  // namespace gas::tools
