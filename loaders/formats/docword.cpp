#include <fmt/format.h>

#include <array>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {
namespace {

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

Declared read_declared(Communicator& comm, TextInput& input) {
  constexpr std::array<const char*, 3> expected{"the number of documents, at most 4294967295",
                                                "the number of words, at most 4294967295",
                                                "the number of entries"};
  Declared declared;
  std::array<std::uint64_t*, 3> fields{&declared.documents, &declared.words, &declared.entries};
  input.read_head([&](std::string_view line, std::uint64_t) {
    if (declared.lines == fields.size()) return false;
    Scanner scanner(line);  // the line's end follows it in memory
    const char* const what = expected[declared.lines];
    scanner.skip_blanks();
    *fields[declared.lines] =
        integer_column(scanner, 0, declared.lines < 2 ? max_vertices : largest_id, what);
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line");
    ++declared.lines;
    return true;
  });
  declared = broadcast(comm, std::span<const Declared>(&declared, 1))[0];
  together(comm, [&] {
    if (declared.lines < 3)
      throw located_error(shown(input.path()), declared.lines + 1, 1, "the end of the file",
                          expected[declared.lines]);
  });
  return declared;
}

struct Entries {
  PageArray<std::uint32_t> document, word;
  ValueBlock count;
};

Entries parse_entries(std::string_view text, const Declared& declared) {
  const std::string document = fmt::format("a document from 1 to {}", declared.documents);
  const std::string word = fmt::format("a word from 1 to {}", declared.words);
  const std::string count = fmt::format("a count from 1 to {}", largest_count);
  constexpr std::size_t shortest = 6;  // "1 1 1\n"
  const std::size_t most = text.size() / shortest;
  Entries entries{PageArray<std::uint32_t>(most), PageArray<std::uint32_t>(most),
                  ValueBlock(most, false)};
  std::uint32_t* documents = entries.document.data();
  std::uint32_t* words = entries.word.data();
  float* counts = entries.count.narrow().data();
  std::size_t size = 0;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end()) continue;
    const std::uint64_t d = integer_column(scanner, 1, declared.documents, document.c_str());
    if (!scanner.separator()) scanner.fail(word.c_str());
    const std::uint64_t w = integer_column(scanner, 1, declared.words, word.c_str());
    if (!scanner.separator()) scanner.fail(count.c_str());
    const std::uint64_t n = integer_column(scanner, 1, largest_count, count.c_str());
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line after three columns");
    documents[size] = static_cast<std::uint32_t>(d - 1);
    words[size] = static_cast<std::uint32_t>(w - 1);
    counts[size] = static_cast<float>(n);
    ++size;
  }
  entries.document.cut(size);
  entries.word.cut(size);
  entries.count.cut(size);
  return entries;
}

}  // namespace

LoadedGraph read_docword(Communicator& comm, TextInput& input, const GraphOptions& options) {
  const Declared declared = read_declared(comm, input);
  LoadedGraph graph;
  graph.shape = {declared.documents, declared.words, true};
  graph.source_ids = RowIds(declared.documents, 1, 1);
  graph.target_ids = RowIds(declared.words, 1, 1);
  auto blocks = parse_blocks<Entries>(
      input, options.threads, [&](std::string_view text) { return parse_entries(text, declared); });
  std::uint64_t entries = 0;
  for (const Entries& block : blocks) entries += block.count.size();
  entries = all_sum(comm, entries);
  together(comm, [&] {
    if (entries != declared.entries)
      throw located_error(shown(input.path()), 3, 1,
                          fmt::format("{} entries declared", declared.entries),
                          fmt::format("{}, which is how many lines follow", entries));
  });
  take_edges(comm, input, options.threads, blocks, &Entries::document, &Entries::word,
             &Entries::count, graph.edges);
  return graph;
}

}  // namespace gas::loaders::detail
