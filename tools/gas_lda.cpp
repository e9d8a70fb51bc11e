// gas-lda: topics of documents, found and applied.
#include <fmt/format.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "programs/lda/topic_counts.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/command/values.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/run_tool.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// Those that --topics lists. UsageError for what is no list of numbers that differ.
std::vector<std::size_t> numbers_of_topics(const std::string& text) {
  std::vector<std::size_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::uint64_t number = 0;
    if (!parse_number(text.substr(at, end - at), number) || number < 1 ||
        number > TopicCounts::most_topics || end + 1 == text.size())
      refuse("--topics", text,
             fmt::format("a whole number from 1 to {}, or several with commas between",
                         TopicCounts::most_topics));
    if (std::ranges::find(numbers, number) != numbers.end())
      refuse("--topics", text, "numbers that differ");
    numbers.push_back(static_cast<std::size_t>(number));
    at = end + 1;
  }
  return numbers;
}

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
  options.take_model({"--heldout", "--beta", "--sampler", "--vocabulary", "--optimize-every",
                      "--optimize-burn-in", "--measures"},
                     true);
  options.take_output({"topic_word.npy", "topic_counts.npy", "document_topic.npy",
                       "document_counts.npy", "topics.txt", "alpha.npy", "models.tsv", "ids.txt",
                       "names.txt", "parameter_ids.txt", "parameter_names.txt"});
  options.take_text();
  options.take_top("words of each topic; with --apply, topics of the most tokens");
  options.text("--topics", settings.topics_text, "N[,N...]",
               "Topics (with --model: the model's); several are compared");
  options.real("--alpha", settings.alpha, {.least = 1e-6, .most = 1e6},
               "Prior of a document's topics, each; with --model the model's");
  options.real("--beta", settings.beta, {.least = 1e-6, .most = 1e6},
               "Prior of a topic's words, each; with --model the model's");
  options.choice("--sampler", settings.sampler, {"auto", "gibbs", "mh"},
                 "gibbs: exact draws; mh: Metropolis-Hastings steps; auto: gibbs up to 256 topics, "
                 "above them gibbs for words that have at most 256, mh for others");
  options.count("--optimize-every", settings.optimize_every, 0,
                "Fit alpha and beta so often, in rounds; alpha of each topic; 0: never");
  options.count("--optimize-burn-in", settings.optimize_burn_in, 0,
                "Rounds after which --optimize-every begins");
  options.needs("--optimize-burn-in", "--optimize-every");
  options.flag("--measures", settings.measures,
               "Measure coherence and spread of the topics; and their joint likelihood");
  options.text("--vocabulary", settings.vocabulary, "FILE", "A word per line, for topics.txt");
  options.text("--heldout", settings.heldout, "FRACTION|FILE",
               "Score the model on these documents, which are not trained on");
  options.flag("--no-objective", settings.no_objective,
               "Do not measure the model at the end: its objective is null");
  options.check([&options, &settings] {
    settings.alpha_given = options.given("--alpha");
    settings.beta_given = options.given("--beta");
    settings.topics = numbers_of_topics(settings.topics_text);
    if (settings.topics.empty() && !options.given("--model"))
      throw UsageError("--topics is missing");
    if (settings.several())
      for (const char* one : {"--model", "--checkpoint", "--log", "--report", "--trace"})
        if (options.given(one)) throw UsageError(fmt::format("{} needs one number of topics", one));
    const double fraction = settings.heldout_fraction();
    if (fraction < 0 || fraction >= 1)
      throw UsageError(fmt::format(
          "--heldout: found {}, expected a fraction between 0 and 1, or a file", settings.heldout));
  });
  options.summary_keys({"topics", "tokens", "words", "heldout", "alpha", "beta", "gained", "joint",
                        "npmi", "umass", "mimno", "cao_juan", "arun", "models"});
}

/// check_memory of so many topics.
bool check_topics(Run& run, const TopicSettings& settings, std::uint64_t topics) {
  const auto source = look_at_graph(run, tokens_wish(topics));
  const auto plan = [&](std::uint64_t count) {
    LdaOptions options{.topics = static_cast<std::size_t>(count), .sampler = sampler_of(settings)};
    if (!run.options.model.empty()) options.start = [](VertexId, std::span<float>) {};
    const bool writes = !run.options.output.empty() || run.reports();
    return graph_plan(run, source, tokens_wish(count), [=, &settings](const PieceSizes& piece) {
      // Beside the fit how many tokens of each document, or each word, are of each topic.
      const double documents = std::max(piece.owner.masters, 1.0);
      const double mixtures =
          documents *
          (std::min(piece.edges / documents, static_cast<double>(count)) * sizeof(TopicTokens) +
           sizeof(std::size_t));
      const double counts = piece.edges * (sizeof(VertexId) + sizeof(std::int32_t));
      const bool counted = writes || settings.optimize_every > 0 || settings.measures;
      return lda_bytes(piece, options) + std::max(writes ? mixtures : 0, counted ? counts : 0);
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
          if (!check_topics(run, settings, settings.most_topics())) return;
          run.enter(Phase::load);
          return settings.several() ? compare_topics(run, settings)
                                    : train_topics(run, settings, nullptr);
        }
        const ModelFolder folder(run.transport, run.options.model, "gas-lda");
        if (!check_topics(run, settings, folder.facts().count("topics"))) return;
        run.enter(Phase::load);
        take_priors(run, settings, folder.facts());
        const TopicModel model = read_topic_model(run.transport, folder);
        if (!settings.topics.empty() && settings.topics[0] != model.topics)
          together(run.transport, [&] {
            throw located_error(run.options.model, 0, 0, fmt::format("{} topics", model.topics),
                                fmt::format("{} as --topics says", settings.topics[0]));
          });
        return run.options.apply ? fold_in(run, settings, model)
                                 : train_topics(run, settings, &model);
      });
}
