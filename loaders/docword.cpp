#include <fmt/format.h>

#include <array>

#include "gas/graph/error.hpp"
#include "loaders/graph_text.hpp"
#include "loaders/scan.hpp"

namespace gas::loaders::detail {
namespace {

constexpr std::uint64_t largest_count = std::uint64_t{1} << 24;  // what a float holds exactly

struct Declared {
  std::uint64_t documents = 0, words = 0, entries = 0;
  std::uint64_t lines = 0;  // of the header that are there
};

std::uint64_t integer_column(Scanner& scanner, std::uint64_t least, std::uint64_t most,
                             const char* expected) {
  const char* const begin = scanner.position();
  const std::uint64_t value = scanner.integer(most, expected);
  if (value < least || !scanner.ends_token()) scanner.fail(begin, expected);
  return value;
}

Declared read_declared(Team& team, TextInput& input) {
  constexpr std::array<const char*, 3> expected{"the number of documents", "the number of words",
                                                "the number of entries"};
  Declared declared;
  std::array<std::uint64_t*, 3> fields{&declared.documents, &declared.words, &declared.entries};
  input.read_head([&](std::string_view line, std::uint64_t) {
    if (declared.lines == fields.size()) return false;
    Scanner scanner(line);  // the line's end follows it in memory
    const char* const what = expected[declared.lines];
    scanner.skip_blanks();
    *fields[declared.lines] = integer_column(scanner, 0, largest_id, what);
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line");
    ++declared.lines;
    return true;
  });
  declared = broadcast(team, std::span<const Declared>(&declared, 1))[0];
  together(team, [&] {
    if (declared.lines < 3)
      throw located_error(shown(input.path()), declared.lines + 1, 1, "the end of the file",
                          expected[declared.lines]);
  });
  return declared;
}

void parse_entries(std::string_view text, const Declared& declared, EdgeList& edges) {
  const std::string document = fmt::format("a document from 1 to {}", declared.documents);
  const std::string word = fmt::format("a word from 1 to {}", declared.words);
  const std::string count = fmt::format("a count from 1 to {}", largest_count);
  Scanner scanner(text);
  for (; !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end()) continue;
    edges.source.push_back(integer_column(scanner, 1, declared.documents, document.c_str()) - 1);
    if (!scanner.separator()) scanner.fail(word.c_str());
    edges.target.push_back(integer_column(scanner, 1, declared.words, word.c_str()) - 1);
    if (!scanner.separator()) scanner.fail(count.c_str());
    edges.value.push_back(
        static_cast<float>(integer_column(scanner, 1, largest_count, count.c_str())));
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line after three columns");
  }
}

}  // namespace

LoadedGraph read_docword(Team& team, TextInput& input) {
  const Declared declared = read_declared(team, input);
  LoadedGraph graph;
  graph.shape = {declared.documents, declared.words, true};
  graph.source_ids = RowIds(declared.documents, 1);
  graph.target_ids = RowIds(declared.words, 1);
  std::vector<Piece> pieces;
  input.each_text([&](std::uint64_t piece, std::string_view text) {
    const std::size_t before = graph.edges.size();
    parse_entries(text, declared, graph.edges);
    count_piece(pieces, piece, graph.edges.size() - before);
  });
  const std::uint64_t entries = all_sum(team, std::uint64_t{graph.edges.size()});
  together(team, [&] {
    if (entries != declared.entries)
      throw located_error(shown(input.path()), 3, 1,
                          fmt::format("{} entries declared", declared.entries),
                          fmt::format("{}, which is how many lines follow", entries));
  });
  restore_order(team, input, pieces, graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
