#include "tools/lda/heaviest_words.hpp"

#include <fmt/format.h>

#include "tools/support/ids/row_names.hpp"

namespace gas::tools {

std::vector<std::string> heaviest_words(Run& run, const TopicWords& phi, std::size_t count,
                                        const std::vector<std::string>& vocabulary,
                                        const loaders::RowIds& ids) {
  const std::vector<std::vector<VertexId>> topics = phi.top_words(count);
  std::vector<VertexId> words;
  for (const auto& topic : topics) words.insert(words.end(), topic.begin(), topic.end());
  std::vector<std::string> names;
  if (vocabulary.empty())
    names = texts_of(run.transport, ids, words);
  else
    for (const VertexId word : words) names.push_back(vocabulary[word]);
  std::vector<std::string> lines;
  auto name = names.begin();
  for (const auto& topic : topics) {
    lines.push_back(fmt::format("{}", fmt::join(name, name + std::ssize(topic), " ")));
    name += std::ssize(topic);
  }
  return lines;
}

}  // namespace gas::tools
