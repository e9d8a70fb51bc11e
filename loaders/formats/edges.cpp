#include <array>
#include <atomic>
#include <optional>

#include "loaders/formats/graph_text.hpp"
#include "loaders/formats/value_rule.hpp"
#include "loaders/ids/numbering.hpp"
#include "loaders/ids/numeric_ids.hpp"
#include "loaders/text/scan.hpp"

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

/// The third column, if there is one.
struct ValueColumn {
  bool there = false;
  ValueRule rule;
};

/// Gives the edges of a text to add(source, target, value); `read_source` and `read_target` read an
/// id. Ends early where add returns false.
template <class ReadSource, class ReadTarget, class Add>
void parse_edges(std::string_view text, ValueColumn column, ReadSource read_source,
                 ReadTarget read_target, Add add) {
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    if (!begins_edge(scanner)) continue;
    const std::uint64_t source = read_source(scanner);
    if (!scanner.separator()) scanner.fail("a second id");
    const std::uint64_t target = read_target(scanner);
    double value = 1;
    if (column.there) {
      if (!scanner.separator()) scanner.fail(column.rule.expected());
      value = column.rule.read(scanner);
    }
    scanner.skip_blanks();
    if (!scanner.at_line_end())
      scanner.fail(column.there ? "the end of the line after three columns"
                                : "the end of the line after two columns, as in the first edge");
    if (!add(source, target, value)) return;
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

struct NumberedEdges {
  IdBlock source, target;
  ValueBlock value;
};

/// The edges of a text with ids of type Id; nothing if one is too large for it.
template <class Id>
std::optional<NumberedEdges> parse_numbered(std::string_view text, ValueColumn column) {
  const std::size_t most = text.size() / 4;  // "1 2\n"
  PageArray<Id> sources(most), targets(most);
  ValueBlock values(column.there ? most : 0, column.rule.wide);
  std::size_t size = 0;
  bool fit = true;
  Id* const source_at = sources.data();
  Id* const target_at = targets.data();
  parse_edges(text, column, read_number, read_number,
              [&](std::uint64_t source, std::uint64_t target, double value) {
                source_at[size] = static_cast<Id>(source);
                target_at[size] = static_cast<Id>(target);
                if (column.there) values.put(size, value);
                ++size;
                return fit = (source | target) <= std::numeric_limits<Id>::max();
              });
  if (!fit) return std::nullopt;
  sources.cut(size);
  targets.cut(size);
  if (column.there) values.cut(size);
  NumberedEdges edges;
  if constexpr (sizeof(Id) == 4) {
    edges.source.narrow = std::move(sources);
    edges.target.narrow = std::move(targets);
  } else {
    edges.source.wide = std::move(sources);
    edges.target.wide = std::move(targets);
  }
  edges.value = std::move(values);
  return edges;
}

std::vector<Piece> read_numbered(Team& team, TextInput& input, ValueColumn column,
                                 const GraphOptions& options, LoadedGraph& graph) {
  std::atomic<bool> wide{false};  // whether an id was beyond 4 bytes, so that others may be
  auto blocks = parse_blocks<NumberedEdges>(input, options.threads, [&](std::string_view text) {
    if (!wide.load(std::memory_order_relaxed)) {
      if (auto edges = parse_numbered<std::uint32_t>(text, column)) return std::move(*edges);
      wide.store(true, std::memory_order_relaxed);
    }
    return *parse_numbered<std::uint64_t>(text, column);
  });
  const auto pieces = count_pieces(input, blocks, [](const NumberedEdges& edges) {
    return edges.source.narrow.size() + edges.source.wide.size();
  });
  EdgeList& edges = graph.edges;
  IdColumn source{{}, &edges.source}, target{{}, &edges.target};
  for (NumberedEdges& block : blocks) {
    source.blocks.push_back(std::move(block.source));
    target.blocks.push_back(std::move(block.target));
  }
  if (graph.shape.bipartite) {
    graph.source_ids = number_ids(team, options.threads, std::array{&source});
    graph.target_ids = number_ids(team, options.threads, std::array{&target});
  } else {
    graph.source_ids = number_ids(team, options.threads, std::array{&source, &target});
  }
  const auto values = [](NumberedEdges & block) -> auto& { return block.value; };
  join_values(blocks, values, any_wide(team, blocks, values), edges);
  return pieces;
}

/// How many edges a text has, and their values.
struct NamedEdges {
  std::uint64_t size = 0;
  ValueBlock value;
};

/// On one thread: names are numbered as they come.
std::vector<Piece> read_named(Team& team, TextInput& input, ValueColumn column, const GraphOptions&,
                              LoadedGraph& graph) {
  EdgeList& edges = graph.edges;
  Interner<Names> sources, more;
  Interner<Names>& targets = graph.shape.bipartite ? more : sources;
  auto blocks = parse_blocks<NamedEdges>(input, 1, [&](std::string_view text) {
    NamedEdges block{0, ValueBlock(column.there ? text.size() / 4 : 0, column.rule.wide)};
    parse_edges(
        text, column, [&](Scanner& scanner) { return read_name(scanner, sources); },
        [&](Scanner& scanner) { return read_name(scanner, targets); },
        [&](std::uint64_t source, std::uint64_t target, double value) {
          edges.source.push_back(static_cast<Row>(source));
          edges.target.push_back(static_cast<Row>(target));
          if (column.there) block.value.put(block.size, value);
          ++block.size;
          return true;
        });
    if (column.there) block.value.cut(block.size);
    return block;
  });
  Numbering numbering = number_rows(team, sources.keys());
  for (Row& row : edges.source) row = static_cast<Row>(numbering.row_of[row]);
  graph.source_ids = std::move(numbering.ids);
  if (graph.shape.bipartite) {
    numbering = number_rows(team, targets.keys());
    graph.target_ids = std::move(numbering.ids);
  }
  for (Row& row : edges.target) row = static_cast<Row>(numbering.row_of[row]);
  const auto values = [](NamedEdges & block) -> auto& { return block.value; };
  join_values(blocks, values, any_wide(team, blocks, values), edges);
  return count_pieces(input, blocks, [](const NamedEdges& block) { return block.size; });
}

/// The row of the id at the scanner's place.
Row read_declared_id(Scanner& scanner, const DeclaredIds& ids) {
  const char* const begin = scanner.position();
  const std::string_view name = scanner.name(ids.expected().c_str());
  Row row = DeclaredIds::none;
  std::uint64_t number = 0;
  if (ids.named())
    row = ids.find(name);
  else if (const auto [stop, code] = std::from_chars(begin, begin + name.size(), number);
           code == std::errc() && stop == begin + name.size())
    row = ids.find(number);
  if (row == DeclaredIds::none) scanner.fail(begin, ids.expected().c_str());
  return row;
}

struct RowEdges {
  PageArray<Row> source, target;
  ValueBlock value;
};

template <class Read>
RowEdges parse_rows(std::string_view text, ValueColumn column, Read read_source, Read read_target) {
  const std::size_t most = text.size() / 4;  // "1 2\n"
  RowEdges edges{PageArray<Row>(most), PageArray<Row>(most),
                 ValueBlock(column.there ? most : 0, column.rule.wide)};
  std::size_t size = 0;
  parse_edges(text, column, read_source, read_target,
              [&](std::uint64_t source, std::uint64_t target, double value) {
                edges.source.data()[size] = static_cast<Row>(source);
                edges.target.data()[size] = static_cast<Row>(target);
                if (column.there) edges.value.put(size, value);
                ++size;
                return true;
              });
  edges.source.cut(size);
  edges.target.cut(size);
  if (column.there) edges.value.cut(size);
  return edges;
}

/// Where it is known which ids there are: rows at once, on all threads.
LoadedGraph read_declared(Team& team, TextInput& input, ValueColumn column,
                          const GraphOptions& options) {
  const DeclaredIds sources(team, options.sources);
  std::optional<DeclaredIds> others;
  if (options.bipartite) others.emplace(team, options.targets);
  const DeclaredIds& targets = options.bipartite ? *others : sources;
  const auto reading = [](const DeclaredIds& ids) {
    return [&ids](Scanner& scanner) { return read_declared_id(scanner, ids); };
  };
  auto blocks = parse_blocks<RowEdges>(input, options.threads, [&](std::string_view text) {
    return parse_rows(text, column, reading(sources), reading(targets));
  });
  LoadedGraph graph;
  graph.shape = {sources.size(), targets.size(), options.bipartite};
  graph.source_ids = sources.row_ids(team);
  graph.source_names = sources.home_names();
  if (options.bipartite) {
    graph.target_ids = targets.row_ids(team);
    graph.target_names = targets.home_names();
  }
  take_edges(team, input, options.threads, blocks, &RowEdges::source, &RowEdges::target,
             &RowEdges::value, graph.edges);
  return graph;
}

}  // namespace

LoadedGraph read_edges(Team& team, TextInput& input, const GraphOptions& options) {
  const FirstEdge first = look_at_first(team, input);
  if (options.sources.given)
    return read_declared(team, input, {first.weighted, ValueRule(options)}, options);
  LoadedGraph graph;
  graph.shape.bipartite = options.bipartite;
  const std::vector<Piece> pieces = (first.named ? read_named : read_numbered)(
      team, input, {first.weighted, ValueRule(options)}, options, graph);
  graph.shape.sources = graph.source_ids.rows();
  graph.shape.targets = (options.bipartite ? graph.target_ids : graph.source_ids).rows();
  check_rows(team, std::max(graph.shape.sources, graph.shape.targets));
  restore_order(team, input, pieces, graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
