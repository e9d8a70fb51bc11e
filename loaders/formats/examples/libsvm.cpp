#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "loaders/formats/examples/examples.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {
namespace {

/// What is expected where the token at `at` stands.
const char* expected(const char* at, std::uint64_t base) {
  if (*at == '|') return "COLUMN:VALUE; the line looks like VW (--format vw)";
  const char* colon = at;
  while (is_digit(*colon)) ++colon;
  if (*colon != ':' && (is_blank(*colon) || *colon == '\n' || *colon == '\r'))
    return "COLUMN:VALUE, as libsvm has it (for an edge list --format edges)";
  if (base == 0) return "COLUMN:VALUE with a column from 0";
  return at[0] == '0' && at[1] == ':' ? "COLUMN:VALUE with a column from 1 (for columns from 0 "
                                        "--index-base 0)"
                                      : "COLUMN:VALUE with a column from 1";
}

/// Skips "qid:N", which ranking data have in front of the features.
bool skip_query(Scanner& scanner) {
  const char* const begin = scanner.position();
  const char* at = begin;
  for (const char c : std::string_view("qid:"))
    if (*at++ != c) return false;
  while (scanner.position() != at) scanner.step();
  scanner.integer(largest_id, "the number of a query");
  if (!scanner.ends_token()) scanner.fail(begin, "qid:N with a whole number");
  return true;
}

}  // namespace

Examples parse_libsvm(std::string_view text, const LibsvmColumns& form,
                      std::atomic<bool>& queries) {
  constexpr const char* label = "a label (a finite number)";
  constexpr const char* value = "a finite number, the feature's value";
  const std::size_t most = text.size() / 4;  // " 1:2"
  Examples examples;
  examples.make_room(most);
  examples.labels = PageArray<double>(text.size() / 2);  // "1\n"
  std::uint32_t* rows = examples.row.data();
  std::uint32_t* columns = examples.column.data();
  float* values = examples.value.data();
  double* labels = examples.labels.data();
  const bool hashes = form.hash_bits > 0;
  const std::uint64_t end = hashes            ? largest_id + 1
                            : form.given != 0 ? form.given + form.base
                                              : form.most + form.base;
  std::uint64_t behind = form.base;  // the largest column
  std::size_t size = 0;
  std::uint32_t row = 0;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '#') continue;
    const char* begin = scanner.position();
    labels[row] = scanner.real<double>(label);
    scanner.expect_blank(begin, label);
    for (bool first = true;; first = false) {
      scanner.skip_blanks();
      if (scanner.at_line_end() || scanner.peek() == '#') break;
      begin = scanner.position();
      if (first && *begin == 'q' && skip_query(scanner)) {
        queries.store(true, std::memory_order_relaxed);
        continue;
      }
      if (!is_digit(*begin)) scanner.fail(begin, expected(begin, form.base));
      const std::uint64_t column = scanner.integer(largest_id, "a column");
      if (column < form.base || scanner.peek() != ':')
        scanner.fail(begin, expected(begin, form.base));
      scanner.step();
      const char* const number = scanner.position();
      const RoundedNumber x = scanner.rounded(value);
      scanner.expect_blank(number, value);
      if (column >= end) {
        if (form.given != 0) continue;
        scanner.fail(begin, fmt::format("a column of at most {}", end - 1).c_str());
      }
      behind = std::max(behind, column + 1);
      rows[size] = row;
      columns[size] =
          hashes ? hashed(column, form.hash_bits) : static_cast<std::uint32_t>(column - form.base);
      values[size] = x.value;
      if (Examples::is_large(x)) examples.keep_rest(size, x);
      ++size;
    }
    ++row;
  }
  examples.cut(size);
  examples.labels.cut(row);
  examples.rows = row;
  examples.columns = behind - form.base;
  return examples;
}

LoadedGraph read_libsvm(Communicator& comm, TextInput& input, const GraphOptions& options) {
  const LibsvmColumns form{options.columns, options.index_base};
  std::atomic<bool> queries{false};  // whether there was a qid:N
  std::vector<Examples> blocks;
  do {
    add_blocks(blocks, input, options.threads,
               [&](std::string_view text) { return parse_libsvm(text, form, queries); });
  } while (input.next_file());
  std::uint64_t columns = options.columns;
  for (const Examples& block : blocks) columns = std::max(columns, block.columns);

  LoadedGraph graph;
  graph.shape.targets = all_max(comm, columns);
  graph.target_ids = RowIds(graph.shape.targets, options.index_base, options.index_base);
  take_examples(comm, input, options.threads, blocks, graph);
  graph.source_ids = RowIds(graph.shape.sources, 1, 1);
  if (all_max(comm, queries.load() ? 1 : 0) != 0)
    graph.notes.push_back(fmt::format("{}: query ids (qid:N) are ignored", input.names()));
  return graph;
}

}  // namespace gas::loaders::detail
