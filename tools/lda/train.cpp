#include "tools/lda/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/lda/ending.hpp"
#include "tools/lda/heaviest_words.hpp"
#include "tools/lda/heldout.hpp"
#include "tools/lda/report/topics_report.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

// Of a word's weight in a topic: what it publishes, and what is written of it. Of a word that
// publishes a list, that list without tokens.
constexpr double training_bytes = 9, list_bytes = 250;

/// Before words get what they publish. Collective.
void check_words(Run& run, const TopicSettings& settings, std::uint64_t words, std::uint64_t topics,
                 bool given) {
  LdaOptions options{.topics = static_cast<std::size_t>(topics), .sampler = sampler_of(settings)};
  if (given) options.start = [](VertexId, std::span<float>) {};
  if (lda_keeps_lists(options))
    check_room(run, fmt::format("{} words", words), static_cast<double>(words) * list_bytes);
  else
    check_rows(run, words, options.topics, training_bytes);
}

/// The words' names: line i of the file is of position i, where words of INPUT are positions in a
/// vocabulary, else of the i-th id that occurs. There may be more lines than words where INPUT does
/// not say how many words there are. Nothing without a file. Collective.
std::vector<std::string> read_vocabulary(Run& run, const std::string& file,
                                         const InputGraph& loaded) {
  if (file.empty()) return {};
  std::vector<std::string> lines = loaders::read_lines(run.transport, file);
  const std::uint64_t words = loaded.shape.targets;
  const bool positions = words_from(loaded.format).has_value();
  if (!positions && loaded.target_ids.named())
    throw UsageError("the words of INPUT have names: leave --vocabulary out");
  const bool may_have_more = loaded.sampled || loaded.format == loaders::Format::ldac;
  if (lines.size() < words || (lines.size() > words && !may_have_more))
    throw located_error(
        file, 0, 0, fmt::format("{} lines", lines.size()),
        positions ? fmt::format("one for each of {} words", words)
                  : fmt::format("one for each of the {} words that occur, in the order of their "
                                "ids; with --vertices DOCUMENTS,WORDS others count, too",
                                words));
  return lines;
}

bool alike(const LdaPriors& priors) {
  return std::ranges::adjacent_find(priors.alpha, std::ranges::not_equal_to()) ==
         priors.alpha.end();
}

double mean_alpha(const LdaPriors& priors) {
  return alike(priors) ? priors.alpha[0]
                       : priors.alpha_sum() / static_cast<double>(priors.alpha.size());
}

}  // namespace

Corpus read_corpus(Run& run, const TopicSettings& settings, const TopicModel* model,
                   std::uint64_t topics) {
  InputGraph loaded = read_tokens(run, topics);
  Corpus corpus;
  corpus.words = loaded.shape.targets;
  corpus.words_from = words_from(loaded.format);
  check_words(run, settings, corpus.words, topics, model != nullptr);
  for (const std::size_t one : settings.topics)
    if (one != topics) check_words(run, settings, corpus.words, one, false);
  corpus.vocabulary = read_vocabulary(run, settings.vocabulary, loaded);
  if (!settings.heldout.empty()) {
    Heldout taken = take_heldout(run, settings, loaded, topics);
    corpus.left_out = taken.left_out;
    corpus.heldout = Matrix::from_loaded(run.context(), std::move(taken.graph),
                                         {.partition = "range"}, settings.heldout);
  }
  if (model != nullptr)
    corpus.model_rows = rows_of_words(run, loaded, model->ids, model->words_from);
  corpus.cut = cut_graph(run, std::move(loaded), tokens_wish(topics));
  run.summary.set("tokens", corpus.cut.graph->edge_count);
  run.summary.set("words", corpus.words);
  run.enter(Phase::compute);
  return corpus;
}

Facts facts_of(const Corpus& corpus, const LdaFit& fit) {
  Facts facts;
  facts.set("topics", std::uint64_t{fit.words.topics()});
  facts.set("words", corpus.words);
  facts.set("alpha", mean_alpha(fit.priors));
  facts.set("beta", fit.priors.beta);
  facts.set("words_from", corpus.words_from ? Value(*corpus.words_from) : Value());
  keep_ids(facts, corpus.cut.target_ids);
  return facts;
}

void write_fit(Run& run, const std::filesystem::path& folder, const Corpus& corpus,
               const LdaFit& fit) {
  Communicator& comm = run.transport;
  write_topic_word(comm, folder / "topic_word.npy", fit.words);
  write_topic_counts(comm, folder / "topic_counts.npy", fit.documents.word_counts());
  const auto lines =
      heaviest_words(run, fit.words, 10, corpus.vocabulary, corpus.cut.target_labels);
  loaders::write_file(comm, folder / "topics.txt", [&](loaders::OutputFile& file) {
    for (std::size_t k = 0; k < lines.size(); ++k) file.write(fmt::format("{}\t{}\n", k, lines[k]));
  });
  write_documents(run, folder, fit.documents, fit.words.topics(), corpus.cut.source_labels);
  if (!alike(fit.priors)) {
    const std::uint64_t shape[] = {fit.priors.alpha.size()};
    std::vector<double> mine;
    if (comm.rank() == 0) mine = fit.priors.alpha;
    std::vector<VertexId> rows;
    for (std::size_t k = 0; k < mine.size(); ++k) rows.push_back(to_vertex_id(k));
    loaders::write_npy<double>(comm, folder / "alpha.npy", shape, rows, mine);
  }
  write_ids(comm, folder, corpus.cut);
}

Measured measured(const LdaMeasures& measures) {
  const auto value = [](const std::optional<double>& number) {
    return number ? Value(*number) : Value();
  };
  return {{"joint", value(measures.joint)},
          {"npmi", value(measures.npmi)},
          {"umass", value(measures.umass)},
          {"mimno", value(measures.mimno)},
          {"cao_juan", value(measures.spread.cao_juan)},
          {"arun", value(measures.spread.arun)}};
}

void tell_waiting(Run& run, const Corpus& corpus, const LdaFit& fit) {
  if (!fit.outcome.interrupted || fit.outcome.rounds == 0) return;
  const std::uint64_t drawn =
      all_sum(run.transport, std::uint64_t{fit.documents.local_drawn().size()});
  const std::uint64_t tokens = corpus.cut.graph->edge_count;
  if (drawn < tokens)
    run.warn(fmt::format(
        "{:.0f} % of the tokens have no topic, as the run ended before their documents joined",
        100 * static_cast<double>(tokens - drawn) / static_cast<double>(tokens)));
}

void train_topics(Run& run, const TopicSettings& settings, const TopicModel* model) {
  const std::uint64_t topics = model != nullptr ? model->topics : settings.most_topics();
  Corpus corpus = read_corpus(run, settings, model, topics);
  LdaOptions options = lda_options(run, settings, topics, model);
  if (model != nullptr)
    options.start = [&](VertexId word, std::span<float> weights) {
      const VertexId row = corpus.model_rows[word];
      for (std::size_t k = 0; k < topics; ++k)
        weights[k] =
            row == no_row ? 1.0F / static_cast<float>(corpus.words) : model->weight(k, row);
    };
  LdaFit fit = lda(run.context(), Matrix(corpus.cut.graph, run.options.input_name()), options);
  run.ended(fit.outcome);
  tell_waiting(run, corpus, fit);
  run.objective_is("Mean log-likelihood of a token");
  run.summary.set("topics", topics);
  run.summary.set("alpha", mean_alpha(fit.priors));
  run.summary.set("beta", fit.priors.beta);
  if (fit.gained) run.summary.set("gained", *fit.gained);
  if (settings.split_merge > 0) run.summary.set("moves", fit.moves);
  run.manifest.model = facts_of(corpus, fit);
  const auto measure = [&] {
    if (!settings.no_objective) run.summary.objective = fit.documents.measure();
    if (run.summary.interrupted) return;
    run.off_the_clock([&] {
      if (settings.measures)
        for (const auto& [key, value] :
             measured(lda_measures(run.context(), fit, 10, corpus.left_out)))
          run.summary.set(key, value);
      if (!corpus.heldout) return;
      options.alpha_by_topic = fit.priors.alpha;
      const auto score = lda_heldout(run.context(), *corpus.heldout, fit.words, options);
      if (score && std::isfinite(*score)) run.summary.set("heldout", *score);
    });
  };
  run.measure_and_write(
      measure, [&](const std::filesystem::path& folder) { write_fit(run, folder, corpus, fit); });
  run.show([&] {
    const auto lines = heaviest_words(run, fit.words, run.options.top, corpus.vocabulary,
                                      corpus.cut.target_labels);
    Table table({Table::Side::right, Table::Side::left});
    table.row({"topic", "words"});
    for (std::size_t k = 0; k < lines.size(); ++k) table.row({std::to_string(k), lines[k]});
    return summary_lines(run.summary, topic_counts(run),
                         {"objective", "heldout", "gained", "moves", "joint", "npmi", "umass",
                          "mimno", "cao_juan", "arun"}) +
           table.text_below();
  });
  tell_topics(run, corpus, fit);
  run.report([&] {
    return TopicsReport{fit.documents,
                        topics,
                        corpus.cut.source_labels,
                        &fit.words,
                        &corpus.vocabulary,
                        &corpus.cut.target_labels}
        .sections(run);
  });
}

}  // namespace gas::tools
