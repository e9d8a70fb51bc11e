#include <array>
#include <cmath>

#include "loaders/graph_text.hpp"
#include "loaders/numbering.hpp"
#include "loaders/numeric_ids.hpp"
#include "loaders/scan.hpp"

namespace gas::loaders::detail {
namespace {

/// What the first edge decides for all.
struct FirstEdge {
  bool named = false;
  bool weighted = false;
};

bool is_number(std::string_view id) {
  std::uint64_t value = 0;
  const auto [stop, code] = std::from_chars(id.data(), id.data() + id.size(), value);
  return code == std::errc() && stop == id.data() + id.size() && value <= largest_id;
}

bool begins_edge(Scanner& scanner) {
  scanner.skip_blanks();
  return !scanner.at_line_end() && scanner.peek() != '#' && scanner.peek() != '%';
}

FirstEdge look_at_first(Team& team, TextInput& input) {
  FirstEdge first;
  input.read_head([&](std::string_view line, std::uint64_t) {
    Scanner scanner(line);  // the line's end follows it in memory
    if (!begins_edge(scanner)) return true;
    const bool source = is_number(scanner.name("an id"));
    scanner.separator();
    const bool target = is_number(scanner.name("an id"));
    first.named = !source || !target;
    first.weighted = scanner.separator() && !scanner.at_line_end();
    return false;
  });
  return broadcast(team, std::span<const FirstEdge>(&first, 1))[0];
}

/// What the third column is, if there is one.
struct ValueColumn {
  bool there = false;
  bool counts = false;  // whole numbers up to 2^24
};

/// Adds the edges of a text; `source` and `target` read an id.
template <class ReadSource, class ReadTarget>
void parse_edges(std::string_view text, ValueColumn column, EdgeList& edges, ReadSource source,
                 ReadTarget target) {
  const char* const value = column.counts ? "a number of occurrences, whole and at most 2^24"
                                          : "a finite number, the edge's value";
  Scanner scanner(text);
  while (!scanner.at_end()) {
    if (begins_edge(scanner)) {
      edges.source.push_back(source(scanner));
      if (!scanner.separator()) scanner.fail("a second id");
      edges.target.push_back(target(scanner));
      if (column.there) {
        if (!scanner.separator()) scanner.fail(value);
        const char* const begin = scanner.position();
        const float x = scanner.real<float>(value);
        const bool allowed = !column.counts || (x >= 0 && x <= 0x1p24F && x == std::floor(x));
        if (!allowed || !scanner.ends_token()) scanner.fail(begin, value);
        edges.value.push_back(x);
      }
      scanner.skip_blanks();
      if (!scanner.at_line_end())
        scanner.fail(column.there ? "the end of the line after three columns"
                                  : "the end of the line after two columns, as in the first edge");
    }
    scanner.next_line();
  }
}

std::uint64_t read_number(Scanner& scanner) {
  constexpr const char* expected =
      "a number from 0 to 9223372036854775807, as the ids of the first edge are";
  const char* const begin = scanner.position();
  const std::uint64_t id = scanner.integer(largest_id, expected);
  if (!scanner.ends_token()) scanner.fail(begin, expected);
  return id;
}

std::uint64_t read_name(Scanner& scanner, Interner<Names>& names) {
  const std::string_view name = scanner.name("an id");
  if (name.empty()) scanner.fail("an id");
  return names.intern(name);
}

void read_numbered(Team& team, TextInput& input, ValueColumn column, LoadedGraph& graph,
                   std::vector<Piece>& pieces) {
  EdgeList& edges = graph.edges;
  input.each_text([&](std::uint64_t piece, std::string_view text) {
    const std::size_t before = edges.size();
    parse_edges(text, column, edges, read_number, read_number);
    count_piece(pieces, piece, edges.size() - before);
  });
  if (graph.shape.bipartite) {
    graph.source_ids = number_ids(team, std::array{&edges.source});
    graph.target_ids = number_ids(team, std::array{&edges.target});
  } else {
    graph.source_ids = number_ids(team, std::array{&edges.source, &edges.target});
  }
}

void read_named(Team& team, TextInput& input, ValueColumn column, LoadedGraph& graph,
                std::vector<Piece>& pieces) {
  EdgeList& edges = graph.edges;
  Interner<Names> sources, more;
  Interner<Names>& targets = graph.shape.bipartite ? more : sources;
  input.each_text([&](std::uint64_t piece, std::string_view text) {
    const std::size_t before = edges.size();
    parse_edges(
        text, column, edges, [&](Scanner& scanner) { return read_name(scanner, sources); },
        [&](Scanner& scanner) { return read_name(scanner, targets); });
    count_piece(pieces, piece, edges.size() - before);
  });
  Numbering numbering = number_rows(team, sources.keys());
  for (Row& row : edges.source) row = numbering.row_of[row];
  graph.source_ids = std::move(numbering.ids);
  if (graph.shape.bipartite) {
    numbering = number_rows(team, targets.keys());
    graph.target_ids = std::move(numbering.ids);
  }
  for (Row& row : edges.target) row = numbering.row_of[row];
}

}  // namespace

LoadedGraph read_edges(Team& team, TextInput& input, const GraphOptions& options) {
  const FirstEdge first = look_at_first(team, input);
  LoadedGraph graph;
  graph.shape.bipartite = options.bipartite;
  std::vector<Piece> pieces;
  (first.named ? read_named : read_numbered)(team, input, {first.weighted, options.counts}, graph,
                                             pieces);
  graph.shape.sources = graph.source_ids.rows();
  graph.shape.targets = (options.bipartite ? graph.target_ids : graph.source_ids).rows();
  restore_order(team, input, pieces, graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
