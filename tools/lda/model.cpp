#include "tools/lda/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gas/base/error.hpp"
#include "loaders/binary/npy_format.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"

namespace gas::tools {
namespace {

/// The topics of a matrix that are written at a time, or so: at least so many that what is read of
/// a word fills a cache line.
std::size_t topics_at_once(std::uint64_t words) {
  constexpr std::uint64_t values = std::uint64_t{1} << 18U, least = 16;
  return std::max(least, values / std::max<std::uint64_t>(1, words));
}

/// Writes an npy file of a row per topic, of which each rank holds `mine` columns in its place:
/// `fill(first, count, rows)` writes those of `count` topics into zeros. Rank 0 writes some topics
/// at a time.
template <class T, class Fill>
void write_by_topic(Communicator& comm, const std::string& path, loaders::NpyType type,
                    std::size_t topics, std::uint64_t words, std::size_t mine, Fill fill) {
  const std::size_t block = topics_at_once(words);
  std::optional<loaders::OutputFile> file;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    file.emplace(path);
    const std::uint64_t shape[] = {topics, words};
    file->write(loaders::npy_header(type, shape));
  });
  for (std::size_t first = 0; first < topics; first += block) {
    const std::size_t count = std::min(block, topics - first);
    std::vector<T> rows(count * mine, T{0});
    fill(first, count, std::span(rows));
    const auto all = gather(comm, std::span<const T>(rows));
    together(comm, [&] {
      for (std::size_t k = 0; file && k < count; ++k)
        for (const std::vector<T>& rank : all) {
          const std::span<const T> row =
              std::span(rank).subspan(k * (rank.size() / count), rank.size() / count);
          file->write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
        }
    });
  }
  together(comm, [&] {
    if (file) file->finish();
  });
}

}  // namespace

TopicModel read_topic_model(Communicator& comm, const ModelFolder& folder) {
  const std::string path = folder.file("topic_word.npy");
  const loaders::NpyArray array = loaders::read_npy(comm, path);
  together(comm, [&] {
    if (array.shape.size() != 2 || array.values.empty())
      throw located_error(path, 0, 0, fmt::format("{} dimensions", array.shape.size()),
                          "2: topics × words");
  });
  TopicModel model{array.shape[0], array.shape[1], {}, folder.ids(comm, array.shape[1]), {}, {}};
  if (folder.facts().has("words_from"))
    model.words_from = folder.facts().count_or_none("words_from");
  together(comm, [&] {
    model.weights.reserve(array.values.size());
    for (const double weight : array.values) {
      const auto single = static_cast<float>(weight);
      if (!(single > 0))
        throw located_error(path, 0, 0, fmt::format("a weight of {}", weight), "weights above 0");
      model.weights.push_back(single);
    }
  });
  if (!folder.has("alpha.npy")) return model;
  const std::string alphas = folder.file("alpha.npy");
  model.alpha = loaders::read_npy(comm, alphas).values;
  together(comm, [&] {
    if (model.alpha.size() != model.topics)
      throw located_error(alphas, 0, 0, fmt::format("{} numbers", model.alpha.size()),
                          fmt::format("one for each of {} topics", model.topics));
    for (const double alpha : model.alpha)
      if (!(alpha > 0 && std::isfinite(alpha)))
        throw located_error(alphas, 0, 0, fmt::format("a prior of {}", alpha), "priors above 0");
  });
  return model;
}

double writing_bytes(std::uint64_t topics, std::uint64_t words, double mine) {
  return static_cast<double>(std::min<std::uint64_t>(topics, topics_at_once(words))) *
         sizeof(float) * (static_cast<double>(words) + mine);
}

void write_topic_word(Communicator& comm, const std::string& path, const TopicWords& phi) {
  const std::size_t words = phi.local_words();
  std::vector<float> part;
  write_by_topic<float>(comm, path, loaders::NpyType::f4, phi.topics(), phi.words(), words,
                        [&](std::size_t first, std::size_t count, std::span<float> rows) {
                          part.resize(count);
                          for (std::size_t w = 0; w < words; ++w) {
                            phi.local_part(w, first, part);
                            for (std::size_t k = 0; k < count; ++k) rows[k * words + w] = part[k];
                          }
                        });
}

void write_topic_counts(Communicator& comm, const std::string& path, const TokenCounts& counts) {
  const std::size_t words = counts.local_words();
  std::vector<std::size_t> next(words, 0);  // of each word's entries
  write_by_topic<std::int32_t>(
      comm, path, loaders::NpyType::i4, counts.topics(), counts.words(), words,
      [&](std::size_t first, std::size_t count, std::span<std::int32_t> rows) {
        for (std::size_t w = 0; w < words; ++w) {
          const auto topics = counts.local_topics(w);
          for (; next[w] < topics.size() && topics[next[w]] < first + count; ++next[w])
            rows[(topics[next[w]] - first) * words + w] = counts.local_counts(w)[next[w]];
        }
      });
}

}  // namespace gas::tools
