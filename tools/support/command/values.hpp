#pragma once

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "gas/base/error.hpp"

namespace gas::tools {

/// Whether the whole text is such a number.
template <class Number>
bool parse_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

/// UsageError on the value of an option.
[[noreturn]] inline void refuse(const std::string& names, const std::string& found,
                                const std::string& expected) {
  throw UsageError(fmt::format("{}: found '{}', expected {}", names, found, expected));
}

}  // namespace gas::tools
