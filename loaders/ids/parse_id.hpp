#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gas/base/text/parse_number.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders {

/// The id that the whole text is, if it is a number up to largest_id.
inline std::optional<std::uint64_t> parse_id(std::string_view text) {
  std::uint64_t id = 0;
  return parse_number(text, id) && id <= largest_id ? std::optional(id) : std::nullopt;
}

}  // namespace gas::loaders
