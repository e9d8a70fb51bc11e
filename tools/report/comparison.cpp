#include "tools/report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

std::optional<double> number(const Value& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* measure = std::get_if<double>(&value)) return *measure;
  return std::nullopt;
}

/// Of a run's value to the first run's; none where that says nothing.
std::optional<double> ratio(const Value& first, const Value& other) {
  const auto a = number(first), b = number(other);
  if (!a || !b || *a == 0 || *a == *b) return std::nullopt;
  return *b / *a;
}

/// What a section of the page is about: a key, or all below it.
struct Topic {
  const char* title;
  std::vector<std::string> keys;
  bool bars = false;
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = {
      {"Runs",
       {"tool", "version", "input", "ranks", "threads", "staleness", "seed", "partition",
        "vertices", "edges", "missing_ids", "schema"}},
      {"Time", {"seconds"}, true},
      {"Memory and bytes",
       {"peak_memory_bytes", "estimated_memory_bytes", "bytes_sent", "bytes"},
       true},
      {"Balance over ranks: the largest share over the mean", {"balance"}}};
  return all;
}

bool is_about(const Topic& topic, const std::string& key) {
  return std::ranges::any_of(topic.keys, [&](const std::string& known) {
    return key == known || key.starts_with(known + ".");
  });
}

report::Table side_by_side(const std::vector<ToldRun>& runs, const std::vector<std::string>& keys,
                           const std::string& caption, bool bars) {
  report::Table table{caption, {{"Figure", false}}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    table.columns.push_back({runs[r].name});
    if (bars) table.columns.push_back({"Bar", false});
    if (r > 0) table.columns.push_back({"to the first"});
  }
  for (const std::string& key : keys) {
    auto& row = table.rows.emplace_back();
    row.push_back(report::text(key));
    double most = 0;
    for (const ToldRun& run : runs) most = std::max(most, number(run.value(key)).value_or(0));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Value& value = runs[r].value(key);
      row.push_back(report::value(value));
      if (bars) row.push_back(report::bar(most > 0 ? number(value).value_or(0) / most : 0));
      if (r == 0) continue;
      const auto times = ratio(runs[0].value(key), value);
      row.push_back(report::text(times ? fmt::format("{:.3g} ×", *times) : "–"));
    }
  }
  return table;
}

}  // namespace

std::string comparison_table(const std::vector<ToldRun>& runs) {
  std::vector<Table::Side> sides{Table::Side::left};
  std::vector<std::string> heads{""};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    sides.push_back(Table::Side::right);
    heads.push_back(runs[r].name);
    if (r == 0) continue;
    sides.push_back(Table::Side::right);
    heads.emplace_back("ratio");
  }
  Table table(sides);
  table.row(heads);
  for (const std::string& key : keys_of(runs)) {
    std::vector<std::string> cells{key};
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Value& value = runs[r].value(key);
      cells.push_back(shown(value));
      if (r == 0) continue;
      const auto times = ratio(runs[0].value(key), value);
      cells.push_back(times ? fmt::format("{:.3g}", *times) : "");
    }
    table.row(cells);
  }
  return table.text();
}

std::vector<report::Section> comparison_sections(const std::vector<ToldRun>& runs) {
  std::vector<std::string> rest = keys_of(runs);
  std::vector<report::Section> sections;
  for (const Topic& topic : topics()) {
    std::vector<std::string> mine;
    for (const std::string& key : rest)
      if (is_about(topic, key)) mine.push_back(key);
    std::erase_if(rest, [&](const std::string& key) { return is_about(topic, key); });
    if (mine.empty()) continue;
    sections.emplace_back(topic.title).table(side_by_side(runs, mine, topic.title, topic.bars));
  }
  report::Section results("Results");
  results.table(side_by_side(runs, rest, "What came of the runs", false));
  sections.insert(sections.begin() + 1, std::move(results));
  report::Section warnings("Warnings");
  for (const ToldRun& run : runs) {
    warnings.paragraph(run.name + ": " + (run.warnings.empty() ? "none." : ""));
    if (!run.warnings.empty()) warnings.list(run.warnings);
  }
  sections.push_back(std::move(warnings));
  return sections;
}

}  // namespace gas::tools
