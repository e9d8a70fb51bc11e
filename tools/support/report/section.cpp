#include "tools/support/report/section.hpp"

#include <fmt/format.h>

namespace gas::tools::report {

std::string drawn(const Table& table) {
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>"
      "<caption>{0}</caption><thead><tr>",
      escaped(table.caption));
  const auto side = [&](std::size_t column) {
    return table.columns[column].number ? " class=\"n\"" : "";
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", side(c), escaped(table.columns[c].heading));
  html += "</tr></thead><tbody>\n";
  for (const std::vector<Html>& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += c == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", side(c), row[c].text)
                     : fmt::format("<td{}>{}</td>", side(c), row[c].text);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

Section& Section::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
  return *this;
}

Section& Section::table(const Table& table) {
  body_ += drawn(table);
  return *this;
}

Section& Section::folded(std::string_view summary, const Table& table) {
  body_ +=
      fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(summary), drawn(table));
  return *this;
}

Section& Section::chart(const LineChart& chart) {
  body_ += drawn(chart);
  return *this;
}

Section& Section::map(const Map& map) {
  body_ += drawn(map);
  return *this;
}

Section& Section::list(const std::vector<std::string>& lines) {
  body_ += "<ul>\n";
  for (const std::string& line : lines) body_ += fmt::format("<li>{}</li>\n", escaped(line));
  body_ += "</ul>\n";
  return *this;
}

Section& Section::own(const Html& html) {
  body_ += html.text;
  return *this;
}

Section& Section::script(std::string_view script) {
  script_ = script;
  return *this;
}

}  // namespace gas::tools::report
