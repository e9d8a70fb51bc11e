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

std::vector<std::string> texts_of(Team& team, const loaders::RowIds& ids,
                                  std::span<const Row> rows) {
  const HomeRange home{ids.rows(), team.size()};
  std::vector<std::vector<Row>> asked(static_cast<std::size_t>(team.size()));
  for (const Row row : rows) asked[static_cast<std::size_t>(home.home(row))].push_back(row);
  const auto questions = all_to_all(team, asked);
  std::vector<std::vector<char>> answers(questions.size());
  for (std::size_t from = 0; from < questions.size(); ++from)
    for (const Row row : questions[from]) {
      const std::string id = ids.local_text(team, row - home.first(team.rank()));
      answers[from].insert(answers[from].end(), id.c_str(), id.c_str() + id.size() + 1);
    }
  const auto told = all_to_all(team, std::move(answers));
  std::vector<const char*> next;
  for (const auto& block : told) next.push_back(block.data());
  std::vector<std::string> texts;
  for (const Row row : rows) {
    const auto from = static_cast<std::size_t>(home.home(row));
    texts.emplace_back(next[from]);  // ids hold no NUL
    next[from] += texts.back().size() + 1;
  }
  return texts;
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
