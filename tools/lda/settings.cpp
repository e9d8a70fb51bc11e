#include "tools/lda/settings.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "programs/lda/lda.hpp"
#include "programs/lda/topic_counts.hpp"
#include "tools/support/command/values.hpp"

namespace gas::tools {
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

}  // namespace

void take_lda(Options& options, TopicSettings& settings) {
  options.describe(
      "Finds topics in documents (latent Dirichlet allocation). INPUT has a line per document and "
      "word, with the word's count in the document.",
      "gas-lda docword.txt --topics 20 --vocabulary vocab.txt -o topics",
      "gas-lda new.txt --model topics --apply -o mixtures");
  options.usage("gas-lda INPUT --topics N [options]");
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
                      "--optimize-burn-in", "--split-merge", "--turns", "--measures"},
                     true);
  options.take_output({"topic_word.npy", "topic_counts.npy", "document_topic.npy",
                       "document_counts.npy", "topics.txt", "alpha.npy", "models.tsv", "ids.txt",
                       "names.txt", "parameter_ids.txt", "parameter_names.txt"});
  options.take_text();
  options.take_top("words of each topic; with --apply, topics that have the most tokens");
  options.text("--topics", settings.topics_text, "N[,N...]",
               "Number of topics (with --model: the model's); several numbers are compared");
  options.real("--alpha", settings.alpha, {.least = 1e-6, .most = 1e6},
               "Dirichlet prior of each topic in a document; with --model the model's");
  options.real("--beta", settings.beta, {.least = 1e-6, .most = 1e6},
               "Dirichlet prior of each word in a topic; with --model the model's");
  options.choice("--sampler", settings.sampler, {"auto", "gibbs", "mh"},
                 "gibbs: exact draws; mh: Metropolis-Hastings steps; auto: gibbs up to 256 topics; "
                 "with more, gibbs for words that have at most 256 topics, mh for others");
  options.count("--optimize-every", settings.optimize_every, 0,
                "Fit beta and an alpha for each topic every N rounds; 0: never");
  options.count("--optimize-burn-in", settings.optimize_burn_in, 0,
                "Rounds after which --optimize-every begins");
  options.needs("--optimize-burn-in", "--optimize-every");
  options.count(
      "--split-merge", settings.split_merge, 0,
      "Tell mixed topics apart every N rounds; merges two topics and splits a third where "
      "that makes them likelier, but not in the last third of the rounds; 0: never");
  options.count("--turns", settings.turns, 1,
                "Documents draw in N turns, one in each round; for the same number of draws, which "
                "takes N times the --iterations, topics are usually likelier");
  options.flag("--measures", settings.measures,
               "Measure coherence, spread and joint likelihood of the topics");
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
      throw UsageError("--topics is missing (or --model)");
    if (settings.several())
      for (const char* one : {"--model", "--checkpoint", "--log", "--trace"})
        if (options.given(one)) throw UsageError(fmt::format("{} needs one number of topics", one));
    if (settings.split_merge > 0 && settings.most_topics() > TopicCounts::most_dense)
      throw UsageError(fmt::format("--split-merge needs at most {} topics, found {}",
                                   TopicCounts::most_dense, settings.most_topics()));
    if (settings.turns > 1 && settings.turns > options.common.iterations)
      throw UsageError(
          fmt::format("--turns: found {}, expected at least 1, and at most the {} iterations",
                      settings.turns, options.common.iterations));
    if (settings.turns > 1 && settings.sampler != "gibbs" && !options.given("--model") &&
        settings.most_topics() > TopicCounts::most_dense)
      throw UsageError(fmt::format(
          "--turns needs at most {} topics, or --sampler gibbs, or --model; found {} topics",
          TopicCounts::most_dense, settings.most_topics()));
    const std::optional<double> fraction = settings.heldout_fraction();
    if (fraction && !(*fraction > 0 && *fraction < 1))
      throw UsageError(fmt::format(
          "--heldout: found {}, expected a fraction between 0 and 1, or a file", settings.heldout));
  });
  options.summary_keys({"topics", "tokens", "words", "heldout", "alpha", "beta", "gained", "moves",
                        "joint", "npmi", "umass", "mimno", "cao_juan", "arun", "models"});
}

}  // namespace gas::tools
