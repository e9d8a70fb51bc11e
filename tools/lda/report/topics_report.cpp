#include "tools/lda/report/topics_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/lda/report/topic_cards.hpp"
#include "tools/lda/report/topic_map.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/ids/top.hpp"

namespace gas::tools {
namespace {

// So that a page stays below 3 MB.
constexpr std::size_t most_topics = 300, words_of_few = 12, words_of_many = 8, few_topics = 60;
constexpr std::uint64_t documents_per_topic = 3;

using Indexes = std::vector<std::size_t>;

std::vector<std::uint64_t> tokens_of_topics(Communicator& comm, const TopicsReport& of) {
  return whole(comm, tally(comm, of.topics, of.documents.local_drawn()));
}

/// The largest first.
Indexes largest(const std::vector<std::uint64_t>& tokens, std::size_t most) {
  Indexes topics(tokens.size());
  std::iota(topics.begin(), topics.end(), std::size_t{0});
  std::ranges::stable_sort(topics, std::greater<>(), [&](std::size_t k) { return tokens[k]; });
  topics.resize(std::min(topics.size(), most));
  return topics;
}

/// The names of the documents with the largest share of each of these topics, on rank 0.
std::vector<std::vector<std::string>> best_documents(Run& run, const TopicsReport& of,
                                                     const Indexes& topics) {
  const std::vector<VertexId> rows = of.documents.local_ids();
  const std::vector<float> shares = of.documents.local_topics();
  std::vector<VertexId> best;
  std::vector<std::size_t> counts;
  for (const std::size_t topic : topics) {
    Top top(documents_per_topic);
    for (std::size_t i = 0; i < rows.size(); ++i)
      top.add(rows[i], static_cast<double>(shares[i * of.topics + topic]));
    const auto entries = top.gather(run.transport);
    for (const Top::Entry& entry : entries) best.push_back(entry.row);
    counts.push_back(entries.size());
  }
  auto names = texts_of(run.transport, of.document_names, best);
  std::vector<std::vector<std::string>> by_topic;
  auto name = names.begin();
  for (const std::size_t count : counts) {
    by_topic.emplace_back(name, name + static_cast<std::ptrdiff_t>(count));
    name += static_cast<std::ptrdiff_t>(count);
  }
  return by_topic;
}

void name_words(Run& run, const TopicsReport& of, std::vector<TopicCard>& cards) {
  std::vector<VertexId> words;
  for (const TopicCard& card : cards)
    for (const RelevantWord& word : card.words) words.push_back(word.word);
  const bool known = !of.vocabulary->empty();
  std::vector<std::string> names;
  if (!known) names = texts_of(run.transport, *of.word_names, words);
  std::size_t at = 0;
  for (TopicCard& card : cards)
    for (const RelevantWord& word : card.words) {
      card.names.push_back(known ? (*of.vocabulary)[word.word] : names[at]);
      ++at;
    }
}

report::Section sizes_section(const Indexes& topics, const std::vector<std::uint64_t>& tokens,
                              double all, const TopicDistances* distances) {
  report::Section section("Sizes of topics");
  report::Table table{"Tokens of each topic",
                      {{"Topic", false}, {"Tokens"}, {"Share"}, {"Bar", false}}};
  if (distances != nullptr) {
    table.columns.push_back({"Nearest", false});
    table.columns.push_back({"Distance"});
  }
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const auto count = static_cast<double>(tokens[topics[i]]);
    const double most = std::max(1.0, static_cast<double>(tokens[topics[0]]));
    table.rows.push_back({report::text(fmt::format("Topic {}", topics[i])),
                          report::figure(tokens[topics[i]]), report::percent(count / all),
                          report::bar(count / most)});
    if (distances == nullptr) continue;
    std::size_t nearest = i == 0 ? 1 : 0;
    const auto to = [&](std::size_t other) { return distances->values[i * topics.size() + other]; };
    for (std::size_t other = 0; other < topics.size(); ++other)
      if (other != i && to(other) < to(nearest)) nearest = other;
    table.rows.back().push_back(report::text(fmt::format("Topic {}", topics[nearest])));
    table.rows.back().push_back(report::figure(to(nearest)));
  }
  return section.table(table);
}

report::Section documents_section(const std::vector<TopicCard>& cards) {
  report::Section section("Documents");
  report::Table table{"Documents with the largest share of each topic",
                      {{"Topic", false}, {"Documents", false}}};
  for (const TopicCard& card : cards) {
    std::string names;
    for (const std::string& document : card.documents)
      names += (names.empty() ? "" : ", ") + report::name(document).text;
    table.rows.push_back({report::text(fmt::format("Topic {}", card.topic)), {names}});
  }
  return section.table(table);
}

report::Section map_section(const Indexes& topics, const std::vector<std::uint64_t>& tokens,
                            const TopicDistances& distances, std::uint64_t words) {
  report::Section section("Map of topics");
  const auto places = classical_scaling(distances.values, topics.size());
  report::Map map{
      "Topics that share words lie near each other",
      "Circles are as large as their topics. The table of sizes names the nearest topic "
      "of each.",
      {}};
  report::Table table{"Places", {{"Topic", false}, {"x"}, {"y"}}};
  for (std::size_t i = 0; i < topics.size(); ++i) {
    map.places.push_back({std::to_string(topics[i]), places[i][0], places[i][1],
                          static_cast<double>(tokens[topics[i]])});
    table.rows.push_back({report::text(fmt::format("Topic {}", topics[i])),
                          report::figure(places[i][0]), report::figure(places[i][1])});
  }
  section.map(map);
  section.paragraph(fmt::format(
      "Jensen–Shannon distances between the topics' words (from 0, the same, to 1, none in "
      "common), "
      "brought to a plane by classical scaling. {}",
      distances.words < words
          ? fmt::format("The {} most frequent words count one by one, the others as one.",
                        distances.words)
          : "All words count."));
  return section.folded("Places as numbers", table);
}

}  // namespace

std::vector<report::Section> TopicsReport::sections(Run& run) const {
  Communicator& comm = run.transport;
  const std::vector<std::uint64_t> tokens = tokens_of_topics(comm, *this);
  const auto all = static_cast<double>(
      std::max<std::uint64_t>(1, std::accumulate(tokens.begin(), tokens.end(), std::uint64_t{0})));
  const Indexes shown = largest(tokens, most_topics);
  std::vector<TopicCard> cards;
  for (const std::size_t topic : shown)
    cards.push_back({topic, static_cast<double>(tokens[topic]) / all});
  const auto documents_of = best_documents(run, *this, shown);
  for (std::size_t i = 0; i < cards.size(); ++i) cards[i].documents = documents_of[i];
  const std::size_t words_shown = shown.size() <= few_topics ? words_of_few : words_of_many;
  std::vector<report::Section> sections;
  if (words == nullptr) {
    sections.push_back(sizes_section(shown, tokens, all, nullptr));
    sections.push_back(documents_section(cards));
    return sections;
  }
  std::vector<double> topic_shares;
  for (const std::uint64_t count : tokens) topic_shares.push_back(static_cast<double>(count) / all);
  const std::vector<double> shares = word_shares(*words, topic_shares);
  auto relevant = relevant_words(comm, *words, shown, shares, words_shown);
  for (std::size_t i = 0; i < relevant.size(); ++i) cards[i].words = std::move(relevant[i]);
  name_words(run, *this, cards);
  const TopicDistances distances = topic_distances(comm, *words, shown, shares);
  report::Section& topic_words = sections.emplace_back(topic_cards(cards, words_shown));
  if (run.summary.objective)
    topic_words.paragraph(fmt::format("Perplexity, exp of minus the objective: {:.6g}.",
                                      std::exp(-*run.summary.objective)));
  if (shown.size() < tokens.size())
    topic_words.paragraph(fmt::format("The largest {} of {} topics.", shown.size(), tokens.size()));
  const bool several = shown.size() > 1;
  sections.push_back(sizes_section(shown, tokens, all, several ? &distances : nullptr));
  if (several) sections.push_back(map_section(shown, tokens, distances, words->words()));
  return sections;
}

}  // namespace gas::tools
