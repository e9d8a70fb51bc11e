#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/formats/value_rule.hpp"
#include "loaders/text/header_line.hpp"

namespace gas::loaders::detail {
namespace {

struct Banner {
  bool valued = true, whole = false;
  bool symmetric = false;
};

/// The next word, in lower case.
std::string word(Scanner& scanner, const char* expected) {
  scanner.skip_blanks();
  return lowered(scanner.name(expected));
}

/// The first line: "%%MatrixMarket matrix coordinate FIELD SYMMETRY".
Banner read_banner(Communicator& comm, TextInput& input) {
  Banner banner;
  bool found = false;
  input.read_head([&](std::string_view line, std::uint64_t) {
    if (found) return false;
    found = true;
    Scanner scanner(line);  // the line's end follows it in memory
    const auto want = [&](const char* expected, std::initializer_list<const char*> allowed) {
      scanner.skip_blanks();
      const char* const begin = scanner.position();
      const std::string text = word(scanner, expected);
      if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
        scanner.fail(begin, expected);
      return text;
    };
    want("%%MatrixMarket", {"%%matrixmarket"});
    want("matrix", {"matrix"});
    want("coordinate (entries one by one)", {"coordinate"});
    const std::string field = want("real, integer or pattern", {"real", "integer", "pattern"});
    banner.valued = field != "pattern";
    banner.whole = field == "integer";
    banner.symmetric = want("general or symmetric", {"general", "symmetric"}) == "symmetric";
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line");
    return true;
  });
  banner = broadcast(comm, std::span<const Banner>(&banner, 1))[0];
  found = all_max(comm, static_cast<int>(found)) != 0;
  together(comm, [&] {
    if (!found)
      throw located_error(shown(input.path()), 1, 1, "the end of the file", "%%MatrixMarket");
  });
  return banner;
}

struct Entries {
  PageArray<std::uint32_t> row, column;
  ValueBlock value;
};

struct EntryForm {
  std::uint64_t rows, columns;
  bool valued, whole, symmetric;
  bool twice;  // an entry off the diagonal is two edges, the other one behind it
  ValueRule rule;
};

Entries parse_entries(std::string_view text, const EntryForm& form) {
  const std::string row = fmt::format("a row from 1 to {}", form.rows);
  const std::string column = fmt::format("a column from 1 to {}", form.columns);
  const std::size_t most = text.size() / 4 * (form.twice ? 2 : 1);  // "1 1\n"
  Entries entries{PageArray<std::uint32_t>(most), PageArray<std::uint32_t>(most),
                  ValueBlock(form.valued ? most : 0, form.rule.wide)};
  std::size_t size = 0;
  const auto add = [&](std::uint64_t r, std::uint64_t c, double value) {
    entries.row.data()[size] = static_cast<std::uint32_t>(r - 1);
    entries.column.data()[size] = static_cast<std::uint32_t>(c - 1);
    if (form.valued) entries.value.put(size, value);
    ++size;
  };
  const auto index = [](Scanner& scanner, std::uint64_t last, const char* expected) {
    const char* const begin = scanner.position();
    const std::uint64_t found = scanner.integer(last, expected);
    if (found == 0 || !scanner.ends_token()) scanner.fail(begin, expected);
    scanner.skip_blanks();
    return found;
  };
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '%') continue;
    const std::uint64_t r = index(scanner, form.rows, row.c_str());
    const char* const begin = scanner.position();
    const std::uint64_t c = index(scanner, form.columns, column.c_str());
    if (form.symmetric && c > r)
      scanner.fail(begin,
                   "a column of at most the row's number, as a symmetric matrix lists its lower "
                   "triangle only");
    const char* const number = scanner.position();
    const double value = form.valued ? form.rule.read(scanner) : 1.0;
    if (form.whole && value != std::floor(value))
      scanner.fail(number, "a whole number, as the head line says integer");
    scanner.skip_blanks();
    if (!scanner.at_line_end())
      scanner.fail(form.valued ? "the end of the line after three columns"
                               : "the end of the line after two columns");
    add(r, c, value);
    if (form.twice && r != c) add(c, r, value);
  }
  entries.row.cut(size);
  entries.column.cut(size);
  if (form.valued) entries.value.cut(size);
  return entries;
}

}  // namespace

LoadedGraph read_matrix_market(Communicator& comm, TextInput& input, const GraphOptions& options) {
  const Banner banner = read_banner(comm, input);
  const HeaderNumbers sizes =
      read_header_line(comm, input,
                       {{"the number of rows, at most 4294967295", max_vertices},
                        {"the number of columns, at most 4294967295", max_vertices},
                        {"the number of entries", largest_id}},
                       3);
  const std::uint64_t rows = sizes.number[0], columns = sizes.number[1];
  together(comm, [&] {
    if (rows != columns && (!options.bipartite || banner.symmetric))
      throw located_error(
          shown(input.path()), sizes.line, 1, fmt::format("{} rows and {} columns", rows, columns),
          banner.symmetric ? "as many rows as columns, as the matrix is symmetric"
                           : "as many rows as columns (or --bipartite, if the tool has it)");
  });
  const EntryForm form{rows,
                       columns,
                       banner.valued,
                       banner.whole,
                       banner.symmetric,
                       banner.symmetric && options.bipartite,
                       ValueRule(options)};
  auto blocks = parse_blocks<Entries>(
      input, options.threads, [&](std::string_view text) { return parse_entries(text, form); });
  std::uint64_t entries = 0;
  for (const Entries& block : blocks)
    for (std::size_t i = 0; i < block.row.size(); ++i)
      entries += form.twice && block.row.view()[i] < block.column.view()[i] ? 0 : 1;
  check_declared(comm, input, sizes.line, sizes.number[2], all_sum(comm, entries), "entries");

  LoadedGraph graph;
  graph.shape = {rows, columns, options.bipartite};
  graph.undirected = banner.symmetric && !options.bipartite;
  graph.source_ids = RowIds(rows, 1);
  if (options.bipartite) graph.target_ids = RowIds(columns, 1);
  take_edges(comm, input, options.threads, blocks, &Entries::row, &Entries::column, &Entries::value,
             graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
