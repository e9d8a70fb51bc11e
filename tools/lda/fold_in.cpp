#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "tools/lda/ending.hpp"
#include "tools/lda/report/topics_report.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr double folding_bytes = 4.25;  // of a word's weight in a topic: what it publishes

}  // namespace

LdaSampler sampler_of(const TopicSettings& settings) {
  return settings.sampler == "gibbs" ? LdaSampler::gibbs
         : settings.sampler == "mh"  ? LdaSampler::mh
                                     : LdaSampler::automatic;
}

LdaOptions lda_options(Run& run, const TopicSettings& settings, std::uint64_t topics,
                       const TopicModel* model) {
  const bool by_topic = model != nullptr && !settings.alpha_given;
  return {.topics = static_cast<std::size_t>(topics),
          .alpha = settings.alpha,
          .beta = settings.beta,
          .alpha_by_topic = by_topic ? model->alpha : std::vector<double>(),
          .optimize_every = settings.optimize_every,
          .optimize_burn_in = settings.optimize_burn_in,
          .split_merge = settings.split_merge,
          .turns = settings.turns,
          .sampler = sampler_of(settings),
          .tolerance = run.options.tolerance,
          .objectives = !run.options.log.empty() || run.reports(),
          .seed = run.options.seed,
          .measure = false,
          .run = run.engine_options(run.options.iterations),
          .on_round = run.on_round(),
          .off_the_clock = [&run](const std::function<void()>& work) { run.off_the_clock(work); }};
}

void write_documents(Run& run, const std::filesystem::path& folder, const LdaDocuments& documents,
                     std::uint64_t topics, const loaders::RowIds& ids) {
  const std::vector<VertexId> rows = documents.local_ids();
  const DocumentCounts counts = documents.local_document_counts();
  write_rows<float>(
      run, folder, "document_topic", ids, topics, rows,
      [&](std::size_t i, std::span<float> out) { mixture(counts.of(i), documents.priors(), out); });
  write_rows<std::int32_t>(run, folder, "document_counts", ids, topics, rows,
                           [&](std::size_t i, std::span<std::int32_t> out) {
                             for (const auto [topic, count] : counts.of(i)) out[topic] = count;
                           });
}

void fold_in(Run& run, const TopicSettings& settings, const TopicModel& model) {
  InputGraph loaded = read_tokens(run, model.topics);
  const std::vector<VertexId> rows = rows_of_words(run, loaded, model.ids, model.words_from);
  together(run.transport, [&] {
    if (!rows.empty() && std::ranges::count(rows, no_row) == std::ssize(rows))
      throw InputError(fmt::format("{}: found {}, expected at least one that is in the model",
                                   run.options.input_name(),
                                   counted(rows.size(), "word", "words")));
  });
  rename_words(run, loaded, rows, model.words);
  check_rows(run, model.words, static_cast<std::size_t>(model.topics), folding_bytes);
  const CutGraph cut = cut_graph(run, std::move(loaded), tokens_wish(model.topics));
  run.enter(Phase::compute);
  const std::uint64_t topics = model.topics;
  LdaFolded folded = lda_transform(
      run.context(), Matrix(cut.graph, run.options.input_name()),
      [&](VertexId word, std::span<float> weights) {
        for (std::size_t k = 0; k < topics; ++k) weights[k] = model.weight(k, word);
      },
      lda_options(run, settings, topics, &model));
  run.ended(folded.outcome);
  run.objective_is("Mean log-likelihood of a token");
  run.summary.set("topics", model.topics);
  run.summary.set("tokens", cut.graph->edge_count);
  run.summary.set("words", model.words);
  run.measure_and_write(
      [&] {
        if (!settings.no_objective) run.summary.objective = folded.documents.measure();
      },
      [&](const std::filesystem::path& folder) {
        write_documents(run, folder, folded.documents, topics, cut.source_labels);
        write_ids(run.transport, folder, "", cut.source_ids, cut.source_names);
      });
  run.show([&] {
    const auto largest =
        most_frequent(run.transport, topics, folded.documents.local_drawn(), run.options.top);
    return summary_lines(run.summary, topic_counts(run), {"objective"}) +
           top_table(run.transport, loaders::RowIds(topics, 0), largest, "topic", "tokens");
  });
  run.report([&] {
    return TopicsReport{folded.documents, topics, cut.source_labels}.sections(run);
  });
  tell_folded(run, cut, folded.documents, topics);
}

}  // namespace gas::tools
