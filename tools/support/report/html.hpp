#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/support/show/facts.hpp"

namespace gas::tools::report {

/// A piece of a page. Only what is made below, of escaped text, is put into one.
struct Html {
  std::string text;
};

/// Text as it stands, for an element or an attribute in double quotes: what HTML means otherwise is
/// escaped; control characters, and bytes that are no UTF-8, become U+FFFD.
std::string escaped(std::string_view text);

Html text(std::string_view text);
/// A name from the input, which may have any length: its first 60 characters.
Html name(std::string_view name);
/// On a line of its own, in the letters of a terminal.
Html code(std::string_view text);

// Numbers: shown in few digits, with the exact one as <data value>.
Html figure(std::uint64_t count);
Html figure(double measure);
Html seconds(double seconds);
Html bytes(std::uint64_t bytes);
Html percent(double share);
Html value(const Value& value);

/// A bar for people who see it, as long as `share` of its cell: 0 to 1, or from the middle to
/// either side for −1 to 1 if `sides`. The number beside it says the same.
Html bar(double share, bool sides = false);
/// Such bars of several kinds (six at most), one behind the other.
Html stacked(std::initializer_list<double> shares);
/// A number on a ground that is the darker the larger its share of the largest is.
Html heat(const Html& number, double share);

/// A picture of side × side numbers, the largest bright; `alt` says in words what it shows.
Html picture(const std::vector<double>& pixels, std::size_t side, std::string_view alt);

}  // namespace gas::tools::report
