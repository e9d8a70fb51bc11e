#include <fmt/format.h>

#include <cmath>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "programs/lda/program.hpp"
#include "tools/lda/heaviest_words.hpp"
#include "tools/lda/heldout.hpp"
#include "tools/lda/rounds.hpp"
#include "tools/lda/rows.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t walks_between_measures = 100;  // a measure costs ten of their rounds
constexpr std::size_t most_exact = 256;                // topics drawn exactly with --sampler auto
// Of a word's weight in a topic: what it publishes, and what is written of it.
constexpr double training_bytes = 9;

/// A word per line, for each of `words`; nothing without a file. Collective.
std::vector<std::string> read_vocabulary(Run& run, const std::string& file, std::uint64_t words) {
  if (file.empty()) return {};
  std::vector<std::string> lines = loaders::read_lines(run.transport, file);
  if (lines.size() < words)
    throw located_error(file, 0, 0, fmt::format("{} lines", lines.size()),
                        fmt::format("one for each of {} words", words));
  return lines;
}

}  // namespace

void train_topics(Run& run, const TopicSettings& settings, const TopicModel* model) {
  InputGraph loaded = read_tokens(run, settings.topics);
  const std::uint64_t words = loaded.shape.targets;
  check_rows(run, words, model != nullptr ? model->topics : settings.topics, training_bytes);
  const std::vector<std::string> vocabulary = read_vocabulary(run, settings.vocabulary, words);
  InputGraph heldout;
  if (!settings.heldout.empty()) heldout = take_heldout(run, settings, loaded);
  std::vector<VertexId> model_rows;
  if (model != nullptr) model_rows = rows_among(run.transport, loaded.target_ids, model->ids);
  const CutGraph cut = cut_graph(run, std::move(loaded), tokens_wish(settings.topics));
  together(run.transport, [&] { Lda::local_require_counts(*cut.graph); });
  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Lda program{
      .topics = model != nullptr ? static_cast<std::size_t>(model->topics) : settings.topics,
      .alpha = static_cast<float>(settings.alpha),
      .beta = static_cast<float>(settings.beta),
      .words = words,
      .seed = run.options.seed};
  const std::size_t topics = program.topics;
  program.walks = settings.sampler == "mh" || (settings.sampler == "auto" && topics > most_exact);
  program.given = model != nullptr;
  Engine<Lda> engine(run.transport, *executor, cut.graph, program);
  if (model != nullptr && run.options.iterations > 0) {
    const auto& names = cut.graph->parameter.rows;
    give_words(engine, topics, [&](std::size_t i, std::size_t k) {
      const VertexId row = model_rows[names[i]];
      return row == no_row ? 1.0F / static_cast<float>(words) : model->weight(k, row);
    });
  }
  TopicRounds rounds(run, engine, cut.graph->edge_count,
                     program.walks ? walks_between_measures : exact_rounds_between_measures);
  rounds.run();

  WordRows phi(run.transport, words, topics);
  const std::vector<VertexId> mine = masters(cut.graph->parameter);
  phi.put(mine, [&](std::size_t i) {
    return TopicRow(engine.local_published<Lda::Word>(static_cast<LocalId>(i)), topics).weights;
  });
  run.summary.set("topics", std::uint64_t{topics});
  run.summary.set("tokens", cut.graph->edge_count);
  run.summary.set("words", words);
  Facts& kept = run.manifest.model;
  kept.set("topics", std::uint64_t{topics});
  kept.set("words", words);
  kept.set("alpha", settings.alpha);
  kept.set("beta", settings.beta);
  keep_ids(kept, cut.target_ids);
  const auto measure = [&] {
    if (!settings.no_objective) run.summary.objective = rounds.measure();
    if (settings.heldout.empty() || run.summary.interrupted) return;
    run.off_the_clock([&] {
      const double score =
          score_heldout(run, *executor, phi, topics, settings.alpha, std::move(heldout));
      if (std::isfinite(score)) run.summary.set("heldout", score);
    });
  };
  run.measure_and_write(measure, [&](const std::filesystem::path& folder) {
    phi.write((folder / "topic_word.npy").string());
    const auto lines = heaviest_words(run, phi, 10, vocabulary, cut.target_labels);
    loaders::write_file(run.transport, folder / "topics.txt", [&](loaders::OutputFile& file) {
      for (std::size_t k = 0; k < lines.size(); ++k)
        file.write(fmt::format("{}\t{}\n", k, lines[k]));
    });
    write_documents(run, engine, *cut.graph, topics, settings.alpha, cut.source_labels, folder);
    write_ids(run.transport, folder, cut);
  });
  run.show([&] {
    const auto lines = heaviest_words(run, phi, run.options.top, vocabulary, cut.target_labels);
    Table table({Table::Side::right, Table::Side::left});
    table.row({"topic", "words"});
    for (std::size_t k = 0; k < lines.size(); ++k) table.row({std::to_string(k), lines[k]});
    return summary_lines(run.summary, topic_counts(run), {"objective", "heldout"}) +
           table.text_below();
  });
}

}  // namespace gas::tools
