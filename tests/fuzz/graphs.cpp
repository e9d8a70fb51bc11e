#include <algorithm>
#include <bit>
#include <cmath>

#include "loaders/load_graph.hpp"
#include "loaders/stream_examples.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace gas_fuzz {
namespace {

using namespace gas;
using namespace gas::loaders;

/// The options that the first line of the data spells, a letter each.
GraphOptions options_of(std::string_view letters, Format format) {
  GraphOptions options{.format = format};
  if (format == Format::csv) options.examples.label = "y";
  for (const char letter : letters) {
    if (letter == 'b') options.bipartite = true;
    if (letter == 'c') options.counts = true;
    if (letter == 'l') options.lengths = true;
    if (letter == 'w') options.wide = true;
    if (letter == 'm') options.weights = true;
    if (letter == '0') options.index_base = 0;
    if (letter == 'k') options.columns = 7;
    if (letter == 'a') options.examples.categorical = {"a"};
    if (letter == 'u') options.examples.label.clear();
    if (letter == 'e') options.examples = {"y", {"a"}, {"b"}, {"no", "yes"}, true};
    if (format != Format::edges && format != Format::csv) continue;
    take_letter(options.table, letter);
    if (letter == 'v') options.sources = options.targets = {true, 9, {}};
  }
  return options;
}

void check(const LoadedGraph& graph, const GraphOptions& options) {
  const EdgeList& edges = graph.edges;
  const std::size_t size = edges.size();
  expect(edges.target.size() == size, "as many targets as sources");
  expect(edges.value.empty() || edges.value.size() == size, "a value per edge");
  expect(edges.wide_value.empty() || edges.wide_value.size() == size, "a wide value per edge");
  expect(edges.value.empty() || edges.wide_value.empty(), "one kind of values");
  const std::uint64_t targets = graph.shape.bipartite ? graph.shape.targets : graph.shape.sources;
  for (std::size_t e = 0; e < size; ++e)
    expect(edges.source[e] < graph.shape.sources && edges.target[e] < targets, "edges in range");
  const bool free = has_labels(options.format);
  const auto right = [&](double value) {
    return std::isfinite(value) && (!options.lengths || free || value >= 0) &&
           (!options.counts || free ||
            (value >= 0 && value == std::floor(value) && value < 0x1p24));
  };
  expect(std::ranges::all_of(edges.value, right), "values as asked for");
  expect(std::ranges::all_of(edges.wide_value, right), "wide values as asked for");
  expect(std::ranges::all_of(graph.labels, [](double x) { return std::isfinite(x); }), "labels");
}

std::string told(Communicator& comm, const LoadedGraph& graph) {
  std::string text;
  for (const std::uint64_t number :
       {graph.shape.sources, graph.shape.targets, std::uint64_t{graph.shape.bipartite},
        std::uint64_t{graph.undirected}, graph.vertex_weights})
    text += std::to_string(number) + " ";
  text += '\n';
  tell(text, comm, graph.source_ids);
  tell(text, comm, graph.target_ids);
  tell(text, comm, graph.edges.source);
  tell(text, comm, graph.edges.target);
  tell(text, comm, graph.edges.value);
  tell(text, comm, graph.edges.wide_value);
  tell(text, comm, graph.source_names);
  tell(text, comm, graph.target_names);
  tell(text, comm, graph.labels);
  tell(text, comm, graph.weight);
  for (const std::string& note : graph.notes) text += note + "\n";
  for (const auto* names :
       {&graph.table.numeric, &graph.table.categorical, &graph.table.label_names})
    for (const std::string& name : *names) text += name + "\n";
  return text;
}

}  // namespace

void graph(Format format, std::string_view data) {
  const GraphOptions asked = options_of(first_line(data), format);
  same_in_all_ways(data, [&](Communicator& comm, const std::string& path, const Way& way) {
    GraphOptions options = asked;
    options.threads = way.threads;
    options.block_bytes = way.block;
    const LoadedGraph graph = load_graph(comm, path, options);
    check(graph, options);
    return told(comm, graph);
  });
}

/// Examples that come one after the other; in the first line 'v': of VW, 't': of a table, 'h':
/// hashed. Which rank has which depends on the way, so that sums over all tell.
void stream(std::string_view data) {
  StreamOptions asked{.format = Format::libsvm};
  for (const char letter : first_line(data)) {
    if (letter == 'v') asked.format = Format::vw, asked.hash_bits = 5;
    if (letter == 't') asked.format = Format::csv, asked.hash_bits = 5, asked.examples.label = "y";
    if (letter == 'h') asked.hash_bits = 3;
    if (letter == '0') asked.index_base = 0;
    if (letter == 'k') asked.most_columns = 7;
  }
  same_in_all_ways(data, [&](Communicator& comm, const std::string& path, const Way& way) {
    StreamOptions options = asked;
    options.block_bytes = way.block;
    ExampleStream stream(comm, std::span(&path, 1), options);
    std::uint64_t rows = 0, entries = 0, mixed = 0;
    stream.each([&](const ExampleBlock& block) {
      const std::size_t size = block.row.size();
      expect(block.column.size() == size && block.value.size() == size, "a column per entry");
      std::size_t row = 0;
      for (std::size_t e = 0; e < size; ++e) {
        expect(block.row[e] >= row && block.row[e] < block.labels.size(), "rows that ascend");
        row = block.row[e];
        expect(std::isfinite(block.value[e]) && std::isfinite(block.labels[row]), "numbers");
        const std::uint64_t bits = options.hash_bits;
        expect(bits == 0 || block.column[e] >> bits == 0, "hashed columns");
        mixed += (std::bit_cast<std::uint64_t>(block.labels[row]) + block.column[e]) *
                 std::uint64_t{std::bit_cast<std::uint32_t>(block.value[e])};
      }
      rows += block.labels.size();
      entries += size;
      return true;
    });
    std::string text;
    for (const std::uint64_t sum : {rows, entries, mixed})
      text += std::to_string(all_sum(comm, sum)) + " ";
    return text;
  });
}

}  // namespace gas_fuzz
