#include "loaders/text/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace gas::loaders {

InputError line_too_long(const std::string& path) {
  return located_error(shown(path), 0, 0, "a line of more than 1 GiB", "shorter lines");
}

void LineReader::reserve(std::size_t capacity, std::size_t filled) {
  if (capacity <= capacity_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (filled > 0) std::memcpy(larger.get(), buffer_.get(), filled);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

std::string_view LineReader::read(const PlainFile& file, std::uint64_t body, std::uint64_t begin,
                                  std::uint64_t end) {
  constexpr std::size_t more = 65536;
  if (begin >= end) return {};
  // From the byte before on: a '\n' there makes `begin` the first of a line.
  const std::uint64_t from = begin > body ? begin - 1 : begin;
  const auto wanted = static_cast<std::size_t>(end - from);
  reserve(wanted + more, 0);
  std::size_t size = file.read_at(from, {buffer_.get(), wanted});
  if (size < wanted)
    throw located_error(shown(file.path()), 0, 0, "the end of a file that has become shorter",
                        fmt::format("{} bytes, as when it was opened", file.size()));
  bool ended = false;
  std::size_t skipped = 0;
  if (from < begin) {
    const void* const found = std::memchr(buffer_.get(), '\n', size);
    if (found == nullptr) return {};
    skipped = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get()) + 1;
  }
  if (skipped == size) return {};
  while (!ended && buffer_[size - 1] != '\n') {
    if (size > wanted + longest_line) throw line_too_long(file.path());
    reserve(size + std::max(more, size - wanted) + 1, size);
    const std::size_t room = capacity_ - size - 1;
    const std::size_t count = file.read_at(from + size, {buffer_.get() + size, room});
    ended = count < room;
    const void* const found = std::memchr(buffer_.get() + size, '\n', count);
    size +=
        found == nullptr
            ? count
            : static_cast<std::size_t>(static_cast<const char*>(found) - (buffer_.get() + size)) +
                  1;
    if (found != nullptr) break;
  }
  if (buffer_[size - 1] != '\n') {
    reserve(size + 1, size);
    buffer_[size++] = '\n';
  }
  offset_ = from + skipped;
  return {buffer_.get() + skipped, size - skipped};
}

}  // namespace gas::loaders
