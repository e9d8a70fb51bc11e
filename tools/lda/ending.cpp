#include "tools/lda/ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gas/base/rank_sums.hpp"
#include "tools/lda/heaviest_words.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {
namespace {

/// exp of the entropy of the words: the perplexity of a model of one topic without priors.
double perplexity_of_frequencies(Communicator& comm, const TokenCounts& words, double tokens) {
  double sum = 0;
  for (std::size_t w = 0; w < words.local_words(); ++w) {
    const auto counts = words.local_counts(w);
    const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (count > 0) sum -= count / tokens * std::log(count / tokens);
  }
  return std::exp(all_sum(comm, sum));
}

/// The share, in percent, that a document of middling rank has of its largest topic.
std::size_t middling_share(Communicator& comm, const LdaDocuments& documents) {
  std::vector<std::uint64_t> by_percent(101);
  documents.local_for_each([&](std::span<const TopicTokens> document) {
    std::int64_t length = 0, most = 0;
    for (const TopicTokens& tokens : document) {
      length += tokens.count;
      most = std::max<std::int64_t>(most, tokens.count);
    }
    ++by_percent[static_cast<std::size_t>(100 * most / length)];
  });
  add_ranks(comm, by_percent);
  std::uint64_t rest = std::accumulate(by_percent.begin(), by_percent.end(), std::uint64_t{0}) / 2;
  std::size_t percent = 0;
  while (percent < 100 && rest >= by_percent[percent]) rest -= by_percent[percent++];
  return percent;
}

/// How hard tokens are to tell by frequency alone, and by the topics.
std::string hardness(const Run& run, double alone) {
  std::string text =
      fmt::format("a token is as hard to tell as one of {:.0f} words by frequency alone", alone);
  if (run.summary.objective)
    text += fmt::format(", of {:.0f} by the topics", std::exp(-*run.summary.objective));
  return text;
}

std::string sharing(std::size_t percent) {
  return fmt::format("half of the documents have {} % or more of their tokens in one topic",
                     percent);
}

bool tells(const Run& run, std::uint64_t tokens) {
  return !run.options.quiet && !run.summary.interrupted && tokens > 0;
}

}  // namespace

void tell_topics(Run& run, const Corpus& corpus, const LdaFit& fit) {
  if (!tells(run, corpus.cut.graph->edge_count)) return;
  Communicator& comm = run.transport;
  const auto tokens = static_cast<double>(corpus.cut.graph->edge_count);
  const TokenCounts counts = fit.documents.word_counts();
  const std::vector<std::int64_t> sizes = counts.of_topics(comm);
  const double alone = perplexity_of_frequencies(comm, counts, tokens);
  const std::size_t share = middling_share(comm, fit.documents);
  const auto words = heaviest_words(run, fit.words, 6, corpus.vocabulary, corpus.cut.target_labels);
  const auto most = static_cast<std::size_t>(std::ranges::max_element(sizes) - sizes.begin());
  const auto least = static_cast<std::size_t>(std::ranges::min_element(sizes) - sizes.begin());
  const auto topic = [&](std::size_t k) {
    return fmt::format("{:.1f} % of the tokens, topic {}: {}",
                       100 * static_cast<double>(sizes[k]) / tokens, k,
                       k < words.size() ? words[k] : "");
  };
  const auto number = [&](const char* key) -> const double* {
    for (const auto& [name, value] : run.summary.own)
      if (name == key) return std::get_if<double>(&value);
    return nullptr;
  };
  const std::uint64_t documents = corpus.cut.shape.sources - corpus.left_out;
  run.note(fmt::format("found {} in {}, {} of {}", counted(sizes.size(), "topic", "topics"),
                       counted(documents, "document", "documents"),
                       counted(corpus.cut.graph->edge_count, "token", "tokens"),
                       counted(corpus.words, "word", "words")));
  run.note("the largest has " + topic(most));
  run.note("the smallest has " + topic(least));
  run.note(sharing(share));
  std::string good = hardness(run, alone);
  if (const double* const heldout = number("heldout"))
    good += fmt::format(", of {:.0f} in documents not trained on", std::exp(-*heldout));
  if (const double* const npmi = number("npmi"))
    good += fmt::format("; top words go together: {:.2f} (npmi, from -1 to 1)", *npmi);
  run.note(good);
}

void tell_folded(Run& run, const CutGraph& cut, const LdaDocuments& documents,
                 std::uint64_t topics) {
  const std::uint64_t tokens = cut.graph->edge_count;
  if (!tells(run, tokens)) return;
  Communicator& comm = run.transport;
  const TokenCounts counts = documents.word_counts();
  const std::vector<std::int64_t> sizes = counts.of_topics(comm);
  const double alone = perplexity_of_frequencies(comm, counts, static_cast<double>(tokens));
  const std::size_t share = middling_share(comm, documents);
  const auto most = static_cast<std::size_t>(std::ranges::max_element(sizes) - sizes.begin());
  run.note(fmt::format("found the topics of {}, {}, by {}",
                       counted(cut.shape.sources, "document", "documents"),
                       counted(tokens, "token", "tokens"), run.options.model));
  run.note(fmt::format("{} of {} occur in them",
                       sizes.size() - static_cast<std::size_t>(std::ranges::count(sizes, 0)),
                       counted(topics, "topic", "topics")));
  run.note(fmt::format("the largest has {:.1f} % of the tokens, topic {}",
                       100 * static_cast<double>(sizes[most]) / static_cast<double>(tokens), most));
  run.note(sharing(share));
  run.note(hardness(run, alone));
}

}  // namespace gas::tools
