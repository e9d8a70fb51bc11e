#include "tools/support/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <variant>

namespace gas::tools::report {
namespace {

constexpr std::size_t longest_name = 60;

/// How many bytes the character has that begins here; 0 for what is no UTF-8.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  const unsigned char second = byte(1);  // too long a form, a surrogate, beyond Unicode
  if ((first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU) ||
      (first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU))
    return 0;
  return length;
}

std::string_view as_entity(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

Html exact(const std::string& value, const std::string& shown) {
  return {fmt::format("<data value=\"{}\">{}</data>", escaped(value), escaped(shown))};
}

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

double within(double share, double least) {
  return std::isfinite(share) ? std::clamp(share, least, 1.0) : 0;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool control = (first < 0x20U && text[0] != '\n' && text[0] != '\t') || first == 0x7FU;
    if (length == 0 || control)
      safe += "\xEF\xBF\xBD";
    else if (const auto entity = as_entity(text[0]); !entity.empty())
      safe += entity;
    else
      safe += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return safe;
}

Html text(std::string_view text) { return {escaped(text)}; }

Html name(std::string_view name) {
  std::size_t end = 0, characters = 0;
  while (end < name.size() && characters < longest_name) {
    end += std::max<std::size_t>(1, character(name.substr(end)));
    ++characters;
  }
  return {escaped(name.substr(0, end)) + (end < name.size() ? "…" : "")};
}

Html code(std::string_view text) { return {fmt::format("<code>{}</code>", escaped(text))}; }

Html figure(std::uint64_t count) { return exact(std::to_string(count), grouped(count)); }

Html figure(double measure) {
  if (!std::isfinite(measure)) return text(fmt::format("{}", measure));
  return exact(fmt::format("{}", measure), fmt::format("{:.6g}", measure));
}

Html seconds(double seconds) {
  return exact(fmt::format("{}", seconds), seconds < 0.9995 ? fmt::format("{:.3f} s", seconds)
                                                            : fmt::format("{:.4g} s", seconds));
}

Html bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"bytes", "kB", "MB", "GB", "TB"};
  auto shown = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; shown >= 999.5 && unit + 1 < units.size(); ++unit) shown /= 1000;
  return exact(std::to_string(bytes), fmt::format("{:.3g} {}", shown, units[unit]));
}

Html percent(double share) {
  return exact(fmt::format("{}", share), fmt::format("{:.3g} %", 100 * share));
}

Html value(const Value& value) {
  return std::visit(
      [](const auto& v) -> Html {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, std::monostate>)
          return text("–");
        else if constexpr (std::is_same_v<V, bool>)
          return text(v ? "yes" : "no");
        else if constexpr (std::is_same_v<V, std::string>)
          return name(v);
        else
          return figure(v);
      },
      value);
}

Html bar(double share, bool sides) {
  const double length = within(share, -1);
  const double width = std::abs(length) * (sides ? 50 : 100);
  const double left = !sides ? 0 : length < 0 ? 50 - width : 50;
  return {
      fmt::format("<span class=\"bar{}\" aria-hidden=\"true\"><i class=\"s{}\" "
                  "style=\"left:{:.1f}%;width:{:.1f}%\"></i></span>",
                  sides ? " sides" : "", length < 0 ? 1 : 0, left, width)};
}

Html stacked(std::initializer_list<double> shares) {
  std::string bars;
  double left = 0;
  int kind = 0;
  for (const double share : shares) {
    const double width = 100 * within(share, 0);
    bars += fmt::format("<i class=\"s{}\" style=\"left:{:.1f}%;width:{:.1f}%\"></i>", kind++, left,
                        std::min(width, 100 - left));
    left = std::min(100.0, left + width);
  }
  return {fmt::format("<span class=\"bar\" aria-hidden=\"true\">{}</span>", bars)};
}

Html heat(const Html& number, double share) {
  return {fmt::format("<span class=\"heat\" style=\"--h:{:.2f}\">{}</span>", within(share, 0),
                      number.text)};
}

}  // namespace gas::tools::report
