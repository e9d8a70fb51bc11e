#include "programs/lda/measures/coherence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gas/base/rank_sums.hpp"

namespace gas {
namespace {

/// A word's place among those of a topic.
struct Place {
  VertexId word;
  std::uint32_t topic, place;
  bool operator<(const Place& other) const {
    return word != other.word ? word < other.word : topic < other.topic;
  }
};

/// The top words of all topics, on every rank: `each` of them a topic or fewer.
struct TopWords {
  std::size_t topics = 0, each = 0;
  std::vector<std::uint32_t> counts;  // by topic
  std::vector<Place> places;          // sorted
};

TopWords told_by_rank_0(Communicator& comm, const std::vector<std::vector<VertexId>>& topics) {
  std::vector<std::uint32_t> counts;
  std::vector<Place> places;
  if (comm.rank() == 0)
    for (std::uint32_t k = 0; k < topics.size(); ++k) {
      counts.push_back(static_cast<std::uint32_t>(topics[k].size()));
      for (std::uint32_t i = 0; i < topics[k].size(); ++i) places.push_back({topics[k][i], k, i});
    }
  std::sort(places.begin(), places.end());
  TopWords all;
  all.counts = broadcast(comm, std::span<const std::uint32_t>(counts));
  all.places = broadcast(comm, std::span<const Place>(places));
  all.topics = all.counts.size();
  for (const std::uint32_t count : all.counts) all.each = std::max<std::size_t>(all.each, count);
  return all;
}

/// Documents of this rank that have words i and j ≤ i of topic k: [(k · each + i) · each + j].
std::vector<std::uint64_t> count_documents(const LocalGraph& graph, const TopWords& top) {
  // Each word known here: where its places begin and end.
  const std::vector<VertexId>& words = graph.parameter.rows;
  std::vector<std::uint32_t> begin(words.size()), end(words.size());
  for (std::size_t w = 0; w < words.size(); ++w) {
    const auto found = std::ranges::equal_range(top.places, words[w], {}, &Place::word);
    begin[w] = static_cast<std::uint32_t>(found.begin() - top.places.begin());
    end[w] = static_cast<std::uint32_t>(found.end() - top.places.begin());
  }
  std::vector<std::uint64_t> documents(top.topics * top.each * top.each, 0);
  std::vector<std::uint64_t> here(top.topics, 0);  // a document's words of each topic, as bits
  std::vector<std::uint32_t> topics;               // whose bits are not 0
  const auto& edges = graph.adjacency;
  for (LocalId v = 0; v < edges.vertices(); ++v) {
    for (EdgeOffset e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
      const LocalId word = edges.neighbours[e];
      if (e > edges.offsets[v] && edges.neighbours[e - 1] == word) continue;
      for (std::uint32_t p = begin[word]; p < end[word]; ++p) {
        const Place& at = top.places[p];
        if (here[at.topic] == 0) topics.push_back(at.topic);
        here[at.topic] |= std::uint64_t{1} << at.place;
      }
    }
    for (const std::uint32_t k : topics) {
      for (std::uint64_t rest = here[k]; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(rest));
        std::uint64_t* const row = documents.data() + (k * top.each + i) * top.each;
        for (std::uint64_t lower = here[k] & (2 * (rest & -rest) - 1); lower != 0;
             lower &= lower - 1)
          ++row[__builtin_ctzll(lower)];
      }
      here[k] = 0;
    }
    topics.clear();
  }
  return documents;
}

double npmi(double both, double one, double other, double all) {
  if (both == 0) return -1;
  if (both == all) return 1;  // the limit of words that always go together
  return std::log(both * all / (one * other)) / -std::log(both / all);
}

}  // namespace

std::vector<TopicCoherence> coherences(Communicator& comm, const LocalGraph& graph,
                                       const std::vector<std::vector<VertexId>>& top_words,
                                       std::uint64_t left_out) {
  const TopWords top = told_by_rank_0(comm, top_words);
  std::vector<std::uint64_t> documents = count_documents(graph, top);
  add_ranks(comm, documents);
  const auto all = static_cast<double>(graph.owner.count - left_out);
  std::vector<TopicCoherence> topics(top.topics);
  for (std::size_t k = 0; k < top.topics; ++k) {
    const auto of = [&](std::size_t i, std::size_t j) {
      return static_cast<double>(documents[(k * top.each + i) * top.each + j]);
    };
    double pairs = 0;
    for (std::size_t i = 1; i < top.counts[k]; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (of(i, i) == 0 || of(j, j) == 0) continue;
        ++pairs;
        topics[k].npmi += npmi(of(i, j), of(i, i), of(j, j), all);
        topics[k].umass += std::log((of(i, j) / all + 1e-12) / (of(j, j) / all));
        topics[k].mimno += std::log((of(i, j) + 1) / of(j, j));
      }
    if (pairs == 0) {
      topics[k].npmi = topics[k].umass = topics[k].mimno = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    topics[k].npmi /= pairs;
    topics[k].umass /= pairs;
  }
  return topics;
}

}  // namespace gas
