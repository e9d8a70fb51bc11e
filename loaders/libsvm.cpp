#include <algorithm>

#include "loaders/graph_text.hpp"
#include "loaders/scan.hpp"

namespace gas::loaders::detail {
namespace {

/// Rows are counted from 0 on this rank.
struct Examples {
  EdgeList edges;
  std::vector<double> labels;
  std::uint64_t columns = 0;  // given, or the largest seen
};

void parse_examples(std::string_view text, bool columns_given, Examples& examples) {
  constexpr const char* label = "a label (a finite number)";
  constexpr const char* feature = "COLUMN:VALUE with a column from 1";
  constexpr const char* value = "a finite number, the feature's value";
  EdgeList& edges = examples.edges;
  Scanner scanner(text);
  for (; !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '#') continue;
    const Row row = examples.labels.size();
    const char* begin = scanner.position();
    examples.labels.push_back(scanner.real<double>(label));
    if (!scanner.ends_token() || scanner.peek() == ',') scanner.fail(begin, label);
    while (true) {
      scanner.skip_blanks();
      if (scanner.at_line_end() || scanner.peek() == '#') break;
      begin = scanner.position();
      const std::uint64_t column = scanner.integer(largest_id, feature);
      if (column == 0 || scanner.peek() != ':') scanner.fail(begin, feature);
      scanner.step();
      const char* const number = scanner.position();
      const auto x = scanner.real<float>(value);
      if (!scanner.ends_token() || scanner.peek() == ',') scanner.fail(number, value);
      if (columns_given && column > examples.columns) continue;
      if (!columns_given) examples.columns = std::max(examples.columns, column);
      edges.source.push_back(row);
      edges.target.push_back(column - 1);
      edges.value.push_back(x);
    }
  }
}

}  // namespace

LoadedGraph read_libsvm(Team& team, TextInput& input, const GraphOptions& options) {
  Examples examples;
  examples.columns = options.columns;
  std::vector<Piece> entries, rows;
  input.each_text([&](std::uint64_t piece, std::string_view text) {
    const std::size_t entries_before = examples.edges.size();
    const std::size_t rows_before = examples.labels.size();
    parse_examples(text, options.columns != 0, examples);
    count_piece(entries, piece, examples.edges.size() - entries_before);
    count_piece(rows, piece, examples.labels.size() - rows_before);
  });

  LoadedGraph graph;
  graph.shape.bipartite = true;
  graph.shape.targets = all_max(team, examples.columns);
  const std::vector<Stretch> stretches = in_file_order(team, rows, graph.shape.sources);
  graph.source_ids = RowIds(graph.shape.sources, 1);
  graph.target_ids = RowIds(graph.shape.targets, 1);

  std::size_t entry = 0;
  std::uint64_t row = 0;  // this rank's first of the piece
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    for (const std::size_t end = entry + entries[i].count; entry < end; ++entry)
      examples.edges.source[entry] += stretches[i].first - row;
    row += stretches[i].count;
  }
  graph.edges = std::move(examples.edges);
  restore_order(team, input, entries, graph.edges);
  graph.labels = move_to(team, stretches, std::span<const double>(examples.labels),
                         home_bounds(graph.shape.sources, team.size()));
  return graph;
}

}  // namespace gas::loaders::detail
