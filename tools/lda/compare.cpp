#include <fmt/format.h>

#include <algorithm>

#include "loaders/write.hpp"
#include "tools/lda/train.hpp"
#include "tools/support/process/watched.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

std::string folder_of(std::size_t topics) { return fmt::format("topics-{}", topics); }

Measured row_of(const LdaTrial& trial) {
  const auto value = [](const std::optional<double>& number) {
    return number ? Value(*number) : Value();
  };
  Measured row{{"topics", std::uint64_t{trial.topics}},
               {"objective", value(trial.objective)},
               {"heldout", value(trial.heldout)}};
  const Measured more = measured(trial.measures);
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

/// Which rows have the best of a column: the least of those that measure how near topics are, else
/// the greatest. Not of the numbers of topics.
bool is_best(const std::vector<Measured>& rows, std::size_t row, std::size_t column) {
  const auto number = [&](std::size_t r) { return std::get_if<double>(&rows[r][column].second); };
  const std::string& name = rows[0][column].first;
  const double sign = name == "cao_juan" || name == "arun" ? -1 : 1;
  if (rows.size() < 2 || number(row) == nullptr) return false;
  for (std::size_t other = 0; other < rows.size(); ++other)
    if (number(other) != nullptr && sign * *number(other) > sign * *number(row)) return false;
  return true;
}

std::string table_of(const std::vector<Measured>& rows) {
  Table table(std::vector(rows[0].size(), Table::Side::right));
  std::vector<std::string> names;
  for (const auto& [name, value] : rows[0]) names.push_back(name);
  table.row(names);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      cells.push_back(shown(rows[r][c].second) + (is_best(rows, r, c) ? "*" : " "));
    table.row(cells);
  }
  return table.text() + "* the best of the column\n";
}

/// What the numbers of topics are best by, in five lines; nothing of what was not measured.
void tell_best(Run& run, const std::vector<Measured>& rows) {
  if (run.options.quiet || run.summary.interrupted) return;
  const auto best = [&](const std::string& name) -> std::string {
    for (std::size_t c = 0; c < rows[0].size(); ++c)
      for (std::size_t r = 0; r < rows.size() && rows[0][c].first == name; ++r)
        if (is_best(rows, r, c)) return shown(rows[r][0].second);
    return "none, there is no value";
  };
  run.note(fmt::format("compared {} numbers of topics, each by a model of its own", rows.size()));
  run.note("likeliest in documents not trained on (heldout): " + best("heldout"));
  run.note("likeliest with their topics (joint): " + best("joint"));
  run.note(fmt::format("top words go together best (npmi): {}; (umass): {}", best("npmi"),
                       best("umass")));
  run.note(
      fmt::format("topics differ most (cao_juan): {}; (arun): {}", best("cao_juan"), best("arun")));
}

/// The table as a section of a report, and what is mostly chosen by over the numbers of topics.
report::Section comparison(const std::vector<Measured>& rows) {
  report::Section section("Numbers of topics compared");
  report::Table table{"By number of topics; * is the best of a column", {}};
  for (const auto& [name, value] : rows[0]) table.columns.push_back({name});
  std::vector<report::LineChart> charts;
  for (std::size_t c = 1; c < rows[0].size(); ++c) {
    const std::string& name = rows[0][c].first;
    report::LineChart::Series series{name, {}};
    for (const Measured& row : rows)
      if (const auto* number = std::get_if<double>(&row[c].second))
        series.points.emplace_back(static_cast<double>(std::get<std::uint64_t>(row[0].second)),
                                   *number);
    if ((name == "heldout" || name == "joint" || name == "npmi") && series.points.size() > 1)
      charts.push_back({name + " by number of topics", "Topics", name, {series}});
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    table.rows.emplace_back();
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      table.rows.back().push_back(
          report::text(shown(rows[r][c].second) + (is_best(rows, r, c) ? " *" : "")));
  }
  section.table(table);
  for (report::LineChart& chart : charts) {
    std::ranges::sort(chart.series[0].points);
    section.chart(chart);
  }
  return section;
}

std::string tab_separated(const std::vector<Measured>& rows) {
  std::string text;
  const auto line = [&](const Measured& row, const auto& cell) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += cell(row[c]) + (c + 1 < row.size() ? "\t" : "\n");
  };
  line(rows[0], [](const auto& cell) { return cell.first; });
  for (const Measured& row : rows)
    line(row, [](const auto& cell) -> std::string {
      if (const auto* number = std::get_if<double>(&cell.second)) return fmt::format("{}", *number);
      return std::holds_alternative<std::monostate>(cell.second) ? "nan" : shown(cell.second);
    });
  return text;
}

}  // namespace

void compare_topics(Run& run, const TopicSettings& settings) {
  std::vector<std::string> folders;
  for (const std::size_t topics : settings.topics) folders.push_back(folder_of(topics));
  run.take_folders(folders);
  Corpus corpus = read_corpus(run, settings, nullptr, settings.most_topics());
  LdaOptions options = lda_options(run, settings, 0, nullptr);
  options.measure = !settings.no_objective;
  if (run.reports()) {  // whose rounds are those of one fit
    options.on_round = [](const RoundTold& told) {
      tell_watcher_round(told.round);
      return true;
    };
    options.objectives = false;
  }
  Outcome all;
  const auto keep = [&](LdaFit& fit, const LdaTrial& trial) {
    all.rounds += trial.outcome.rounds;
    all.seconds += trial.outcome.seconds;
    tell_waiting(run, corpus, fit);
    run.off_the_clock([&] {
      run.write_folder(
          folder_of(trial.topics), facts_of(corpus, fit), trial.outcome,
          [&](const std::filesystem::path& folder) { write_fit(run, folder, corpus, fit); });
    });
  };
  const std::vector<LdaTrial> trials = lda_scan(
      run.context(), Matrix(corpus.cut.graph, run.options.input_name()), settings.topics, options,
      {.heldout = corpus.heldout ? &*corpus.heldout : nullptr,
       .left_out = corpus.left_out,
       .each = keep});
  const Outcome& last = trials.back().outcome;
  all.interrupted = last.interrupted;
  all.converged =
      std::ranges::all_of(trials, [](const LdaTrial& trial) { return trial.outcome.converged; });
  all.did = last.did;
  run.ended(all);
  std::vector<Measured> rows;
  for (const LdaTrial& trial : trials) rows.push_back(row_of(trial));
  run.summary.set("models", rows);
  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    loaders::write_text(run.transport, folder / "models.tsv", tab_separated(rows));
  });
  const std::string table = table_of(rows);
  if (run.shows())
    run.show([&] { return table; });
  else
    run.note("the numbers of topics compared:\n" + table.substr(0, table.size() - 1));
  run.report([&] { return std::vector{comparison(rows)}; });
  tell_best(run, rows);
}

}  // namespace gas::tools
