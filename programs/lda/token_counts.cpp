#include "programs/lda/token_counts.hpp"

#include <algorithm>
#include <utility>

#include "gas/base/rank_sums.hpp"

namespace gas {
namespace {

struct Entry {
  VertexId word;
  std::uint32_t topic;
  std::int32_t count;
  bool operator<(const Entry& other) const {
    return std::pair(word, topic) < std::pair(other.word, other.topic);
  }
};

constexpr std::uint64_t pieces = 64;  // in which words travel

}  // namespace

void TokenCounts::take(Communicator& comm, Drawn drawn) {
  const std::uint64_t first = blocks_.first(rank_), all = blocks_.ids;
  const std::uint64_t words_of_piece = std::max<std::uint64_t>(1, (all + pieces - 1) / pieces);
  end_.assign(1, 0);
  end_.reserve(blocks_.count(rank_) + 1);
  std::uint64_t token = 0;
  for (std::uint64_t word = 0; word < all;) {
    std::vector<std::vector<Entry>> out(static_cast<std::size_t>(comm.size()));
    for (const std::uint64_t last = std::min(all, word + words_of_piece); word < last; ++word) {
      const auto begin = drawn.topic.begin() + static_cast<std::ptrdiff_t>(token);
      const auto end = drawn.topic.begin() + static_cast<std::ptrdiff_t>(drawn.end[word]);
      std::sort(begin, end);
      auto& to = out[static_cast<std::size_t>(blocks_.owner(to_vertex_id(word)))];
      for (auto at = begin; at != end;) {
        const auto next = std::upper_bound(at, end, *at);
        to.push_back({to_vertex_id(word), *at, static_cast<std::int32_t>(next - at)});
        at = next;
      }
      token = drawn.end[word];
    }
    const auto in = all_to_all(comm, std::move(out));
    std::vector<Entry> entries;
    for (const std::vector<Entry>& from : in) {
      const auto had = static_cast<std::ptrdiff_t>(entries.size());
      entries.insert(entries.end(), from.begin(), from.end());
      std::inplace_merge(entries.begin(), entries.begin() + had, entries.end());
    }
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
      // Words without tokens before this one, and this one, begin where the entries end so far.
      const bool same = entry != entries.begin() && !(*std::prev(entry) < *entry);
      while (end_.size() < entry->word - first + 1) end_.push_back(topic_.size());
      if (same) {
        count_.back() += entry->count;
      } else {
        topic_.push_back(static_cast<std::uint16_t>(entry->topic));
        count_.push_back(entry->count);
      }
    }
  }
  while (end_.size() < blocks_.count(rank_) + 1) end_.push_back(topic_.size());
}

std::vector<std::int32_t> TokenCounts::local_block() const {
  std::vector<std::int32_t> block(local_words() * topics_, 0);
  for (std::size_t i = 0; i < local_words(); ++i)
    for (std::uint64_t e = end_[i]; e < end_[i + 1]; ++e)
      block[i * topics_ + topic_[e]] = count_[e];
  return block;
}

std::vector<std::int64_t> TokenCounts::of_topics(Communicator& comm) const {
  std::vector<std::int64_t> sums(topics_, 0);
  for (std::size_t e = 0; e < topic_.size(); ++e) sums[topic_[e]] += count_[e];
  add_ranks(comm, sums);
  return sums;
}

}  // namespace gas
