#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "loaders/generate/parts.hpp"
#include "loaders/write.hpp"

namespace gas::loaders {
namespace {

constexpr std::size_t piece_bytes = std::size_t{2} << 20;

/// Text by rank, `begin` first, a piece of items at a time; `line` appends what item i is.
template <class Line>
void write_lines(Communicator& comm, const std::string& path, std::string begin, std::size_t items,
                 Line line) {
  if (comm.rank() != 0) begin.clear();
  std::size_t next = 0;
  write_text_by_rank(comm, path, [&] {
    std::string text = std::exchange(begin, {});
    while (next < items && text.size() < piece_bytes) line(text, next++);
    return text;
  });
}

void write_pairs(Communicator& comm, const GeneratorSpec& spec, const std::string& folder) {
  const EdgeList edges = detail::draw_pairs(comm, spec);
  write_lines(comm, folder + "/graph.txt", {}, edges.size(), [&](std::string& text, std::size_t i) {
    fmt::format_to(std::back_inserter(text), "{} {}", edges.source[i], edges.target[i]);
    if (!edges.value.empty()) fmt::format_to(std::back_inserter(text), " {}", edges.value[i]);
    text += '\n';
  });
}

void write_documents(Communicator& comm, const LoadedGraph& graph, const std::string& folder) {
  const EdgeList& edges = graph.edges;
  const std::uint64_t entries = all_sum(comm, std::uint64_t{edges.size()});
  write_lines(comm, folder + "/docword.txt",
              fmt::format("{}\n{}\n{}\n", graph.shape.sources, graph.shape.targets, entries),
              edges.size(), [&](std::string& text, std::size_t i) {
                fmt::format_to(std::back_inserter(text), "{} {} {}\n", edges.source[i] + 1,
                               edges.target[i] + 1, edges.value[i]);
              });
  const std::size_t words = comm.rank() == 0 ? static_cast<std::size_t>(graph.shape.targets) : 0;
  write_lines(comm, folder + "/vocab.txt", {}, words, [&](std::string& text, std::size_t i) {
    fmt::format_to(std::back_inserter(text), "word{}\n", i + 1);
  });
}

void write_examples(Communicator& comm, const LoadedGraph& graph, bool signs,
                    const std::string& folder) {
  const EdgeList& edges = graph.edges;
  const std::uint64_t first =
      BlockDistribution{graph.shape.sources, comm.size()}.first(comm.rank());
  std::size_t next = 0;
  write_lines(
      comm, folder + "/data.svm", {}, graph.labels.size(), [&](std::string& text, std::size_t i) {
        text += signs ? graph.labels[i] > 0 ? "+1" : "-1" : fmt::format("{}", graph.labels[i]);
        for (; next < edges.size() && edges.source[next] == first + i; ++next)
          fmt::format_to(std::back_inserter(text), " {}:{}", edges.target[next] + 1,
                         edges.value[next]);
        text += '\n';
      });
}

void write_ratings(Communicator& comm, const LoadedGraph& graph, const std::string& folder) {
  const EdgeList& edges = graph.edges;
  write_lines(comm, folder + "/ratings.txt", {}, edges.size(),
              [&](std::string& text, std::size_t i) {
                fmt::format_to(std::back_inserter(text), "{} {} {}\n", edges.source[i],
                               edges.target[i], edges.value[i]);
              });
}

void write_truth(Communicator& comm, const TruthArray& truth, const std::string& folder) {
  const std::string path = fmt::format("{}/truth_{}.npy", folder, truth.name);
  const auto write_as = [&]<class T>(T) {
    std::vector<T> values;
    values.reserve(truth.values.size());
    for (const double value : truth.values) values.push_back(static_cast<T>(value));
    write_npy_blocks(comm, path, truth.shape, std::span<const T>(values));
  };
  if (truth.type == NpyType::f8) return write_as(double{});
  if (truth.type == NpyType::i4) return write_as(std::int32_t{});
  write_as(float{});
}

}  // namespace

std::vector<std::string> generated_files(const GeneratorSpec& spec) {
  if (spec.name == "blobs") return {"points.npy", "truth_centroids.npy", "truth_assignments.npy"};
  if (spec.name == "lda")
    return {"docword.txt", "vocab.txt", "truth_topic_word.npy", "truth_document_topic.npy"};
  if (spec.name == "logistic" || spec.name == "regression")
    return {"data.svm", "truth_weights.npy"};
  if (spec.name == "ratings") return {"ratings.txt", "truth_users.npy", "truth_items.npy"};
  return {"graph.txt"};
}

void write_generated(Communicator& comm, const GeneratorSpec& spec, const std::string& folder) {
  if (spec.undirected()) return write_pairs(comm, spec, folder);
  const Generated generated = generate(comm, spec);
  if (spec.name == "lda") write_documents(comm, *generated.graph, folder);
  if (spec.name == "logistic" || spec.name == "regression")
    write_examples(comm, *generated.graph, spec.name == "logistic", folder);
  if (spec.name == "ratings") write_ratings(comm, *generated.graph, folder);
  if (generated.points) {
    const LoadedPoints& points = *generated.points;
    const std::uint64_t shape[2] = {points.rows, points.columns};
    write_npy_blocks(comm, folder + "/points.npy", shape, std::span<const float>(points.values));
  }
  for (const TruthArray& truth : generated.truth) write_truth(comm, truth, folder);
}

}  // namespace gas::loaders
