#include <fmt/format.h>

#include <cmath>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/lda/heaviest_words.hpp"
#include "tools/lda/heldout.hpp"
#include "tools/lda/report/topics_report.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

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
  run.enter(Phase::compute);
  const std::uint64_t topics = model != nullptr ? model->topics : settings.topics;
  LdaOptions options = lda_options(run, settings, topics);
  if (model != nullptr)
    options.start = [&](VertexId word, std::span<float> weights) {
      const VertexId row = model_rows[word];
      for (std::size_t k = 0; k < topics; ++k)
        weights[k] = row == no_row ? 1.0F / static_cast<float>(words) : model->weight(k, row);
    };
  LdaFit fit = lda(run.context(), Matrix(cut.graph, run.options.input_name()), options);
  run.ended(fit.outcome);
  run.objective_is("Mean log-likelihood of a token");
  run.summary.set("topics", topics);
  run.summary.set("tokens", cut.graph->edge_count);
  run.summary.set("words", words);
  Facts& kept = run.manifest.model;
  kept.set("topics", topics);
  kept.set("words", words);
  kept.set("alpha", settings.alpha);
  kept.set("beta", settings.beta);
  keep_ids(kept, cut.target_ids);
  const auto measure = [&] {
    if (!settings.no_objective) run.summary.objective = fit.documents.measure();
    if (settings.heldout.empty() || run.summary.interrupted) return;
    run.off_the_clock([&] {
      const double score =
          lda_heldout(run.context(),
                      Matrix::from_loaded(run.context(), std::move(heldout), {.partition = "range"},
                                          settings.heldout),
                      fit.words, options);
      if (std::isfinite(score)) run.summary.set("heldout", score);
    });
  };
  run.measure_and_write(measure, [&](const std::filesystem::path& folder) {
    write_topic_word(run.transport, folder / "topic_word.npy", fit.words);
    write_topic_counts(run.transport, folder / "topic_counts.npy", fit.documents.word_counts());
    const auto lines = heaviest_words(run, fit.words, 10, vocabulary, cut.target_labels);
    loaders::write_file(run.transport, folder / "topics.txt", [&](loaders::OutputFile& file) {
      for (std::size_t k = 0; k < lines.size(); ++k)
        file.write(fmt::format("{}\t{}\n", k, lines[k]));
    });
    write_documents(run, folder, fit.documents, topics, cut.source_labels);
    write_ids(run.transport, folder, cut);
  });
  run.show([&] {
    const auto lines =
        heaviest_words(run, fit.words, run.options.top, vocabulary, cut.target_labels);
    Table table({Table::Side::right, Table::Side::left});
    table.row({"topic", "words"});
    for (std::size_t k = 0; k < lines.size(); ++k) table.row({std::to_string(k), lines[k]});
    return summary_lines(run.summary, topic_counts(run), {"objective", "heldout"}) +
           table.text_below();
  });
  run.report([&] {
    return TopicsReport{fit.documents, topics,      cut.source_labels,
                        &fit.words,    &vocabulary, &cut.target_labels}
        .sections(run);
  });
}

}  // namespace gas::tools
