#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gas {

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn one word into
/// the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

/// For messages about a mistyped name: "; did you mean 'X'?" with the nearest candidate (the first
/// of equals), or "" if none is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace gas
