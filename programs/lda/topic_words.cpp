#include "programs/lda/topic_words.hpp"

#include <algorithm>
#include <utility>

namespace gas {
namespace {

struct Heavy {
  float weight;
  VertexId word;
  bool operator<(const Heavy& other) const {
    return weight != other.weight ? weight > other.weight : word < other.word;
  }
};

/// The heaviest of some words.
class Heaviest {
 public:
  explicit Heaviest(std::size_t most) : most_(most) {}
  void offer(const Heavy& heavy) {
    if (full() && (most_ == 0 || !(heavy < heap_.front()))) return;
    if (full()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(heavy);
    std::push_heap(heap_.begin(), heap_.end());
  }
  bool full() const { return heap_.size() == most_; }
  bool has(VertexId word) const {
    return std::ranges::any_of(heap_, [&](const Heavy& heavy) { return heavy.word == word; });
  }
  std::span<const Heavy> sorted() {
    std::sort(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  std::size_t most_;
  std::vector<Heavy> heap_;  // the lightest in front
};

/// How many rows of floats go into a piece; at least one.
std::size_t rows_per_piece(std::uint64_t width) {
  return static_cast<std::size_t>(
      std::max<std::uint64_t>(1, TopicWords::piece / std::max<std::uint64_t>(1, width)));
}

}  // namespace

TopicWords::TopicWords(Communicator& comm, std::uint64_t words, std::size_t topics)
    : comm_(comm),
      blocks_{words, comm.size()},
      topics_(topics),
      values_(static_cast<std::size_t>(blocks_.count(comm.rank())) * topics) {}

TopicWords::TopicWords(Communicator& comm, TokenCounts counts, float beta,
                       std::vector<float> inverse)
    : comm_(comm),
      blocks_{counts.words(), comm.size()},
      topics_(counts.topics()),
      counts_(std::move(counts)),
      beta_(beta),
      inverse_(std::move(inverse)) {}

void TopicWords::local_part(std::size_t i, std::size_t first, std::span<float> out) const {
  if (!counts_) {
    std::copy_n(values_.data() + i * topics_ + first, out.size(), out.data());
    return;
  }
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = beta_ * inverse_[first + k];
  const auto topics = counts_->local_topics(i);
  const auto counts = counts_->local_counts(i);
  auto e = static_cast<std::size_t>(std::ranges::lower_bound(topics, first) - topics.begin());
  for (; e < topics.size() && topics[e] < first + out.size(); ++e)
    out[topics[e] - first] = (static_cast<float>(counts[e]) + beta_) * inverse_[topics[e]];
}

void TopicWords::local_row(std::size_t i, std::span<float> out) const { local_part(i, 0, out); }

float TopicWords::local_weight(std::size_t i, std::size_t topic) const {
  float weight = 0;
  local_part(i, topic, std::span(&weight, 1));
  return weight;
}

std::vector<float> TopicWords::local_block() const {
  if (!counts_) return values_;
  std::vector<float> block(local_words() * topics_);
  for (std::size_t i = 0; i < local_words(); ++i)
    local_row(i, std::span(block).subspan(i * topics_, topics_));
  return block;
}

void TopicWords::put(std::span<const VertexId> rows,
                     const std::function<std::span<const float>(std::size_t i)>& weights) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::uint64_t first = blocks_.first(comm_.rank());
  const std::size_t most = rows_per_piece(topics_);
  std::size_t i = 0;
  do {
    std::vector<std::vector<VertexId>> names(ranks);
    std::vector<std::vector<float>> values(ranks);
    for (const std::size_t end = std::min(rows.size(), i + most); i < end; ++i) {
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
  const std::size_t most = rows_per_piece(topics_);
  std::vector<float> values;
  values.reserve(rows.size() * topics_);
  std::size_t i = 0;
  do {
    const auto some = rows.subspan(i, std::min(most, rows.size() - i));
    i += some.size();
    std::vector<std::vector<VertexId>> asked(ranks);
    for (const VertexId row : some)
      asked[static_cast<std::size_t>(blocks_.owner(row))].push_back(row);
    const auto questions = all_to_all(comm_, std::move(asked));
    std::vector<std::vector<float>> answers(ranks);
    for (std::size_t from = 0; from < ranks; ++from) {
      answers[from].resize(questions[from].size() * topics_);
      for (std::size_t j = 0; j < questions[from].size(); ++j)
        local_row(questions[from][j] - first,
                  std::span(answers[from]).subspan(j * topics_, topics_));
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
  const std::size_t count = std::min(most, local_words());
  std::vector<Heaviest> of_topic(topics_, Heaviest(count));
  for (std::size_t i = 0; i < local_words(); ++i) {
    const VertexId word = to_vertex_id(first + i);
    if (counts_)
      for (const std::uint16_t k : counts_->local_topics(i))
        of_topic[k].offer({local_weight(i, k), word});
    else
      for (std::size_t k = 0; k < topics_; ++k) of_topic[k].offer({values_[i * topics_ + k], word});
  }
  std::vector<Heavy> mine;
  for (std::size_t k = 0; k < topics_; ++k) {
    // Words without tokens of the topic weigh less than others, and all the same.
    for (std::size_t i = 0; i < local_words() && !of_topic[k].full(); ++i)
      if (const VertexId word = to_vertex_id(first + i); !of_topic[k].has(word))
        of_topic[k].offer({local_weight(i, k), word});
    const auto heavy = of_topic[k].sorted();
    mine.insert(mine.end(), heavy.begin(), heavy.end());
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
