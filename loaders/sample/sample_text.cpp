#include "loaders/sample/sample_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>

#include "loaders/text/byte_stream.hpp"

namespace gas::loaders {
namespace {

constexpr std::size_t start_bytes = std::size_t{128} << 10;
constexpr std::size_t text_bytes = std::size_t{1} << 20;
constexpr std::size_t pieces = 16;

/// Lines that are longer are not looked at.
constexpr std::size_t longest_line = std::size_t{256} << 20;

std::string read_at(const PlainFile& file, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(file.read_at(offset, bytes));
  return bytes;
}

/// The whole lines of a piece; `begins`, `ends`: it does so with a line.
std::string_view whole_lines(std::string_view piece, bool begins, bool ends) {
  if (!begins) piece.remove_prefix(std::min(piece.find('\n'), piece.size() - 1) + 1);
  return ends ? piece : piece.substr(0, piece.rfind('\n') + 1);  // npos + 1 is 0
}

/// Of files behind the first the first line, which may be a header, is left out.
void add_lines(std::string& text, std::string_view piece, bool begins, bool ends) {
  text += whole_lines(piece, begins, ends);
  if (!text.empty() && text.back() != '\n') text += '\n';
}

/// Whether a header and a row are whole.
bool has_two_lines(std::string_view text) { return std::ranges::count(text, '\n') > 1; }

std::string read_start(const PlainFile& file) {
  std::size_t enough = start_bytes;
  std::string start = read_at(file, 0, enough);
  while (start.size() == enough && enough < longest_line && !has_two_lines(start))
    start = read_at(file, 0, enough *= 2);
  return start;
}

void sample_plain(const PlainFile& file, std::size_t budget, TextSample& sample) {
  const std::uint64_t size = file.size();
  sample.bytes += static_cast<double>(size);
  if (sample.start.empty()) sample.start = read_start(file);
  const bool first = sample.text.empty();
  if (size <= budget) return add_lines(sample.text, read_at(file, 0, budget), first, true);
  const std::size_t before = sample.text.size();
  std::uint64_t taken = 0;  // where the lines end that were taken
  for (std::size_t i = 0; i < pieces && sample.text.size() - before < budget; ++i) {
    std::size_t piece = budget / pieces;
    const std::uint64_t planned = i + 1 < pieces ? (size - piece) / (pieces - 1) * i : size - piece;
    const std::uint64_t offset = std::max(planned, taken);
    const bool begins = i == 0 ? first : offset == taken;
    while (true) {
      const std::string text = read_at(file, offset, piece);
      const bool ends = offset + text.size() >= size;
      const std::string_view lines = whole_lines(text, begins, ends);
      if (!lines.empty()) {
        taken = offset + static_cast<std::uint64_t>(lines.data() + lines.size() - text.data());
        add_lines(sample.text, lines, true, true);
      }
      if (!lines.empty() || ends || piece >= longest_line) break;
      piece *= 2;
    }
  }
}

/// What a packed file says that it unpacks to: gzip in its last bytes, modulo 2³²; zstd in its
/// first ones, perhaps.
std::optional<double> told_size(const PlainFile& file, double expected) {
  const std::string head = read_at(file, 0, 18);
  std::uint64_t told = 0;
  if (head.starts_with("\x1f\x8b")) {
    const std::string tail = read_at(file, file.size() - 4, 4);
    std::memcpy(&told, tail.data(), tail.size());
    const double turn = 0x1p32;
    const double rest = static_cast<double>(told);
    return rest + turn * std::max(0.0, std::round((expected - rest) / turn));
  }
  if (head.size() < 18) return std::nullopt;
  const auto descriptor = static_cast<unsigned char>(head[4]);
  const bool single = (descriptor & 0x20U) != 0;
  const std::size_t dictionary[] = {0, 1, 2, 4}, sizes[] = {single ? 1U : 0U, 2, 4, 8};
  const std::size_t at = 5 + (single ? 0U : 1U) + dictionary[descriptor & 3U];
  const std::size_t size = sizes[descriptor >> 6U];
  if (size == 0) return std::nullopt;
  std::memcpy(&told, head.data() + at, std::min(size, head.size() - at));
  return static_cast<double>(size == 2 ? told + 256 : told);
}

void sample_packed(const std::string& path, ByteStream& stream, std::size_t budget,
                   TextSample& sample) {
  const PlainFile file(path);
  std::string text;
  std::size_t size = 0;
  bool ended = false;
  for (std::size_t enough = std::max(budget, start_bytes);; enough *= 2) {
    text.resize(enough);
    while (size < enough && !ended) {
      const std::size_t count = stream.read(std::span(text).subspan(size));
      ended = count == 0;
      size += count;
    }
    text.resize(size);
    if (ended || enough >= longest_line || has_two_lines(text)) break;
  }
  sample.at_ends = sample.at_ends && ended;
  if (sample.start.empty()) {
    sample.start = text.substr(0, start_bytes);
    if (!has_two_lines(sample.start)) sample.start = text;
  }
  add_lines(sample.text, text, sample.text.empty(), ended);
  if (ended || stream.taken() == 0) {
    sample.bytes += static_cast<double>(size);
    return;
  }
  const double by_sample = static_cast<double>(size) * static_cast<double>(file.size()) /
                           static_cast<double>(stream.taken());
  // A file of several packed pieces tells the size of one of them.
  const double told = told_size(file, by_sample).value_or(0);
  sample.bytes += told > by_sample / 3 ? told : by_sample;
}

}  // namespace

TextSample sample_text(std::span<const std::string> paths) {
  TextSample sample;
  sample.streamed = paths.size() > 1;
  const std::size_t budget = std::max(text_bytes / paths.size(), text_bytes / 64);
  for (const std::string& path : paths) {
    const Opened opened = open_stream(path);
    if (opened.plain)
      sample_plain(PlainFile(path), budget, sample);
    else
      sample_packed(path, *opened.stream, budget, sample);
    sample.streamed = sample.streamed || !opened.plain;
  }
  for (std::string* text : {&sample.text, &sample.start})
    if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  return sample;
}

}  // namespace gas::loaders
