#include "partition/part_file.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "gas/graph/error.hpp"

namespace gas::partition {
namespace {

static_assert(std::endian::native == std::endian::little, "part files are written as they lie");

constexpr std::uint64_t magic = 0x31545241'50534147;  // "GASPART1"

struct Header {
  std::uint64_t magic_word, part, parts, weighted, edges, source_masters, target_masters, zero;
};

template <class T>
void append(Bytes& bytes, const std::vector<T>& values) {
  const auto raw = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

/// Rows are 64-bit words in the file.
void append_rows(Bytes& bytes, const std::vector<Row>& rows) {
  append(bytes, std::vector<std::uint64_t>(rows.begin(), rows.end()));
}

template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, std::uint64_t count) {
  const auto raw = bytes.first(count * sizeof(T));
  bytes = bytes.subspan(raw.size());
  return from_bytes<T>(raw);
}

}  // namespace

std::string part_file_name(Part part) { return fmt::format("part-{:05}.bin", part); }

Bytes encode_part(const PartContent& content, Part part, Part parts) {
  const EdgeList& edges = content.edges;
  const std::array<Header, 1> header{
      {{magic, part, parts, edges.weighted() ? 1U : 0U, edges.size(), content.source_masters.size(),
        content.target_masters.size(), 0}}};
  Bytes bytes = to_bytes(std::span<const Header>(header));
  bytes.reserve(bytes.size() + 28 * edges.size() + 8 * content.source_masters.size() +
                8 * content.target_masters.size());
  append_rows(bytes, edges.source);
  append_rows(bytes, edges.target);
  append(bytes, content.position);
  append_rows(bytes, content.source_masters);
  append_rows(bytes, content.target_masters);
  append(bytes, edges.value);
  return bytes;
}

PartContent decode_part(std::span<const std::byte> bytes, Part part, Part parts,
                        const std::string& path) {
  const std::uint64_t size = bytes.size();
  const auto expect = [&](bool right) {
    if (!right)
      throw located_error(path, 0, 0, "a damaged or foreign file",
                          fmt::format("part {} of {}", part, parts));
  };
  expect(size >= sizeof(Header));
  const Header header = take<Header>(bytes, 1)[0];
  expect(header.magic_word == magic && header.part == part && header.parts == parts &&
         header.weighted <= 1);
  expect(header.edges <= size && header.source_masters <= size && header.target_masters <= size);
  expect(size == sizeof(Header) + (24 + 4 * header.weighted) * header.edges +
                     8 * (header.source_masters + header.target_masters));
  const auto take_rows = [&](std::uint64_t count) {
    std::vector<Row> rows;
    rows.reserve(count);
    for (const std::uint64_t word : take<std::uint64_t>(bytes, count)) {
      expect(word < max_rows);
      rows.push_back(to_row(word));
    }
    return rows;
  };
  PartContent content;
  content.edges.source = take_rows(header.edges);
  content.edges.target = take_rows(header.edges);
  content.position = take<std::uint64_t>(bytes, header.edges);
  content.source_masters = take_rows(header.source_masters);
  content.target_masters = take_rows(header.target_masters);
  content.edges.value = take<float>(bytes, header.weighted * header.edges);
  return content;
}

}  // namespace gas::partition
