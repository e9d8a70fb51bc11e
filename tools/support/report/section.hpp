#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/support/report/html.hpp"

namespace gas::tools::report {

/// A table with a caption; the first cell of a row names it.
struct Table {
  struct Column {
    std::string heading;
    bool number = true;  // else text
  };
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Html>> rows = {};
};

/// Lines over numbers, which a table below gives, too. Points that are not finite are left out, and
/// on a logarithmic axis those that are not above 0.
struct LineChart {
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
  };
  std::string title;
  std::string x, y;
  std::vector<Series> series;  // six at most
  bool log_x = false, log_y = false;
  bool unit = false;      // both axes go from 0 to 1,
  bool diagonal = false;  // with a line from corner to corner
};

/// Circles on a plane, as large as their shares; a number in each.
struct Map {
  struct Place {
    std::string label;
    double x, y, share;
  };
  std::string title, description;
  std::vector<Place> places;
};

/// A part of a page: a heading, and what follows it.
class Section {
 public:
  explicit Section(std::string title) : title_(std::move(title)) {}

  Section& paragraph(std::string_view text);
  Section& table(const Table& table);
  Section& chart(const LineChart& chart);
  Section& map(const Map& map);
  /// A table behind a line of text that opens it.
  Section& folded(std::string_view summary, const Table& table);
  Section& list(const std::vector<std::string>& lines);
  /// What one tool alone has; it and its script are made of escaped text by the caller.
  Section& own(const Html& html);
  Section& script(std::string_view script);

  const std::string& title() const { return title_; }
  const std::string& body() const { return body_; }
  const std::string& script() const { return script_; }

 private:
  std::string title_, body_, script_;
};

// As HTML.
std::string drawn(const Table& table);
std::string drawn(const LineChart& chart);
std::string drawn(const Map& map);

}  // namespace gas::tools::report
