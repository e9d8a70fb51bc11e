#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gas/base/error.hpp"
#include "loaders/binary/binary_points.hpp"

// IDX: two zero bytes, the type of the elements, the number of dimensions; then the dimensions as
// unsigned 32-bit numbers and the elements in C order, all big endian.

namespace gas::loaders::detail {
namespace {

constexpr std::size_t most_dimensions = 255;

template <std::size_t size>
auto big_endian(const char* data) {
  using Unsigned = std::conditional_t<
      size == 1, std::uint8_t,
      std::conditional_t<size == 2, std::uint16_t,
                         std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(data[i]);
  return static_cast<Unsigned>(value);
}

template <class T, class Value>
void values_from(const char* data, std::span<Value> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<Value>(std::bit_cast<T>(big_endian<sizeof(T)>(data + i * sizeof(T))));
}

struct ElementType {
  char code;
  std::size_t size;
  void (*floats)(const char* data, std::span<float> out);
  void (*doubles)(const char* data, std::span<double> out);
  bool rounds;  // a float does not hold every one of them
};

template <class T>
constexpr ElementType element(char code) {
  return {code, sizeof(T), values_from<T, float>, values_from<T, double>,
          std::numeric_limits<T>::digits > std::numeric_limits<float>::digits};
}

constexpr std::array<ElementType, 6> types{element<std::uint8_t>(0x08), element<std::int8_t>(0x09),
                                           element<std::int16_t>(0x0b), element<std::int32_t>(0x0c),
                                           element<float>(0x0d),        element<double>(0x0e)};

/// `start`: the first bytes of the file, enough for 255 dimensions unless it is shorter.
BinaryArray parse_header(const std::string& file, std::string_view start) {
  const auto refuse = [&](const std::string& found, const char* expected) {
    return located_error(file, 0, 0, found, expected);
  };
  if (start.size() < 4 || start[0] != 0 || start[1] != 0)
    throw refuse("no IDX header", "an IDX file");
  const auto type = std::find_if(types.begin(), types.end(),
                                 [&](const ElementType& known) { return known.code == start[2]; });
  if (type == types.end())
    throw refuse(fmt::format("elements of type {:#04x}", static_cast<unsigned char>(start[2])),
                 "0x08 or 0x09 (one byte), 0x0b, 0x0c (integers), 0x0d or 0x0e (floats)");
  const auto dimensions = static_cast<std::size_t>(static_cast<unsigned char>(start[3]));
  if (dimensions == 0)
    throw refuse("0 dimensions", "at least one: the first is the number of rows");
  BinaryArray array{.format = Format::idx,
                    .header_bytes = 4 + 4 * dimensions,
                    .element_bytes = type->size,
                    .columns = 1,
                    .floats = type->floats,
                    .doubles = type->doubles,
                    .rounds = type->rounds};
  if (start.size() < array.header_bytes)
    throw refuse("a truncated IDX header", "a size for each dimension");
  std::uint64_t left = (std::uint64_t{1} << 60) / type->size;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::uint64_t extent = big_endian<4>(start.data() + 4 + 4 * i);
    if (extent > left) throw refuse("a shape beyond any memory", "at most 2^60 bytes of data");
    left = extent == 0 ? left : left / extent;
    if (i == 0) {
      array.rows = extent;
    } else {
      array.columns *= extent;
    }
  }
  return array;
}

}  // namespace

BinaryArray idx_array(Communicator& comm, TextInput& input) {
  const std::vector<char> start = binary_start(comm, input, 4 + 4 * most_dimensions);
  BinaryArray array;
  together(comm, [&] { array = parse_header(shown(input.path()), {start.data(), start.size()}); });
  return array;
}

}  // namespace gas::loaders::detail
