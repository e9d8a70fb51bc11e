// Pictures as PNG (ISO/IEC 15948) in data: addresses.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "tools/support/report/html.hpp"

namespace gas::tools::report {
namespace {

std::string big_endian(std::size_t number) {
  const auto bits = static_cast<std::uint32_t>(number);
  std::string four;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) four += static_cast<char>((bits >> shift) & 255U);
  return four;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string checked = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(data.size()) + checked + big_endian(sum);
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(data.data()), data.size(),
                Z_BEST_COMPRESSION) != Z_OK)
    throw RunError("a picture of the report cannot be compressed");
  packed.resize(size);
  return packed;
}

/// RFC 4648.
std::string base64(const std::string& data) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < data.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, data.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8U | (i < count ? static_cast<unsigned char>(data[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? letters[three >> (18U - 6U * static_cast<unsigned>(i)) & 63U] : '=';
  }
  return text;
}

}  // namespace

Html picture(const std::vector<double>& pixels, std::size_t side, std::string_view alt) {
  const auto [least, most] = std::ranges::minmax(pixels);
  const double range = most > least ? most - least : 1;
  std::string rows;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (i % side == 0) rows += '\0';  // no filter
    rows += static_cast<char>(std::lround(255 * (pixels[i] - least) / range));
  }
  const std::string gray_of_8_bits("\x08\0\0\0\0", 5);
  const std::string png = "\x89PNG\r\n\x1a\n" +
                          chunk("IHDR", big_endian(side) + big_endian(side) + gray_of_8_bits) +
                          chunk("IDAT", deflated(rows)) + chunk("IEND", "");
  return {
      fmt::format("<img class=\"centre\" width=\"{0}\" height=\"{0}\" alt=\"{1}\" "
                  "src=\"data:image/png;base64,{2}\">",
                  side, escaped(alt), base64(png))};
}

}  // namespace gas::tools::report
