#include "tools/lda/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gas/graph/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"

namespace gas::tools {
namespace {

struct Heavy {
  float weight;
  Row word;
  bool operator<(const Heavy& other) const {
    return weight != other.weight ? weight > other.weight : word < other.word;
  }
};

}  // namespace

WordRows::WordRows(Team& team, std::uint64_t words, std::size_t topics)
    : team_(team),
      home_{words, team.size()},
      topics_(topics),
      values_(static_cast<std::size_t>(home_.count(team.rank())) * topics) {}

void WordRows::put(std::span<const Row> rows, std::span<const float> values) {
  const auto ranks = static_cast<std::size_t>(team_.size());
  std::vector<std::vector<Row>> names(ranks);
  std::vector<std::vector<float>> weights(ranks);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto to = static_cast<std::size_t>(home_.home(rows[i]));
    names[to].push_back(rows[i]);
    const auto row = values.subspan(i * topics_, topics_);
    weights[to].insert(weights[to].end(), row.begin(), row.end());
  }
  names = all_to_all(team_, names);
  weights = all_to_all(team_, weights);
  const std::uint64_t first = home_.first(team_.rank());
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t i = 0; i < names[from].size(); ++i)
      std::copy_n(weights[from].data() + i * topics_, topics_,
                  values_.data() + (names[from][i] - first) * topics_);
}

std::vector<float> WordRows::get(std::span<const Row> rows) const {
  const auto ranks = static_cast<std::size_t>(team_.size());
  std::vector<std::vector<Row>> asked(ranks);
  for (const Row row : rows) asked[static_cast<std::size_t>(home_.home(row))].push_back(row);
  const auto questions = all_to_all(team_, asked);
  std::vector<std::vector<float>> answers(ranks);
  const std::uint64_t first = home_.first(team_.rank());
  for (std::size_t from = 0; from < ranks; ++from)
    for (const Row row : questions[from]) {
      const float* const found = values_.data() + (row - first) * topics_;
      answers[from].insert(answers[from].end(), found, found + topics_);
    }
  const auto told = all_to_all(team_, answers);
  std::vector<std::size_t> next(ranks, 0);
  std::vector<float> values(rows.size() * topics_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = static_cast<std::size_t>(home_.home(rows[i]));
    std::copy_n(told[from].data() + next[from], topics_, values.data() + i * topics_);
    next[from] += topics_;
  }
  return values;
}

void WordRows::write(const std::string& path) const {
  // Each rank holds words; each writes topics.
  const HomeRange writers{topics_, team_.size()};
  std::vector<std::vector<float>> out(static_cast<std::size_t>(team_.size()));
  const std::size_t mine = values_.size() / topics_;
  for (int to = 0; to < team_.size(); ++to)
    for (auto k = static_cast<std::size_t>(writers.first(to)); k < writers.first(to + 1); ++k)
      for (std::size_t w = 0; w < mine; ++w)
        out[static_cast<std::size_t>(to)].push_back(values_[w * topics_ + k]);
  const auto in = all_to_all(team_, out);
  const auto words = static_cast<std::size_t>(home_.rows);
  const auto topics = static_cast<std::size_t>(writers.count(team_.rank()));
  std::vector<float> rows(topics * words);
  for (int from = 0; from < team_.size(); ++from) {
    const auto first = static_cast<std::size_t>(home_.first(from));
    const auto count = static_cast<std::size_t>(home_.count(from));
    for (std::size_t k = 0; k < topics; ++k)
      std::copy_n(in[static_cast<std::size_t>(from)].data() + k * count, count,
                  rows.data() + k * words + first);
  }
  const std::uint64_t shape[] = {topics_, home_.rows};
  loaders::write_npy_home<float>(team_, path, shape, rows);
}

std::vector<std::vector<Row>> WordRows::top_words(std::size_t most) const {
  const std::uint64_t first = home_.first(team_.rank());
  const std::size_t words = values_.size() / topics_;
  const std::size_t count = std::min(most, words);
  std::vector<Heavy> mine, all(words);
  for (std::size_t k = 0; k < topics_; ++k) {
    for (std::size_t w = 0; w < words; ++w) all[w] = {values_[w * topics_ + k], to_row(first + w)};
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
    mine.insert(mine.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const auto ranks = gather(team_, std::span<const Heavy>(mine));
  std::vector<std::vector<Row>> topics;
  if (team_.rank() != 0) return topics;
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

TopicModel read_topic_model(Team& team, const ModelFolder& folder) {
  const std::string path = folder.file("topic_word.npy");
  const loaders::NpyArray array = loaders::read_npy(team, path);
  if (array.shape.size() != 2 || array.values.empty())
    throw located_error(path, 0, 0, fmt::format("{} dimensions", array.shape.size()),
                        "topics × words");
  TopicModel model{array.shape[0], array.shape[1], {}, folder.ids(team, array.shape[1])};
  for (const double weight : array.values) {
    const auto single = static_cast<float>(weight);
    if (!(single > 0))
      throw located_error(path, 0, 0, fmt::format("a weight of {}", weight), "weights above 0");
    model.weights.push_back(single);
  }
  return model;
}

}  // namespace gas::tools
