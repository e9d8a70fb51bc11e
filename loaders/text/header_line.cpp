#include "loaders/text/header_line.hpp"

#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {

HeaderNumbers read_header_line(Communicator& comm, TextInput& input,
                               const std::vector<HeaderField>& fields, std::size_t needed) {
  std::vector<std::uint64_t> found;  // the line's number, then the numbers in it
  std::uint64_t seen = 0;
  input.read_head([&](std::string_view line, std::uint64_t number) {
    if (!found.empty()) return false;
    seen = number;
    Scanner scanner(line);  // the line's end follows it in memory
    scanner.skip_blanks();
    if (scanner.at_line_end() || scanner.peek() == '%') return true;
    found.push_back(number);
    for (const HeaderField& field : fields) {
      scanner.skip_blanks();
      if (scanner.at_line_end() && found.size() > needed) break;
      const char* const begin = scanner.position();
      found.push_back(scanner.integer(field.most, field.expected.c_str()));
      if (!scanner.ends_token()) scanner.fail(begin, field.expected.c_str());
    }
    scanner.skip_blanks();
    if (!scanner.at_line_end()) scanner.fail("the end of the line");
    return true;
  });
  seen = broadcast(comm, std::span<const std::uint64_t>(&seen, 1))[0];
  found = broadcast(comm, std::span<const std::uint64_t>(found));
  together(comm, [&] {
    if (found.empty())
      throw located_error(shown(input.path()), seen + 1, 1, "the end of the file",
                          fields[0].expected);
  });
  return {{found.begin() + 1, found.end()}, found[0]};
}

void check_declared(Communicator& comm, const TextInput& input, std::uint64_t line,
                    std::uint64_t declared, std::uint64_t found, const char* what) {
  together(comm, [&] {
    if (found != declared)
      throw located_error(shown(input.path()), line, 1,
                          fmt::format("{} {} declared", declared, what),
                          fmt::format("{}, which is how many follow", found));
  });
}

}  // namespace gas::loaders
