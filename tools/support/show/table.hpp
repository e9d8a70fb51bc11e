#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/show/summary.hpp"

namespace gas::tools {

// What standard output shows to people.

/// Lines of cells in columns that are as wide as their widest cell.
class Table {
 public:
  enum class Side { left, right };
  explicit Table(std::vector<Side> sides) : sides_(std::move(sides)) {}

  /// A line, with a cell for each side.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;
  /// The same after an empty line.
  std::string text_below() const { return std::string(1, '\n').append(text()); }

 private:
  std::vector<Side> sides_;
  std::vector<std::vector<std::string>> rows_;
};

/// How many columns a text of UTF-8 takes, a character each.
std::size_t display_width(const std::string& text);

/// A count, and a measure to six digits.
inline std::string shown(std::uint64_t count) { return std::to_string(count); }
std::string shown(double measure);

std::string shown(const Value& value);

/// What a tool calls its data and parameter vertices and its edges; nullptr: not shown.
struct CountNames {
  const char* data = nullptr;
  const char* parameter = nullptr;
  const char* edges = nullptr;
  bool convergence = true;  // say so where the run stopped at its limit
};

/// A line per name and value: counts, rounds, and what the summary has under these keys
/// ("objective" or the tool's own), without those that are null.
std::string summary_lines(const RunSummary& summary, const CountNames& names,
                          const std::vector<std::string>& keys);

/// Text as a cell of a table whose columns tabs separate: a tab in it is written as \t.
std::string as_cell(std::string text);

}  // namespace gas::tools
