#include "tools/lda/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gas/base/error.hpp"
#include "loaders/binary/npy_format.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"

namespace gas::tools {

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

void write_topic_word(Communicator& comm, const std::string& path, const TopicWords& phi) {
  // Each rank holds words; rank 0 writes topics, some at a time.
  constexpr std::uint64_t floats = std::uint64_t{1} << 20U;  // at a time, or so
  constexpr std::size_t least = 16;  // so that what is read of a word fills a cache line
  const std::size_t block =
      std::max<std::size_t>(least, floats / std::max<std::uint64_t>(1, phi.words()));
  const std::size_t topics = phi.topics(), words = phi.block().size() / topics;
  std::optional<loaders::OutputFile> file;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    file.emplace(path);
    const std::uint64_t shape[] = {topics, phi.words()};
    file->write(loaders::npy_header(loaders::NpyType::f4, shape));
  });
  for (std::size_t first = 0; first < topics; first += block) {
    const std::size_t count = std::min(block, topics - first);
    std::vector<float> mine(count * words);
    for (std::size_t w = 0; w < words; ++w)
      for (std::size_t k = 0; k < count; ++k)
        mine[k * words + w] = phi.block()[w * topics + first + k];
    const auto all = gather(comm, std::span<const float>(mine));
    together(comm, [&] {
      for (std::size_t k = 0; file && k < count; ++k)
        for (const std::vector<float>& rank : all) {
          const std::span<const float> row =
              std::span(rank).subspan(k * (rank.size() / count), rank.size() / count);
          file->write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
        }
    });
  }
  together(comm, [&] {
    if (file) file->finish();
  });
}

}  // namespace gas::tools
