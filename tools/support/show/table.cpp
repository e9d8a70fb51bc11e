#include "tools/support/show/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

namespace gas::tools {
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(sides_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c]));
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - display_width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += sides_[c] == Side::left ? row[c] + blanks : blanks + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string shown(double measure) { return fmt::format("{:.6g}", measure); }

std::string shown(const Value& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, std::monostate>)
          return "-";
        else if constexpr (std::is_same_v<V, bool>)
          return v ? "yes" : "no";
        else if constexpr (std::is_same_v<V, std::string>)
          return v;
        else
          return shown(v);
      },
      value);
}

std::string summary_lines(const RunSummary& summary, const CountNames& names,
                          const std::vector<std::string>& keys) {
  Table table({Table::Side::left, Table::Side::right});
  const auto add = [&](const char* name, const auto& value) {
    if (name != nullptr && value) table.row({name, shown(*value)});
  };
  add(names.data, summary.data_vertices);
  add(names.parameter, summary.parameter_vertices);
  add(names.edges, summary.edges);
  add("rounds", summary.iterations);
  if (names.convergence && summary.converged == false) table.row({"converged", "no"});
  for (const std::string& key : keys) {
    if (key == "objective") add("objective", summary.objective);
    for (const auto& [name, value] : summary.own)
      if (name == key && !std::holds_alternative<std::monostate>(value))
        table.row({key, shown(value)});
  }
  return table.text();
}

std::string as_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('\t', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\t");
  return text;
}

}  // namespace gas::tools
