#include "gas/base/error.hpp"

#include <fmt/format.h>

namespace gas {

InputError located_error(const std::string& file, std::uint64_t line, std::uint64_t column,
                         const std::string& found, const std::string& expected) {
  std::string place = file;
  if (line > 0) place += fmt::format(":{}", line);
  if (line > 0 && column > 0) place += fmt::format(":{}", column);
  return InputError(fmt::format("{}: found {}, expected {}", place, found, expected));
}

}  // namespace gas
