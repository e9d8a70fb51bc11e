#include <algorithm>

#include "gas/graph/page_array.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {
namespace {

/// Rows are counted from 0 in each block.
struct Examples {
  PageArray<std::uint32_t> row, column;
  PageArray<float> value;
  PageArray<double> labels;
  std::uint64_t columns = 0;  // given, or the largest seen
};

Examples parse_examples(std::string_view text, std::uint64_t columns_given) {
  constexpr const char* label = "a label (a finite number)";
  constexpr const char* feature = "COLUMN:VALUE with a column from 1";
  constexpr const char* too_large = "a column of at most 4294967295";
  constexpr const char* value = "a finite number, the feature's value";
  const std::size_t most = text.size() / 4;  // " 1:2"
  Examples examples{PageArray<std::uint32_t>(most), PageArray<std::uint32_t>(most),
                    PageArray<float>(most), PageArray<double>(text.size() / 2),  // "1\n"
                    columns_given};
  std::uint32_t* rows = examples.row.data();
  std::uint32_t* columns = examples.column.data();
  float* values = examples.value.data();
  double* labels = examples.labels.data();
  const std::uint64_t last_column = columns_given != 0 ? columns_given : most_rows;
  std::uint64_t largest = 0;
  std::size_t size = 0;
  std::uint32_t row = 0;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '#') continue;
    const char* begin = scanner.position();
    labels[row] = scanner.real<double>(label);
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
      if (column > last_column) {
        if (columns_given != 0) continue;
        scanner.fail(begin, too_large);
      }
      largest = std::max(largest, column);
      rows[size] = row;
      columns[size] = static_cast<std::uint32_t>(column - 1);
      values[size] = x;
      ++size;
    }
    ++row;
  }
  examples.row.cut(size);
  examples.column.cut(size);
  examples.value.cut(size);
  examples.labels.cut(row);
  if (columns_given == 0) examples.columns = largest;
  return examples;
}

}  // namespace

LoadedGraph read_libsvm(Team& team, TextInput& input, const GraphOptions& options) {
  auto blocks = parse_blocks<Examples>(input, options.threads, [&](std::string_view text) {
    return parse_examples(text, options.columns);
  });
  const auto entries =
      count_pieces(input, blocks, [](const Examples& block) { return block.value.size(); });
  const auto rows =
      count_pieces(input, blocks, [](const Examples& block) { return block.labels.size(); });
  std::uint64_t columns = options.columns;
  for (const Examples& block : blocks) columns = std::max(columns, block.columns);

  LoadedGraph graph;
  graph.shape.bipartite = true;
  graph.shape.targets = all_max(team, columns);
  const std::vector<Stretch> stretches = in_file_order(team, rows, graph.shape.sources);
  check_rows(team, graph.shape.sources);
  graph.source_ids = RowIds(graph.shape.sources, 1, 1);
  graph.target_ids = RowIds(graph.shape.targets, 1, 1);

  const std::vector<std::uint64_t> first_row = first_of_blocks(
      input, blocks, stretches, [](const Examples& block) { return block.labels.size(); });
  in_parallel(options.threads, blocks.size(), [&](unsigned, std::size_t i) {
    const auto first = static_cast<std::uint32_t>(first_row[i]);
    for (std::uint32_t& row : blocks[i].row.view()) row += first;
  });

  EdgeList& edges = graph.edges;
  join_all(
      options.threads,
      [&] {
        edges.source = join<Row>(
            blocks, [](Examples & e) -> auto& { return e.row; });
      },
      [&] {
        edges.target = join<Row>(
            blocks, [](Examples & e) -> auto& { return e.column; });
      },
      [&] {
        edges.value = join<float>(
            blocks, [](Examples & e) -> auto& { return e.value; });
      },
      [&] {
        graph.labels = join<double>(
            blocks, [](Examples & e) -> auto& { return e.labels; });
      });
  restore_order(team, input, entries, edges);
  graph.labels = move_to(team, stretches, std::move(graph.labels),
                         home_bounds(graph.shape.sources, team.size()));
  return graph;
}

}  // namespace gas::loaders::detail
