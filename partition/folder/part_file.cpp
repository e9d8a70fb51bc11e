#include "partition/folder/part_file.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "gas/base/error.hpp"

namespace gas::partition {
namespace {

static_assert(std::endian::native == std::endian::little,
              "part files are little-endian: they need a machine that is little-endian, too");

constexpr std::uint64_t magic = 0x32545241'50534147;  // "GASPART2"
constexpr std::size_t arrays = 11;

struct Header {
  std::uint64_t magic_word, part, parts, values;
  std::array<std::uint64_t, arrays> lengths;
  std::uint64_t zero;
};
static_assert(sizeof(Header) == 16 * sizeof(std::uint64_t));

enum Values : std::uint64_t { none, floats, doubles };

/// Calls f(array) for each array of the file, in order.
template <class Content, class F>
void for_each_array(Content& content, std::uint64_t values, F f) {
  f(content.edges.source);
  f(content.edges.target);
  if (values == doubles)
    f(content.edges.wide_value);
  else
    f(content.edges.value);
  for (auto* tables : {&content.sources, &content.targets}) {
    f(tables->masters);
    f(tables->names.numbers);
    f(tables->names.text);
    f(tables->labels);
  }
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

std::string part_file_name(Part part) { return fmt::format("part-{:05}.bin", part); }

Bytes encode_part(const PartContent& content, Part part, Part parts) {
  const Values values = !content.edges.value.empty()        ? floats
                        : !content.edges.wide_value.empty() ? doubles
                                                            : none;
  std::array<Header, 1> header{{{magic, part, parts, values, {}, 0}}};
  std::uint64_t size = sizeof(Header);
  std::size_t next = 0;
  for_each_array(content, values, [&](const auto& array) {
    header[0].lengths[next++] = array.size();
    size += padded(array.size() * sizeof(array[0]));
  });
  Bytes bytes = to_bytes(std::span<const Header>(header));
  bytes.reserve(size);
  for_each_array(content, values, [&](const auto& array) {
    const auto raw = std::as_bytes(std::span(array));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    bytes.resize(padded(bytes.size()));
  });
  return bytes;
}

PartView view_part(std::span<const std::byte> bytes, Part part, Part parts,
                   const std::string& path) {
  const auto expect = [&](bool right) {
    if (!right)
      throw located_error(path, 0, 0, "a damaged file or one of another program",
                          fmt::format("part {} of {}", part, parts));
  };
  expect(bytes.size() >= sizeof(Header));
  const Header header = from_bytes<Header>(bytes.first(sizeof(Header)))[0];
  expect(header.magic_word == magic && header.part == part && header.parts == parts &&
         header.values <= doubles && header.zero == 0);
  PartView view;
  std::uint64_t at = sizeof(Header);
  std::size_t next = 0;
  for_each_array(view, header.values, [&](auto& array) {
    using Value = typename std::decay_t<decltype(array)>::element_type;
    const std::uint64_t length = header.lengths[next++];
    expect(length <= bytes.size() && padded(length * sizeof(Value)) <= bytes.size() - at);
    array = {reinterpret_cast<Value*>(bytes.data() + at), length};
    at += padded(length * sizeof(Value));
  });
  const auto& edges = view.edges;
  expect(at == bytes.size() && edges.target.size() == edges.source.size() &&
         edges.value.size() + edges.wide_value.size() ==
             (header.values == none ? 0 : edges.source.size()));
  return view;
}

}  // namespace gas::partition
