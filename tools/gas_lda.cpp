// gas-lda: topics of documents, found and applied.
#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "programs/lda/topic_counts.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/run_tool.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void set_options(Options& options, TopicSettings& settings) {
  options.describe(
      "Finds topics in documents (latent Dirichlet allocation). INPUT has a line per document and "
      "word, with the number of times.",
      "gas-lda docword.txt --topics 20 --vocabulary vocab.txt -o topics",
      "gas-lda new.txt --model topics --apply -o mixtures");
  options.take_input({"edges", "docword", "ldac", "mtx"});
  options.take_vertices(Options::Kinds::two);
  options.take_rounds(200, 0);
  options.take_staleness(check_lda);
  options.take_seed();
  options.take_threads();
  options.take_dry_run();
  options.take_observing();
  options.take_partition({"auto", "metis", "hypergraph", "aweto", "range", "hash"}, "auto");
  options.take_without_input();
  options.take_model({"--heldout", "--beta", "--sampler", "--vocabulary"}, true);
  options.take_output({"topic_word.npy", "topic_counts.npy", "document_topic.npy",
                       "document_counts.npy", "topics.txt", "ids.txt", "names.txt",
                       "parameter_ids.txt", "parameter_names.txt"});
  options.take_text();
  options.take_top("words of each topic; with --apply, topics of the most tokens");
  options.count("--topics", settings.topics, 1, "Topics (with --model: the model's)",
                TopicCounts::most_topics);
  options.real("--alpha", settings.alpha, {.least = 1e-6, .most = 1e6},
               "Prior of a document's topics, each (with --model: the model's)");
  options.real("--beta", settings.beta, {.least = 1e-6, .most = 1e6},
               "Prior of a topic's words, each (with --model: the model's)");
  options.choice("--sampler", settings.sampler, {"auto", "gibbs", "mh"},
                 "gibbs: exact draws; mh: Metropolis-Hastings steps; auto: gibbs up to 256 topics");
  options.text("--vocabulary", settings.vocabulary, "FILE", "A word per line, for topics.txt");
  options.text("--heldout", settings.heldout, "FRACTION|FILE",
               "Score the model on these documents, which are not trained on");
  options.flag("--no-objective", settings.no_objective,
               "Do not measure the model at the end: its objective is null");
  options.check([&options, &settings] {
    settings.alpha_given = options.given("--alpha");
    settings.beta_given = options.given("--beta");
    if (!options.given("--topics") && !options.given("--model"))
      throw UsageError("--topics is missing");
    const double fraction = settings.heldout_fraction();
    if (fraction < 0 || fraction >= 1)
      throw UsageError(fmt::format(
          "--heldout: found {}, expected a fraction between 0 and 1, or a file", settings.heldout));
  });
  options.summary_keys({"topics", "tokens", "words", "heldout"});
}

/// check_memory of so many topics.
bool check_topics(Run& run, const TopicSettings& settings, std::uint64_t topics) {
  const auto source = look_at_graph(run, tokens_wish(topics));
  const auto plan = [&](std::uint64_t count) {
    LdaOptions options{.topics = static_cast<std::size_t>(count), .sampler = sampler_of(settings)};
    const bool writes = !run.options.output.empty() || run.reports();
    return graph_plan(run, source, tokens_wish(count), [=](const PieceSizes& piece) {
      const double mixtures = writes ? piece.owner.masters * static_cast<double>(count) : 0;
      return lda_bytes(piece, options) + mixtures * sizeof(float);
    });
  };
  return check_memory(run, plan(topics), {fewer("--topics", topics, plan)});
}

/// The model's priors, where the command line has none.
void take_priors(Run& run, TopicSettings& settings, const Facts& kept) {
  if (!settings.alpha_given) settings.alpha = kept.number("alpha");
  if (!settings.beta_given) settings.beta = kept.number("beta");
  if (!settings.alpha_given || !settings.beta_given)
    run.note(
        fmt::format("--alpha {} --beta {}, as the model has them", settings.alpha, settings.beta));
}

}  // namespace

int main(int argc, char* argv[]) {
  TopicSettings settings;
  return run_tool(
      "gas-lda", argc, argv, [&](Options& options) { set_options(options, settings); },
      [&](Run& run) {
        if (run.options.model.empty()) {
          if (!check_topics(run, settings, settings.topics)) return;
          run.enter(Phase::load);
          return train_topics(run, settings, nullptr);
        }
        const ModelFolder folder(run.transport, run.options.model, "gas-lda");
        if (!check_topics(run, settings, folder.facts().count("topics"))) return;
        run.enter(Phase::load);
        take_priors(run, settings, folder.facts());
        const TopicModel model = read_topic_model(run.transport, folder);
        if (settings.topics != 0 && settings.topics != model.topics)
          together(run.transport, [&] {
            throw located_error(run.options.model, 0, 0, fmt::format("{} topics", model.topics),
                                fmt::format("{} as --topics says", settings.topics));
          });
        return run.options.apply ? fold_in(run, settings, model)
                                 : train_topics(run, settings, &model);
      });
}
