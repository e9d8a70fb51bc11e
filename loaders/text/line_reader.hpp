#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "gas/base/error.hpp"
#include "loaders/text/byte_stream.hpp"

namespace gas::loaders {

constexpr std::size_t longest_line = std::size_t{1} << 30;

/// InputError for a line beyond that.
InputError line_too_long(const std::string& path);

/// Reads lines of a plain file by where they begin, so that ranges that cover a file give every
/// line once. One thread at a time; keeps its memory for the next call.
class LineReader {
 public:
  /// The lines that begin at `begin` … `end` − 1, the last with a '\n' even if the file's last has
  /// none; valid until the next call. A line begins at `body` and behind every '\n'. InputError if
  /// the file ends before `end`.
  std::string_view read(const PlainFile& file, std::uint64_t body, std::uint64_t begin,
                        std::uint64_t end);
  /// Where in the file the lines of the last call begin.
  std::uint64_t offset() const { return offset_; }

 private:
  void reserve(std::size_t capacity, std::size_t filled);

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace gas::loaders
