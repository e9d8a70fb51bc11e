#include "loaders/formats/line_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gas/base/error.hpp"

namespace gas::loaders::detail {
namespace {

/// What stands before the entries: the weight to keep, and the line's value, if it has them.
struct Start {
  std::uint32_t weight = Lists::no_weight;
  double value = 1;
};

Start read_start(Scanner& scanner, const ListForm& form) {
  constexpr const char* any = "a weight, a whole number";
  constexpr const char* kept = "a weight, a whole number from 0 to 2147483647";
  Start start;
  for (std::uint64_t i = 1; i <= form.skipped; ++i) {
    const char* const begin = scanner.position();
    const char* const expected = i == form.kept ? kept : any;
    const std::uint64_t found = scanner.integer(i == form.kept ? 0x7fffffff : largest_id, expected);
    if (!scanner.ends_token()) scanner.fail(begin, expected);
    if (i == form.kept) start.weight = static_cast<std::uint32_t>(found);
    scanner.skip_blanks();
  }
  if (!form.line_value) return start;
  start.value = form.rule.read(scanner);
  scanner.skip_blanks();
  return start;
}

Lists parse_lists(std::string_view text, const ListForm& form) {
  const std::size_t most = text.size() / 2;  // "1 2\n"
  Lists lists{PageArray<std::uint32_t>(most), PageArray<std::uint32_t>(most),
              ValueBlock(form.valued() ? most : 0, form.rule.wide),
              PageArray<std::uint32_t>(form.kept > 0 ? text.size() : 0)};
  std::size_t size = 0;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    if (scanner.peek() == '%') continue;
    const bool empty = scanner.at_line_end();
    if (empty && !form.empty_lines) continue;
    const auto line = static_cast<std::uint32_t>(lists.lines++);
    const Start start = empty ? Start{} : read_start(scanner, form);
    if (form.kept > 0) lists.weight.data()[line] = start.weight;
    if (empty) continue;
    lists.used = lists.lines;
    double value = start.value;
    const std::size_t first = size;
    while (!scanner.at_line_end()) {
      const char* const begin = scanner.position();
      const std::uint64_t entry = scanner.integer(largest_id, form.entry.c_str());
      if (!scanner.ends_token()) scanner.fail(begin, form.entry.c_str());
      scanner.skip_blanks();
      const bool known = entry >= 1 && entry <= form.largest;
      const bool lone = form.lone_numbers && size == first && scanner.at_line_end();
      if (!known && !lone) scanner.fail(begin, form.entry.c_str());
      if (form.entry_values) value = form.rule.read(scanner);
      scanner.skip_blanks();
      lists.line.data()[size] = line;
      lists.entry.data()[size] = known ? static_cast<std::uint32_t>(entry - 1) : Lists::outside;
      if (form.valued()) lists.value.put(size, value);
      ++size;
    }
  }
  lists.line.cut(size);
  lists.entry.cut(size);
  if (form.valued()) lists.value.cut(size);
  if (form.kept > 0) lists.weight.cut(lists.lines);
  return lists;
}

}  // namespace

AllLists read_lists(Communicator& comm, TextInput& input, unsigned threads, const ListForm& form) {
  AllLists all;
  all.blocks = parse_blocks<Lists>(input, threads,
                                   [&](std::string_view text) { return parse_lists(text, form); });
  const auto lines = [](const Lists& lists) { return lists.lines; };
  all.stretches = in_file_order(comm, count_pieces(input, all.blocks, lines), all.lines);
  check_rows(comm, all.lines);
  const auto first = first_of_blocks(input, all.blocks, all.stretches, lines);
  for (std::size_t i = 0; i < all.blocks.size(); ++i)
    if (all.blocks[i].used > 0) all.used = std::max(all.used, first[i] + all.blocks[i].used);
  all.used = all_max(comm, all.used);
  in_parallel(threads, all.blocks.size(), [&](unsigned, std::size_t i) {
    const auto begin = static_cast<std::uint32_t>(first[i]);
    for (std::uint32_t& line : all.blocks[i].line.view()) line += begin;
  });
  return all;
}

void look_again(Communicator& comm, const TextInput& input, std::uint64_t header_line,
                const ListForm& form, std::uint64_t list,
                const std::function<void(Scanner& scanner)>& look) {
  TextInput again(comm, input.path());
  std::uint64_t lists = 0;
  again.read_head([&](std::string_view line, std::uint64_t number) {
    if (number <= header_line) return true;
    Scanner scanner(line);  // the line's end follows it in memory
    scanner.skip_blanks();
    if (scanner.peek() == '%' || (scanner.at_line_end() && !form.empty_lines)) return true;
    if (lists++ != list) return true;
    look(scanner);
    return false;
  });
}

void refuse_entry(Communicator& comm, const TextInput& input, std::uint64_t header_line,
                  const ListForm& form, const ListedEntry& wanted, const std::string& found,
                  const std::string& expected) {
  look_again(comm, input, header_line, form, wanted.line, [&](Scanner& scanner) {
    read_start(scanner, form);
    while (!scanner.at_line_end()) {
      const char* const begin = scanner.position();
      const std::uint64_t entry = scanner.integer(largest_id, form.entry.c_str());
      scanner.skip_blanks();
      const double value = form.entry_values ? form.rule.read(scanner) : wanted.value;
      scanner.skip_blanks();
      if (entry == std::uint64_t{wanted.entry} + 1 && value == wanted.value)
        throw BadText{begin, found, expected};
    }
  });
  throw located_error(shown(input.path()), 0, 0, found, expected);
}

}  // namespace gas::loaders::detail
