// Charts as SVG: they need no script, grow with the page, and take its colours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "tools/support/report/charts/axis.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools::report {
namespace {

constexpr double width = 400, height = 270, top_margin = 26, bottom_margin = 42, right_margin = 14,
                 letter_width = 9.4;
constexpr std::size_t most_points = 400, most_rows = 25;

using Points = std::vector<std::pair<double, double>>;

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double number) { least = std::min(least, number), most = std::max(most, number); }
};

/// Every so many, with the first and the last.
Points thinned(const Points& points, std::size_t most) {
  if (points.size() <= most) return points;
  Points some;
  for (std::size_t i = 0; i < most; ++i)
    some.push_back(points[i * (points.size() - 1) / (most - 1)]);
  return some;
}

std::vector<LineChart::Series> shown_series(const LineChart& chart) {
  std::vector<LineChart::Series> all;
  for (const LineChart::Series& series : chart.series) {
    LineChart::Series kept{series.name, {}};
    for (const auto& [x, y] : series.points)
      if (std::isfinite(x) && std::isfinite(y) && !(chart.log_x && x <= 0) &&
          !(chart.log_y && y <= 0))
        kept.points.emplace_back(x, y);
    kept.points = thinned(kept.points, most_points);
    if (!kept.points.empty()) all.push_back(std::move(kept));
  }
  return all;
}

/// What the picture shows, for those who do not see it.
std::string description(const LineChart& chart, const std::vector<LineChart::Series>& all) {
  std::string text = fmt::format("{}. {} over {}.", chart.title, chart.y, chart.x);
  for (const LineChart::Series& series : all) {
    const auto& [first, last] = std::pair(series.points.front(), series.points.back());
    Range y;
    for (const auto& point : series.points) y.add(point.second);
    text += fmt::format(
        " {}: from {:.6g} at {:.6g} to {:.6g} at {:.6g}; least {:.6g}, most {:.6g}.", series.name,
        first.second, first.first, last.second, last.first, y.least, y.most);
  }
  return text;
}

Table figures(const LineChart& chart, const LineChart::Series& series) {
  Table table{chart.title + ": " + series.name, {{chart.x}, {chart.y}}};
  for (const auto& [x, y] : thinned(series.points, most_rows))
    table.rows.push_back({figure(x), figure(y)});
  return table;
}

/// Numbers to places on the picture.
class Plane {
 public:
  Plane(const LineChart& chart, Range x, Range y)
      : x_(x.least, x.most, chart.log_x, true), y_(y.least, y.most, chart.log_y, chart.unit) {
    std::size_t longest = 1;
    for (const Axis::Tick& tick : y_.ticks()) longest = std::max(longest, tick.label.size());
    left_ = 10 + letter_width * static_cast<double>(longest);
  }

  double x(double number) const {
    return left_ + x_.place(number) * (width - left_ - right_margin);
  }
  double y(double number) const {
    return top_margin + (1 - y_.place(number)) * (height - top_margin - bottom_margin);
  }
  std::string axes(const LineChart& chart) const {
    std::string svg;
    const auto out = std::back_inserter(svg);
    for (const Axis::Tick& tick : y_.ticks())
      fmt::format_to(out,
                     "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" "
                     "y2=\"{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
                     "text-anchor=\"end\">{5}</text>",
                     left_, width - right_margin, y(tick.at), left_ - 5, y(tick.at) + 4,
                     tick.label);
    for (const Axis::Tick& tick : x_.ticks()) {
      // Half of the label, and a little more, as letters differ.
      const double half = 5 + letter_width / 2 * static_cast<double>(tick.label.size());
      fmt::format_to(out,
                     "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" "
                     "y2=\"{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
                     "text-anchor=\"middle\">{5}</text>",
                     x(tick.at), top_margin, height - bottom_margin,
                     std::clamp(x(tick.at), half, width - half), height - bottom_margin + 16,
                     tick.label);
    }
    fmt::format_to(out,
                   "<text x=\"4\" y=\"14\">{}</text><text x=\"{:.1f}\" y=\"{:.1f}\" "
                   "text-anchor=\"end\">{}</text>",
                   escaped(chart.y), width - right_margin, height - 6, escaped(chart.x));
    return svg;
  }

 private:
  Axis x_, y_;
  double left_ = 0;
};

}  // namespace

std::string drawn(const LineChart& chart) {
  const std::vector<LineChart::Series> all = shown_series(chart);
  if (all.empty()) return "";
  Range x, y;
  for (const LineChart::Series& series : all)
    for (const auto& point : series.points) x.add(point.first), y.add(point.second);
  if (chart.unit) x = y = {0, 1};
  const Plane plane(chart, x, y);
  std::string svg = fmt::format(
      "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">{}",
      escaped(chart.title), width, height, escaped(description(chart, all)), plane.axes(chart));
  const auto out = std::back_inserter(svg);
  if (chart.diagonal)
    fmt::format_to(out,
                   "<line class=\"even\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" "
                   "y2=\"{:.1f}\"/>",
                   plane.x(0), plane.y(0), plane.x(1), plane.y(1));
  for (std::size_t s = 0; s < all.size(); ++s) {
    fmt::format_to(out, "<polyline class=\"line s{}\" points=\"", s);
    for (const auto& [at, value] : all[s].points)
      fmt::format_to(out, "{:.1f},{:.1f} ", plane.x(at), plane.y(value));
    svg += "\"/>";
    if (all[s].points.size() <= 30)
      for (const auto& [at, value] : all[s].points)
        fmt::format_to(out, "<circle class=\"dot s{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", s,
                       plane.x(at), plane.y(value));
  }
  svg += "</svg>";
  if (all.size() > 1) {
    svg += "<ul class=\"legend\">";
    for (std::size_t s = 0; s < all.size(); ++s)
      svg += fmt::format(
          "<li><svg viewBox=\"0 0 30 10\" aria-hidden=\"true\"><line class=\"line "
          "s{}\" x1=\"0\" y1=\"5\" x2=\"30\" y2=\"5\"/></svg> {}</li>",
          s, escaped(all[s].name));
    svg += "</ul>";
  }
  svg += "<details><summary>Figures</summary>\n";
  for (const LineChart::Series& series : all) svg += drawn(figures(chart, series));
  return svg + "</details></figure>\n";
}

}  // namespace gas::tools::report
