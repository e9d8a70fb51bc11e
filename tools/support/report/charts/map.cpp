#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "tools/support/report/section.hpp"

namespace gas::tools::report {
namespace {

constexpr double map_width = 400, least_radius = 4, tallest = 1.5 * map_width;
constexpr double covered = 0.25;  // of the square of that width, by all circles together

}  // namespace

std::string drawn(const Map& map) {
  if (map.places.empty()) return "";
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double left = infinite, right = -infinite, low = infinite, high = -infinite, all = 0, most = 0;
  for (const Map::Place& place : map.places) {
    left = std::min(left, place.x), right = std::max(right, place.x);
    low = std::min(low, place.y), high = std::max(high, place.y);
    all += place.share, most = std::max(most, place.share);
  }
  const auto radius = [&](double share) {
    const double area = all > 0 ? covered * map_width * map_width * share / all : 0;
    return std::max(least_radius, std::sqrt(area / std::numbers::pi));
  };
  const double margin = std::min(radius(most), map_width / 4) + 2;
  // One scale for both, so that distances are what they are.
  const double room = std::max({right - left, (high - low) * map_width / tallest, 1e-12});
  const double scale = (map_width - 2 * margin) / room;
  const double begin = (map_width - (right - left) * scale) / 2;
  std::string svg = fmt::format(
      "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {} {:.1f}\" role=\"img\" "
      "aria-label=\"{}\">",
      escaped(map.title), map_width, (high - low) * scale + 2 * margin,
      escaped(fmt::format("{}. {}", map.title, map.description)));
  for (const Map::Place& place : map.places) {
    const double x = begin + (place.x - left) * scale, y = margin + (high - place.y) * scale;
    fmt::format_to(std::back_inserter(svg),
                   "<g><title>{0}</title><circle class=\"place\" cx=\"{1:.1f}\" cy=\"{2:.1f}\" "
                   "r=\"{3:.1f}\"/><text x=\"{1:.1f}\" y=\"{4:.1f}\" "
                   "text-anchor=\"middle\">{0}</text></g>",
                   escaped(place.label), x, y, radius(place.share), y + 4);
  }
  return svg + "</svg></figure>\n";
}

}  // namespace gas::tools::report
