#pragma once

#include <span>
#include <string>

namespace gas::tools {

/// The candidate that a mistyped name was most likely meant to be (fewest insertions, deletions,
/// replacements and swaps of neighbours; the first of equals), or "" if none is near.
std::string nearest(const std::string& mistyped, std::span<const std::string> candidates);

/// " (did you mean X?)" or "": to be added to a message.
std::string suggestion(const std::string& mistyped, std::span<const std::string> candidates);

}  // namespace gas::tools
