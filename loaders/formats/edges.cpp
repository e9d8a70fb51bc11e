#include <array>
#include <atomic>
#include <optional>

#include "gas/base/text/parse_number.hpp"
#include "loaders/formats/edge_files.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/ids/numbering.hpp"
#include "loaders/ids/numeric_ids.hpp"
#include "loaders/text/scan.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {
namespace {

bool begins_edge(Scanner& scanner) {
  scanner.skip_blanks();
  return !scanner.at_line_end() && scanner.peek() != '#' && scanner.peek() != '%';
}

constexpr const char* number_expected =
    "a number from 0 to 9223372036854775807, as the ids of the first edge are (if ids are names, "
    "give --ids names)";

[[gnu::always_inline]] inline std::uint64_t read_number(Scanner& scanner) {
  const char* const begin = scanner.position();
  const std::uint64_t id = scanner.integer(largest_id, number_expected);
  if (!scanner.ends_token()) scanner.fail(begin, number_expected);
  return id;
}

/// Of what stands behind the last column.
[[noreturn]] void refuse_column(Scanner scanner, bool weighted) {
  const char* const behind = scanner.position();
  scanner.separator();
  scanner.fail(scanner.at_line_end() ? behind : scanner.position(),
               weighted ? "the end of the line after three columns (--columns picks others)"
                        : "the end of the line after two columns, as in the first edge");
}

/// Gives the edges of a text of plain numbers to add(source, target, value); read_source and
/// read_target read an id. Ends early where add returns false.
template <class ReadSource, class ReadTarget, class Add>
void parse_plain(std::string_view text, const EdgeRows& rows, ReadSource read_source,
                 ReadTarget read_target, Add add) {
  const bool weighted = rows.weighted;
  const ValueRule rule = rows.rule;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    if (!begins_edge(scanner)) continue;
    const std::uint64_t source = read_source(scanner);
    if (!scanner.column_separator()) scanner.fail("a second id");
    const std::uint64_t target = read_target(scanner);
    double value = 1;
    if (weighted) {
      if (!scanner.column_separator()) scanner.fail(rule.expected());
      value = rule.read(scanner);
    }
    scanner.skip_blanks();
    if (!scanner.at_line_end()) refuse_column(scanner, weighted);
    if (!add(source, target, value)) return;
  }
}

/// The same of any text; read_source and read_target make numbers of ids.
template <class ReadSource, class ReadTarget, class Add>
void parse_table(std::string_view text, const EdgeRows& rows, ReadSource read_source,
                 ReadTarget read_target, Add add) {
  for_each_row(text, rows.table, [&](std::span<const Field> fields) {
    const std::uint64_t source = read_source(fields[0]);
    const std::uint64_t target = read_target(fields[1]);
    double value = 1;
    if (rows.weighted)
      value = parse_field(fields[2], rows.rule.expected(),
                          [&](Scanner& scanner) { return rows.rule.read_start(scanner); });
    return add(source, target, value);
  });
}

std::uint64_t number_of(const Field& field) {
  return parse_field(field, number_expected,
                     [](Scanner& scanner) { return scanner.integer(largest_id, number_expected); });
}

std::uint64_t intern(const Field& field, std::string& scratch, Interner<Names>& names) {
  const std::string_view name = field.text(scratch);
  if (name.empty()) throw BadText{field.raw.data(), shown_field(field), "an id"};
  refuse_returns(field.raw);
  if (const std::size_t nul = name.find('\0'); nul != std::string_view::npos)
    throw BadText{field.raw.data() + field.raw.find('\0'), "a NUL byte", "an id"};
  return names.intern(name);
}

/// Edges as they follow one another in a file, with numbers as ids.
struct NumberedEdges {
  IdBlock source, target;
  ValueBlock value;  // empty if they have none

  std::size_t size() const { return source.narrow.size() + source.wide.size(); }
};

/// The edges of a text with ids of type Id; nothing if one is too large for it.
template <class Id>
std::optional<NumberedEdges> parse_numbered(std::string_view text, const EdgeRows& rows) {
  const std::size_t most = text.size() / 4;  // "1 2\n"
  PageArray<Id> sources(most), targets(most);
  ValueBlock values(rows.weighted ? most : 0, rows.rule.wide);
  std::size_t size = 0;
  bool fit = true;
  Id* const source_at = sources.data();
  Id* const target_at = targets.data();
  const auto add = [&](std::uint64_t source, std::uint64_t target, double value) {
    source_at[size] = static_cast<Id>(source);
    target_at[size] = static_cast<Id>(target);
    if (rows.weighted) values.put(size, value);
    ++size;
    return fit = (source | target) <= std::numeric_limits<Id>::max();
  };
  if (rows.table.plain) {
    const auto read = [](Scanner& scanner) { return read_number(scanner); };
    try {
      parse_plain(text, rows, read, read, add);
    } catch (BadText& bad) {  // the first edges had no quotes
      if (bad.found.starts_with("'\""))
        bad.expected += "; if fields may be quoted, give --delimiter";
      throw;
    }
  } else {
    parse_table(text, rows, number_of, number_of, add);
  }
  if (!fit) return std::nullopt;
  sources.cut(size);
  targets.cut(size);
  if (rows.weighted) values.cut(size);
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

template <class T>
void put_first(PageArray<T>& array, T value) {
  PageArray<T> longer(array.size() + 1);
  longer.data()[0] = value;
  std::ranges::copy(array.view(), longer.data() + 1);
  array = std::move(longer);
}

void put_first(IdBlock& ids, std::uint64_t id) {
  if (ids.wide.size() == 0 && id <= std::numeric_limits<std::uint32_t>::max())
    return put_first(ids.narrow, static_cast<std::uint32_t>(id));
  if (ids.narrow.size() > 0) {
    ids.wide = PageArray<std::uint64_t>(ids.narrow.size());
    std::ranges::copy(ids.narrow.view(), ids.wide.data());
    ids.narrow.cut(0);
  }
  put_first(ids.wide, id);
}

/// The rows of ids where row 0 has the id `first` and every number behind it is an id. Uses the
/// blocks up.
std::vector<VertexId> rows_from(std::uint64_t first, std::vector<IdBlock>& blocks) {
  std::vector<VertexId> rows;
  for (IdBlock& ids : blocks) {
    for (const std::uint32_t id : ids.narrow.view())
      rows.push_back(static_cast<VertexId>(id - first));
    for (const std::uint64_t id : ids.wide.view())
      rows.push_back(static_cast<VertexId>(id - first));
    ids = IdBlock();
  }
  return rows;
}

std::vector<Piece> read_numbered(Communicator& comm, TextInput& input, EdgeFiles& files,
                                 const GraphOptions& options, LoadedGraph& graph) {
  std::atomic<bool> wide{false};  // whether an id was beyond 4 bytes, so that others may be
  auto blocks =
      files.parse<NumberedEdges>(options.threads, [&](std::string_view text, const EdgeRows& rows) {
        if (!wide.load(std::memory_order_relaxed)) {
          if (auto edges = parse_numbered<std::uint32_t>(text, rows)) return std::move(*edges);
          wide.store(true, std::memory_order_relaxed);
        }
        return *parse_numbered<std::uint64_t>(text, rows);
      });
  const SizeLine sizes = files.place_pairs(
      blocks,
      [](IdBounds& bounds, const NumberedEdges& block) {
        for (const IdBlock* ids : {&block.source, &block.target}) {
          bounds.add(ids->narrow.view());
          bounds.add(ids->wide.view());
        }
      },
      [](NumberedEdges& block, const FirstPair& edge) {
        put_first(block.source, edge.source());
        put_first(block.target, edge.target());
      });
  const auto pieces =
      count_pieces(input, blocks, [](const NumberedEdges& block) { return block.size(); });
  EdgeList& edges = graph.edges;
  IdColumn source{{}, &edges.source}, target{{}, &edges.target};
  for (NumberedEdges& block : blocks) {
    source.blocks.push_back(std::move(block.source));
    target.blocks.push_back(std::move(block.target));
  }
  if (sizes.count > 0) {
    edges.source = rows_from(sizes.first, source.blocks);
    edges.target = rows_from(sizes.first, target.blocks);
    graph.source_ids = RowIds(sizes.count, sizes.first);
  } else if (graph.shape.bipartite) {
    graph.source_ids = number_ids(comm, options.threads, std::array{&source});
    graph.target_ids = number_ids(comm, options.threads, std::array{&target});
  } else {
    graph.source_ids = number_ids(comm, options.threads, std::array{&source, &target});
  }
  const auto values = [](NumberedEdges & block) -> auto& { return block.value; };
  join_values(blocks, values, any_wide(comm, blocks, values), edges);
  return pieces;
}

/// How many edges a text has, and their values.
struct NamedEdges {
  std::uint64_t size = 0;
  ValueBlock value;
};

/// On one thread: names are numbered as they come.
std::vector<Piece> read_named(Communicator& comm, TextInput& input, EdgeFiles& files,
                              const GraphOptions&, LoadedGraph& graph) {
  EdgeList& edges = graph.edges;
  Interner<Names> sources, more;
  Interner<Names>& targets = graph.shape.bipartite ? more : sources;
  std::string scratch;
  auto blocks = files.parse<NamedEdges>(1, [&](std::string_view text, const EdgeRows& rows) {
    NamedEdges block{0, ValueBlock(rows.weighted ? text.size() / 4 : 0, rows.rule.wide)};
    parse_table(
        text, rows, [&](const Field& field) { return intern(field, scratch, sources); },
        [&](const Field& field) { return intern(field, scratch, targets); },
        [&](std::uint64_t source, std::uint64_t target, double value) {
          edges.source.push_back(static_cast<VertexId>(source));
          edges.target.push_back(static_cast<VertexId>(target));
          if (rows.weighted) block.value.put(block.size, value);
          ++block.size;
          return true;
        });
    if (rows.weighted) block.value.cut(block.size);
    return block;
  });
  Numbering numbering = number_rows(comm, sources.take());
  for (VertexId& row : edges.source) row = numbering.row_of[row];
  graph.source_ids = std::move(numbering.ids);
  if (graph.shape.bipartite) {
    numbering = number_rows(comm, targets.take());
    graph.target_ids = std::move(numbering.ids);
  }
  for (VertexId& row : edges.target) row = numbering.row_of[row];
  const auto values = [](NamedEdges & block) -> auto& { return block.value; };
  join_values(blocks, values, any_wide(comm, blocks, values), edges);
  return count_pieces(input, blocks, [](const NamedEdges& block) { return block.size; });
}

/// The row of the number at the scanner's place, which must be that of a vertex.
VertexId read_declared_number(Scanner& scanner, const DeclaredIds& ids) {
  const char* const expected = ids.expected().c_str();
  const char* const begin = scanner.position();
  const std::uint64_t id = scanner.integer(largest_id, expected);
  const VertexId row = scanner.ends_token() ? ids.find(id) : DeclaredIds::none;
  if (row == DeclaredIds::none) scanner.fail(begin, expected);
  return row;
}

/// The same of a field of any text.
VertexId declared_field(const Field& field, std::string& scratch, const DeclaredIds& ids) {
  const std::string_view text = field.text(scratch);
  VertexId row = DeclaredIds::none;
  std::uint64_t number = 0;
  if (ids.named())
    row = ids.find(text);
  else if (parse_number(text, number))
    row = ids.find(number);
  if (row == DeclaredIds::none) throw BadText{field.raw.data(), shown_field(field), ids.expected()};
  return row;
}

struct RowEdges {
  PageArray<VertexId> source, target;
  ValueBlock value;

  std::size_t size() const { return source.size(); }
};

RowEdges parse_rows(std::string_view text, const EdgeRows& rows, const DeclaredIds& sources,
                    const DeclaredIds& targets) {
  const std::size_t most = text.size() / 4;  // "1 2\n"
  RowEdges edges{PageArray<VertexId>(most), PageArray<VertexId>(most),
                 ValueBlock(rows.weighted ? most : 0, rows.rule.wide)};
  std::size_t size = 0;
  const auto add = [&](std::uint64_t source, std::uint64_t target, double value) {
    edges.source.data()[size] = static_cast<VertexId>(source);
    edges.target.data()[size] = static_cast<VertexId>(target);
    if (rows.weighted) edges.value.put(size, value);
    ++size;
    return true;
  };
  std::string scratch;
  if (rows.table.plain && !sources.named() && !targets.named())
    parse_plain(
        text, rows, [&](Scanner& scanner) { return read_declared_number(scanner, sources); },
        [&](Scanner& scanner) { return read_declared_number(scanner, targets); }, add);
  else
    parse_table(
        text, rows, [&](const Field& field) { return declared_field(field, scratch, sources); },
        [&](const Field& field) { return declared_field(field, scratch, targets); }, add);
  edges.source.cut(size);
  edges.target.cut(size);
  if (rows.weighted) edges.value.cut(size);
  return edges;
}

/// Where it is known which ids there are: rows at once, on all threads.
LoadedGraph read_declared(Communicator& comm, TextInput& input, EdgeFiles& files,
                          const GraphOptions& options) {
  const TableOptions::Header header = options.table.header;
  const DeclaredIds sources(comm, options.sources, files.ids(), header);
  std::optional<DeclaredIds> others;
  if (options.bipartite) others.emplace(comm, options.targets, files.ids(), header);
  const DeclaredIds& targets = options.bipartite ? *others : sources;
  auto blocks =
      files.parse<RowEdges>(options.threads, [&](std::string_view text, const EdgeRows& rows) {
        return parse_rows(text, rows, sources, targets);
      });
  files.place_pairs(
      blocks,
      [&](IdBounds& bounds, const RowEdges& block) {
        if (block.size() == 0) return;
        IdBounds rows;
        for (const PageArray<VertexId>* ids : {&block.source, &block.target}) rows.add(ids->view());
        if (sources.named())
          bounds.add(0, ~std::uint64_t{0});  // n bounds no names
        else
          bounds.add(sources.number(rows.least), sources.number(rows.largest));
      },
      [&](RowEdges& block, const FirstPair& edge) {
        EdgeRows line{{}, false, ValueRule(options)};
        line.table.delimiter = edge.delimiter;
        line.table.width = 2;
        if (edge.swapped) line.table.columns = {1, 0};
        const RowEdges made = parse_rows(edge.text, line, sources, targets);
        put_first(block.source, made.source.view()[0]);
        put_first(block.target, made.target.view()[0]);
      });
  LoadedGraph graph;
  graph.notes = std::move(files.notes());
  graph.notes.insert(graph.notes.end(), sources.notes().begin(), sources.notes().end());
  if (options.bipartite)
    graph.notes.insert(graph.notes.end(), targets.notes().begin(), targets.notes().end());
  graph.shape = {sources.size(), targets.size(), options.bipartite};
  graph.source_ids = sources.row_ids(comm);
  graph.source_names = sources.block_names();
  if (options.bipartite) {
    graph.target_ids = targets.row_ids(comm);
    graph.target_names = targets.block_names();
  }
  take_edges(comm, input, options.threads, blocks, &RowEdges::source, &RowEdges::target,
             &RowEdges::value, graph.edges);
  return graph;
}

/// Notes if no other edge has an end of the first one: they may be the names of columns.
/// Collective.
void note_lone_edge(Communicator& comm, LoadedGraph& graph) {
  constexpr std::uint64_t few = 20;  // edges that say nothing
  const EdgeList& edges = graph.edges;
  if (all_sum(comm, std::uint64_t{edges.size()}) < few) return;
  std::vector<VertexId> first;
  if (comm.rank() == 0 && edges.size() > 0) first = {edges.source[0], edges.target[0]};
  first = broadcast(comm, std::span<const VertexId>(first));
  if (first.empty()) return;
  const auto [a, b] = std::array{first[0], first[1]};
  std::uint64_t found = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const VertexId source = edges.source[e], target = edges.target[e];
    const bool crossed = !graph.shape.bipartite && (source == b || target == a);
    found += source == a || target == b || crossed ? 1 : 0;
  }
  if (all_sum(comm, found) == 1)
    graph.notes.emplace_back(
        "the two ids of the first edge are in no other edge; if its line is a header, give "
        "--header yes");
}

}  // namespace

LoadedGraph read_edges(Communicator& comm, TextInput& input, const GraphOptions& options) {
  EdgeFiles files(comm, input, options);
  if (options.sources.given) return read_declared(comm, input, files, options);
  LoadedGraph graph;
  graph.shape.bipartite = options.bipartite;
  const std::vector<Piece> pieces =
      (files.named() ? read_named : read_numbered)(comm, input, files, options, graph);
  graph.notes = std::move(files.notes());
  graph.shape.sources = graph.source_ids.rows();
  graph.shape.targets = (options.bipartite ? graph.target_ids : graph.source_ids).rows();
  check_rows(comm, std::max(graph.shape.sources, graph.shape.targets));
  restore_order(comm, input, pieces, graph.edges);
  if (files.may_begin_with_names() && !options.excerpt) note_lone_edge(comm, graph);
  return graph;
}

}  // namespace gas::loaders::detail
