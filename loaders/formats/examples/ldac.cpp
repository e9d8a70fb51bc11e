#include <fmt/format.h>

#include <algorithm>

#include "loaders/formats/examples/examples.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {
namespace {

/// Lines `n word:count …` with n pairs; words and documents count from 0.
Examples parse_documents(std::string_view text) {
  constexpr const char* size = "the number of pairs in the line";
  constexpr const char* pair = "WORD:COUNT with a word from 0 to 4294967293";
  constexpr const char* count = "a count from 0 to 16777215";
  const std::size_t most = text.size() / 4;  // " 0:2"
  Examples documents;
  documents.row = PageArray<std::uint32_t>(most);
  documents.column = PageArray<std::uint32_t>(most);
  documents.value = PageArray<float>(most);
  std::uint32_t* const rows = documents.row.data();
  std::uint32_t* const words = documents.column.data();
  float* const counts = documents.value.data();
  std::size_t entries = 0;
  std::uint32_t row = 0;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end()) continue;
    const char* const begin = scanner.position();
    const std::uint64_t declared = scanner.integer(largest_id, size);
    scanner.expect_blank(begin, size);
    std::uint64_t found = 0;
    for (scanner.skip_blanks(); !scanner.at_line_end(); scanner.skip_blanks(), ++found) {
      const char* const at = scanner.position();
      const std::uint64_t word = scanner.integer(max_vertices - 2, pair);
      if (scanner.peek() != ':') scanner.fail(at, pair);
      scanner.step();
      const char* const number = scanner.position();
      const std::uint64_t times = scanner.integer(largest_count, count);
      scanner.expect_blank(number, count);
      rows[entries] = row;
      words[entries] = static_cast<std::uint32_t>(word);
      counts[entries] = static_cast<float>(times);
      documents.columns = std::max(documents.columns, word + 1);
      ++entries;
    }
    if (found != declared)
      throw BadText{begin, fmt::format("{} pairs declared", declared),
                    fmt::format("{}, which is how many follow", found)};
    ++row;
  }
  documents.row.cut(entries);
  documents.column.cut(entries);
  documents.value.cut(entries);
  documents.rows = row;
  return documents;
}

}  // namespace

LoadedGraph read_ldac(Communicator& comm, TextInput& input, const GraphOptions& options) {
  std::vector<Examples> blocks;
  do {
    add_blocks(blocks, input, options.threads, parse_documents);
  } while (input.next_file());
  std::uint64_t words = 0;
  for (const Examples& block : blocks) words = std::max(words, block.columns);
  LoadedGraph graph;
  graph.shape.targets = all_max(comm, words);
  take_examples(comm, input, options.threads, blocks, graph);
  graph.source_ids = RowIds(graph.shape.sources, 0);
  graph.target_ids = RowIds(graph.shape.targets, 0);
  return graph;
}

}  // namespace gas::loaders::detail
