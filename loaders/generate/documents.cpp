#include <algorithm>
#include <utility>

#include "loaders/generate/parts.hpp"
#include "loaders/generate/random.hpp"

namespace gas::loaders::detail {
namespace {

/// The words of every topic; drawn by all ranks together, known to all.
std::vector<double> draw_topics(Communicator& comm, const GeneratorSpec& spec) {
  const std::uint64_t words = spec.whole("words");
  const BlockDistribution blocks{spec.whole("topics"), comm.size()};
  std::vector<double> mine(static_cast<std::size_t>(blocks.count(comm.rank()) * words));
  for (std::size_t i = 0; i < blocks.count(comm.rank()); ++i) {
    Draws draws(spec.seed, Use::topic, blocks.first(comm.rank()) + i);
    const auto width = static_cast<std::size_t>(words);
    draw_dirichlet(draws, spec.real("beta"), std::span(mine).subspan(i * width, width));
  }
  return whole(comm, mine);
}

}  // namespace

Generated generate_documents(Communicator& comm, const GeneratorSpec& spec) {
  const std::uint64_t documents = spec.whole("documents"), words = spec.whole("words"),
                      topics = spec.whole("topics"), length = spec.whole("length");
  const auto width = static_cast<std::size_t>(words);
  std::vector<double> sums = draw_topics(comm, spec);

  const BlockDistribution topic_blocks{topics, comm.size()}, blocks{documents, comm.size()};
  TruthArray topic_word{"topic_word", NpyType::f4, {topics, words}, {}};
  const auto begin =
      sums.begin() + static_cast<std::ptrdiff_t>(topic_blocks.first(comm.rank()) * words);
  topic_word.values.assign(
      begin, begin + static_cast<std::ptrdiff_t>(topic_blocks.count(comm.rank()) * words));
  for (std::size_t topic = 0; topic < topics; ++topic)
    accumulate(std::span(sums).subspan(topic * width, width));

  TruthArray document_topic{"document_topic", NpyType::f4, {documents, topics}, {}};
  LoadedGraph graph;
  graph.format = Format::docword;
  graph.shape = {documents, words, true};
  graph.source_ids = RowIds(documents, 1, 1);
  graph.target_ids = RowIds(words, 1, 1);
  document_topic.values.reserve(blocks.count(comm.rank()) * static_cast<std::size_t>(topics));
  std::vector<double> mixture(static_cast<std::size_t>(topics));
  std::vector<std::uint64_t> tokens;
  const std::uint64_t first = blocks.first(comm.rank());
  for (std::uint64_t document = first; document < first + blocks.count(comm.rank()); ++document) {
    Draws draws(spec.seed, Use::document, document);
    draw_dirichlet(draws, spec.real("alpha"), mixture);
    document_topic.values.insert(document_topic.values.end(), mixture.begin(), mixture.end());
    accumulate(mixture);
    tokens.resize(
        static_cast<std::size_t>(std::max<std::uint64_t>(1, length / 2 + draws.below(length + 1))));
    for (std::uint64_t& word : tokens) {
      const std::size_t topic = draw_index(draws, mixture);
      word = draw_index(draws, std::span<const double>(sums).subspan(topic * width, width));
    }
    std::sort(tokens.begin(), tokens.end());
    for (std::size_t i = 0, next = 0; i < tokens.size(); i = next) {
      while (next < tokens.size() && tokens[next] == tokens[i]) ++next;
      graph.edges.source.push_back(to_vertex_id(document));
      graph.edges.target.push_back(to_vertex_id(tokens[i]));
      graph.edges.value.push_back(static_cast<float>(next - i));
    }
  }
  Generated generated;
  generated.graph = std::move(graph);
  generated.truth.push_back(std::move(topic_word));
  generated.truth.push_back(std::move(document_topic));
  return generated;
}

}  // namespace gas::loaders::detail
