#include "loaders/binary/npy_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "gas/base/error.hpp"

namespace gas::loaders {
namespace {

/// A float of 16 bits: a sign, 5 of exponent, 10 of mantissa.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const std::uint32_t magnitude = bits & 0x7fffU;
    // With the exponent of a float, which counts from 112 below; so also what is subnormal.
    float value = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
    if (magnitude >= 0x7c00U) value = std::bit_cast<float>(magnitude << 13U | 0x7f800000U);
    return static_cast<double>((bits & 0x8000U) != 0 ? -value : value);
  }
};

template <class T>
double value_at(const char* data, std::size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

template <class T, class Value>
void values_from(const char* data, std::span<Value> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Value>(value_at<T>(data, i));
}

struct ElementType {
  std::string_view name;
  std::size_t size;
  double (*value)(const char* data, std::size_t i);
  void (*floats)(const char* data, std::span<float> out);
  void (*doubles)(const char* data, std::span<double> out);
  bool rounds;          // a float does not hold every one of them
  bool rounds_doubles;  // nor a double
};

template <class T>
constexpr ElementType element(std::string_view name) {
  return {name,
          sizeof(T),
          value_at<T>,
          values_from<T, float>,
          values_from<T, double>,
          std::numeric_limits<T>::digits > std::numeric_limits<float>::digits,
          std::numeric_limits<T>::digits > std::numeric_limits<double>::digits};
}

/// In the order of NpyType.
constexpr std::array<ElementType, 11> types{
    element<float>("<f4"),         element<double>("<f8"),        element<std::int8_t>("|i1"),
    element<std::int16_t>("<i2"),  element<std::int32_t>("<i4"),  element<std::int64_t>("<i8"),
    element<std::uint8_t>("|u1"),  element<std::uint16_t>("<u2"), element<std::uint32_t>("<u4"),
    element<std::uint64_t>("<u8"), element<Half>("<f2")};

const ElementType& about(NpyType type) { return types[static_cast<std::size_t>(type)]; }

/// What follows 'key': in the header's dictionary, or "" if the key is not there.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = dictionary.substr(at + key.size());
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == ':')) rest.remove_prefix(1);
  return rest;
}

InputError bad(const std::string& file, const std::string& found, const std::string& expected) {
  return located_error(file, 0, 0, found, expected);
}

std::vector<std::uint64_t> parse_shape(const std::string& file, std::string_view text) {
  const std::string_view all = text.substr(0, text.find(')'));
  const auto refuse = [&] {
    return bad(file, fmt::format("shape '{}'", all), "dimensions in parentheses");
  };
  if (!text.starts_with('(') || all.size() == text.size()) throw refuse();
  text = all.substr(1);
  std::vector<std::uint64_t> shape;
  while (!text.empty()) {
    if (text[0] == ' ') {
      text.remove_prefix(1);
      continue;
    }
    std::uint64_t extent = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (code != std::errc()) throw refuse();
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (text.empty()) break;
    if (text[0] != ',') throw refuse();
    text.remove_prefix(1);
  }
  return shape;
}

}  // namespace

std::size_t npy_size(NpyType type) { return about(type).size; }

std::uint64_t NpyHeader::elements() const {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : shape) product *= extent;
  return product;
}

NpyHeader parse_npy_header(const std::string& file, std::string_view start) {
  using namespace std::string_view_literals;
  if (!start.starts_with("\x93NUMPY"sv) || start.size() < 10)
    throw bad(file, "no npy header", "an npy file");
  const int version = start[6];
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || start.size() < 8 + length_bytes)
    throw bad(file, fmt::format("npy version {}", version), "version 1, 2 or 3");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(start[8 + i]);
  NpyHeader header;
  header.bytes = 8 + length_bytes + length;
  if (header.bytes > start.size())
    throw bad(file, "a truncated or oversized npy header", "a whole one of at most 64 KiB");
  const std::string_view dictionary = start.substr(8 + length_bytes, length);

  const std::string_view type = value_of(dictionary, "'descr'");
  const auto known = std::find_if(types.begin(), types.end(), [&](const ElementType& candidate) {
    return type.size() > 4 && type.substr(1, 3) == candidate.name;
  });
  if (known == types.end())
    throw bad(file, fmt::format("elements of type {}", type.substr(0, type.find(','))),
              "little-endian integers of 1 to 8 bytes or floats of 2, 4 or 8");
  header.type = static_cast<NpyType>(known - types.begin());

  const std::string_view order = value_of(dictionary, "'fortran_order'");
  header.fortran_order = order.starts_with("True");
  if (!header.fortran_order && !order.starts_with("False"))
    throw bad(file, "no fortran_order", "'fortran_order': True or False");
  header.shape = parse_shape(file, value_of(dictionary, "'shape'"));

  std::uint64_t left = (std::uint64_t{1} << 60) / known->size;
  const bool empty = std::find(header.shape.begin(), header.shape.end(), 0U) != header.shape.end();
  for (const std::uint64_t extent : header.shape) {
    if (!empty && extent > left)
      throw bad(file, "a shape beyond any memory", "at most 2^60 bytes of data");
    if (!empty) left /= extent;
  }
  return header;
}

std::string npy_header(NpyType type, std::span<const std::uint64_t> shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (", about(type).name);
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

double npy_value(NpyType type, const char* data, std::size_t i) {
  return about(type).value(data, i);
}

ToFloats npy_floats(NpyType type) { return about(type).floats; }
ToDoubles npy_doubles(NpyType type) { return about(type).doubles; }
bool npy_rounds(NpyType type) { return about(type).rounds; }
bool npy_rounds_doubles(NpyType type) { return about(type).rounds_doubles; }

}  // namespace gas::loaders
