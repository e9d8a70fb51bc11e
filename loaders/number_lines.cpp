#include "loaders/number_lines.hpp"

#include "gas/base/page_array.hpp"
#include "loaders/text/blocks.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {
namespace {

PageArray<std::uint32_t> parse_numbers(std::string_view text, std::uint32_t largest,
                                       const char* expected) {
  PageArray<std::uint32_t> numbers(text.size() / 2);  // "1\n"
  std::size_t size = 0;
  for (Scanner scanner(text); !scanner.at_end(); scanner.next_line()) {
    scanner.skip_blanks();
    const char* const begin = scanner.position();
    const std::uint64_t number = scanner.integer(largest, expected);
    if (!scanner.ends_token()) scanner.fail(begin, expected);
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line after one number");
    numbers.data()[size++] = static_cast<std::uint32_t>(number);
  }
  numbers.cut(size);
  return numbers;
}

}  // namespace

NumberLines::NumberLines(Communicator& comm, const std::string& path, std::uint32_t largest,
                         const std::string& expected) {
  TextInput input(comm, path);
  auto blocks = parse_blocks<PageArray<std::uint32_t>>(input, 1, [&](std::string_view text) {
    return parse_numbers(text, largest, expected.c_str());
  });
  const auto pieces = count_pieces(
      input, blocks, [](const PageArray<std::uint32_t>& numbers) { return numbers.size(); });
  stretches_ = in_file_order(comm, pieces, size_);
  numbers_ = join<std::uint32_t>(
      blocks, [](PageArray<std::uint32_t> & numbers) -> auto& { return numbers; });
}

std::vector<std::uint32_t> NumberLines::share(Communicator& comm,
                                              std::span<const std::uint64_t> bounds) const {
  if (comm.size() == 1)
    return {numbers_.begin() + static_cast<std::ptrdiff_t>(bounds[0]),
            numbers_.begin() + static_cast<std::ptrdiff_t>(bounds[1])};
  return move_to(comm, stretches_, numbers_, bounds);
}

}  // namespace gas::loaders
