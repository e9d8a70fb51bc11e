#include "programs/lda/topic_words.hpp"

#include <algorithm>

namespace gas {
namespace {

struct Heavy {
  float weight;
  VertexId word;
  bool operator<(const Heavy& other) const {
    return weight != other.weight ? weight > other.weight : word < other.word;
  }
};

/// How many rows of floats go into a piece of a few MiB; at least one.
std::size_t rows_per_piece(std::uint64_t width) {
  constexpr std::uint64_t floats = std::uint64_t{1} << 20U;
  return static_cast<std::size_t>(
      std::max<std::uint64_t>(1, floats / std::max<std::uint64_t>(1, width)));
}

}  // namespace

TopicWords::TopicWords(Communicator& comm, std::uint64_t words, std::size_t topics)
    : comm_(comm),
      blocks_{words, comm.size()},
      topics_(topics),
      values_(static_cast<std::size_t>(blocks_.count(comm.rank())) * topics) {}

void TopicWords::put(std::span<const VertexId> rows,
                     const std::function<std::span<const float>(std::size_t i)>& weights) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::uint64_t first = blocks_.first(comm_.rank());
  const std::size_t piece = rows_per_piece(topics_);
  std::size_t i = 0;
  do {
    std::vector<std::vector<VertexId>> names(ranks);
    std::vector<std::vector<float>> values(ranks);
    for (const std::size_t end = std::min(rows.size(), i + piece); i < end; ++i) {
      const auto to = static_cast<std::size_t>(blocks_.owner(rows[i]));
      names[to].push_back(rows[i]);
      const auto row = weights(i);
      values[to].insert(values[to].end(), row.begin(), row.end());
    }
    const auto in_names = all_to_all(comm_, std::move(names));
    const auto in_values = all_to_all(comm_, std::move(values));
    for (std::size_t from = 0; from < ranks; ++from)
      for (std::size_t row = 0; row < in_names[from].size(); ++row)
        std::copy_n(in_values[from].data() + row * topics_, topics_,
                    values_.data() + (in_names[from][row] - first) * topics_);
  } while (all_max(comm_, i < rows.size() ? 1 : 0) > 0);
}

std::vector<float> TopicWords::get(std::span<const VertexId> rows) const {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::uint64_t first = blocks_.first(comm_.rank());
  const std::size_t piece = rows_per_piece(topics_);
  std::vector<float> values;
  values.reserve(rows.size() * topics_);
  std::size_t i = 0;
  do {
    const auto some = rows.subspan(i, std::min(piece, rows.size() - i));
    i += some.size();
    std::vector<std::vector<VertexId>> asked(ranks);
    for (const VertexId row : some)
      asked[static_cast<std::size_t>(blocks_.owner(row))].push_back(row);
    const auto questions = all_to_all(comm_, std::move(asked));
    std::vector<std::vector<float>> answers(ranks);
    for (std::size_t from = 0; from < ranks; ++from)
      for (const VertexId row : questions[from]) {
        const float* const found = values_.data() + (row - first) * topics_;
        answers[from].insert(answers[from].end(), found, found + topics_);
      }
    const auto told = all_to_all(comm_, std::move(answers));
    std::vector<std::size_t> next(ranks, 0);
    for (const VertexId row : some) {
      const auto from = static_cast<std::size_t>(blocks_.owner(row));
      const auto begin = told[from].begin() + static_cast<std::ptrdiff_t>(next[from]);
      values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(topics_));
      next[from] += topics_;
    }
  } while (all_max(comm_, i < rows.size() ? 1 : 0) > 0);
  return values;
}

std::vector<std::vector<VertexId>> TopicWords::top_words(std::size_t most) const {
  const std::uint64_t first = blocks_.first(comm_.rank());
  const std::size_t words = values_.size() / topics_;
  const std::size_t count = std::min(most, words);
  std::vector<Heavy> mine, all(words);
  for (std::size_t k = 0; k < topics_; ++k) {
    for (std::size_t w = 0; w < words; ++w)
      all[w] = {values_[w * topics_ + k], to_vertex_id(first + w)};
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
    mine.insert(mine.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const auto ranks = gather(comm_, std::span<const Heavy>(mine));
  std::vector<std::vector<VertexId>> topics;
  if (comm_.rank() != 0) return topics;
  for (std::size_t k = 0; k < topics_; ++k) {
    std::vector<Heavy> top;
    for (const auto& rank : ranks) {
      const std::size_t each = rank.size() / topics_;
      const auto begin = rank.begin() + static_cast<std::ptrdiff_t>(k * each);
      top.insert(top.end(), begin, begin + static_cast<std::ptrdiff_t>(each));
    }
    std::sort(top.begin(), top.end());
    topics.emplace_back();
    for (std::size_t i = 0; i < std::min(most, top.size()); ++i)
      topics.back().push_back(top[i].word);
  }
  return topics;
}

}  // namespace gas
