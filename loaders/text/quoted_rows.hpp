#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gas::loaders {

/// Finds the ends of rows whose fields may have line ends in quotation marks: each '\n' that has an
/// even number of quotation marks before it. The text may come in pieces; it begins with a row.
class RowEnds {
 public:
  static constexpr std::size_t none = std::string_view::npos;

  /// Where the next row ends, its '\n', in `text`, which begins as in the calls before and may have
  /// grown; `none` if that is not there yet. Looks at every byte once.
  std::size_t next(std::string_view text) {
    while (at_ < text.size()) {
      if (in_quotes_) {
        at_ = std::min(text.size(), text.find('"', at_));
        if (at_ == text.size()) return none;
        in_quotes_ = false;
        ++at_;
        continue;
      }
      at_ = std::min(text.size(), text.find_first_of("\"\n", at_));
      if (at_ == text.size()) return none;
      if (text[at_++] == '\n') return at_ - 1;
      in_quotes_ = true;
    }
    return none;
  }

 private:
  std::size_t at_ = 0;
  bool in_quotes_ = false;
};

/// A view of whole rows, one by one, without LF or CRLF. Advances `text`.
inline std::string_view take_row(std::string_view& text) {
  const std::size_t end = std::min(text.size(), RowEnds().next(text));
  std::string_view row = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  if (row.ends_with('\r')) row.remove_suffix(1);
  return row;
}

}  // namespace gas::loaders
