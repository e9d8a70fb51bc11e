#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gas::loaders {

/// Element types of npy files, all little endian.
enum class NpyType { f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, f2 };

std::size_t npy_size(NpyType type);

struct NpyHeader {
  NpyType type = NpyType::f4;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes = 0;  // of the header: where the data begins

  std::uint64_t elements() const;
};

/// How many bytes of a file parse_npy_header needs; less if the file is shorter.
constexpr std::size_t npy_header_limit = 65536;

/// Reads the header at the beginning of `start`. InputError, naming `file`, if it is none that can
/// be read, or of more than 2⁶⁰ bytes of data.
NpyHeader parse_npy_header(const std::string& file, std::string_view start);

/// The header of a file in C order; a multiple of 64 bytes.
std::string npy_header(NpyType type, std::span<const std::uint64_t> shape);

/// Element i of raw data.
double npy_value(NpyType type, const char* data, std::size_t i);

/// Makes floats or doubles of raw data: as many elements as `out` holds.
using ToFloats = void (*)(const char* data, std::span<float> out);
using ToDoubles = void (*)(const char* data, std::span<double> out);
ToFloats npy_floats(NpyType type);
ToDoubles npy_doubles(NpyType type);
/// Whether there are elements of the type that a float does not hold.
bool npy_rounds(NpyType type);
/// Whether doubles do not.
bool npy_rounds_doubles(NpyType type);

}  // namespace gas::loaders
