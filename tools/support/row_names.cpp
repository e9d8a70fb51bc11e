#include "tools/support/row_names.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace gas::tools {

std::vector<std::string> all_ids(Team& team, const loaders::RowIds& ids) {
  std::string text;
  ids.for_each(team, [&](std::string_view id) { (text += id) += '\n'; });
  const std::vector<char> all = broadcast(team, std::span<const char>(text));
  std::vector<std::string> lines;
  for (auto at = all.begin(); at != all.end();) {
    const auto end = std::find(at, all.end(), '\n');
    lines.emplace_back(at, end);
    at = end + 1;
  }
  return lines;
}

std::vector<Row> rows_among(Team& team, const loaders::RowIds& ids,
                            const std::vector<std::string>& known) {
  std::unordered_map<std::string_view, Row> row_of;
  for (std::size_t i = 0; i < known.size(); ++i) row_of.emplace(known[i], i);
  std::vector<Row> rows;
  for (const std::string& id : all_ids(team, ids)) {
    const auto found = row_of.find(id);
    rows.push_back(found == row_of.end() ? no_row : found->second);
  }
  return rows;
}

}  // namespace gas::tools
