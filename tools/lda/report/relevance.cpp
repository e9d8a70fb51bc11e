#include "tools/lda/report/relevance.hpp"

#include <algorithm>
#include <cmath>

namespace gas::tools {
namespace {

using Words = std::vector<RelevantWord>;

/// Those that are among the `count` most relevant ones for some λ, by word; reorders `words`.
Words relevant_for_some(Words& words, std::size_t count) {
  Words kept;
  const auto last = words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size()));
  for (int step = 0; step <= lambda_steps; ++step) {
    const double lambda = static_cast<double>(step) / lambda_steps;
    const auto before = [&](const RelevantWord& a, const RelevantWord& b) {
      const double of_a = a.relevance(lambda), of_b = b.relevance(lambda);
      return of_a != of_b ? of_a > of_b : a.word < b.word;
    };
    if (last != words.end()) std::nth_element(words.begin(), last, words.end(), before);
    kept.insert(kept.end(), words.begin(), last);
  }
  std::ranges::sort(kept, {}, &RelevantWord::word);
  const auto repeats = std::ranges::unique(kept, {}, &RelevantWord::word);
  kept.erase(repeats.begin(), repeats.end());
  return kept;
}

}  // namespace

std::vector<double> word_shares(const TopicWords& phi, std::span<const double> topic_shares) {
  const std::size_t topics = phi.topics();
  std::vector<double> shares(phi.local_words(), 0);
  std::vector<float> row(topics);
  for (std::size_t w = 0; w < shares.size(); ++w) {
    phi.local_row(w, row);
    for (std::size_t k = 0; k < topics; ++k)
      shares[w] += topic_shares[k] * static_cast<double>(row[k]);
  }
  return shares;
}

std::vector<std::vector<RelevantWord>> relevant_words(Communicator& comm, const TopicWords& phi,
                                                      std::span<const std::size_t> topics,
                                                      std::span<const double> shares,
                                                      std::size_t count) {
  const std::uint64_t first = BlockDistribution{phi.words(), comm.size()}.first(comm.rank());
  std::vector<double> log_shares;
  for (const double share : shares) log_shares.push_back(std::log(share));
  std::vector<std::vector<RelevantWord>> all;
  for (const std::size_t topic : topics) {
    Words words;
    for (std::size_t w = 0; w < shares.size(); ++w)
      if (const double weight = phi.local_weight(w, topic); weight > 0 && shares[w] > 0)
        words.push_back({to_vertex_id(first + w), std::log(weight), log_shares[w]});
    const Words mine = relevant_for_some(words, count);
    Words of_all;
    for (const auto& rank : gather(comm, std::span<const RelevantWord>(mine)))
      of_all.insert(of_all.end(), rank.begin(), rank.end());
    if (comm.rank() == 0) all.push_back(relevant_for_some(of_all, count));
  }
  return all;
}

}  // namespace gas::tools
