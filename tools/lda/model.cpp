#include "tools/lda/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gas/base/error.hpp"
#include "loaders/binary/npy_format.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"

namespace gas::tools {
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

WordRows::WordRows(Communicator& comm, std::uint64_t words, std::size_t topics)
    : comm_(comm),
      blocks_{words, comm.size()},
      topics_(topics),
      values_(static_cast<std::size_t>(blocks_.count(comm.rank())) * topics) {}

void WordRows::put(std::span<const VertexId> rows,
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

std::vector<float> WordRows::get(std::span<const VertexId> rows) const {
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

void WordRows::write(const std::string& path) const {
  // Each rank holds words; rank 0 writes topics, some at a time.
  constexpr std::size_t least = 16;  // so that what is read of a word fills a cache line
  const std::size_t block = std::max(least, rows_per_piece(blocks_.ids));
  const std::size_t words = values_.size() / topics_;
  std::optional<loaders::OutputFile> file;
  together(comm_, [&] {
    if (comm_.rank() != 0) return;
    file.emplace(path);
    const std::uint64_t shape[] = {topics_, blocks_.ids};
    file->write(loaders::npy_header(loaders::NpyType::f4, shape));
  });
  for (std::size_t first = 0; first < topics_; first += block) {
    const std::size_t count = std::min(block, topics_ - first);
    std::vector<float> mine(count * words);
    for (std::size_t w = 0; w < words; ++w)
      for (std::size_t k = 0; k < count; ++k)
        mine[k * words + w] = values_[w * topics_ + first + k];
    const auto all = gather(comm_, std::span<const float>(mine));
    together(comm_, [&] {
      for (std::size_t k = 0; file && k < count; ++k)
        for (const std::vector<float>& rank : all) {
          const std::span<const float> row =
              std::span(rank).subspan(k * (rank.size() / count), rank.size() / count);
          file->write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
        }
    });
  }
  together(comm_, [&] {
    if (file) file->finish();
  });
}

std::vector<std::vector<VertexId>> WordRows::top_words(std::size_t most) const {
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

TopicModel read_topic_model(Communicator& comm, const ModelFolder& folder) {
  const std::string path = folder.file("topic_word.npy");
  const loaders::NpyArray array = loaders::read_npy(comm, path);
  if (array.shape.size() != 2 || array.values.empty())
    throw located_error(path, 0, 0, fmt::format("{} dimensions", array.shape.size()),
                        "topics × words");
  TopicModel model{array.shape[0], array.shape[1], {}, folder.ids(comm, array.shape[1])};
  for (const double weight : array.values) {
    const auto single = static_cast<float>(weight);
    if (!(single > 0))
      throw located_error(path, 0, 0, fmt::format("a weight of {}", weight), "weights above 0");
    model.weights.push_back(single);
  }
  return model;
}

}  // namespace gas::tools
