#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace gas {

/// Whether the whole text is a number that `number` can hold, which it is then. No blanks and no
/// plus sign; floats may also be inf and nan.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace gas
