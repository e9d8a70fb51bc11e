#include "tools/support/report/run_sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>

namespace gas::tools::report {
namespace {

constexpr std::array<const char*, phases> phase_names{"Loading", "Cutting", "Computing",
                                                      "Measuring the objective", "Writing"};

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  localtime_r(&time, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %z", &parts);
  return text.data();
}

/// largest / mean.
double balance(const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  return sum > 0 ? std::ranges::max(shares) * static_cast<double>(shares.size()) / sum : 1;
}

template <class Of>
std::vector<double> of_ranks(const RunSummary& summary, Of of) {
  std::vector<double> all;
  for (const RunSummary::Rank& rank : summary.per_rank)
    all.push_back(static_cast<double>(of(rank)));
  return all;
}

LineChart objective_chart(const std::vector<Round>& rounds, const std::string& objective,
                          bool over_seconds) {
  LineChart chart{over_seconds ? "By time" : "By round",
                  over_seconds ? "seconds" : "round",
                  objective,
                  {{objective, {}}}};
  double least = 0, most = 0;
  for (const Round& round : rounds) {
    const double x = over_seconds ? round.seconds : static_cast<double>(round.number);
    chart.series[0].points.emplace_back(x, *round.objective);
    least =
        chart.series[0].points.size() == 1 ? *round.objective : std::min(least, *round.objective);
    most = chart.series[0].points.size() == 1 ? *round.objective : std::max(most, *round.objective);
  }
  chart.log_y = least > 0 && most > 1000 * least;
  return chart;
}

}  // namespace

Section result_section(const RunSummary& summary, const std::string& objective) {
  Section section("Result");
  if (!summary.warnings.empty()) {
    section.own({"<div class=\"notice\" role=\"note\">"});
    section.paragraph("Warnings:").list(summary.warnings).own({"</div>\n"});
  }
  Table table{"What came of it", {{"Figure", false}, {"Value"}}};
  const auto row = [&](const std::string& what, Html value) {
    table.rows.push_back({text(what), std::move(value)});
  };
  if (summary.objective) row(objective, figure(*summary.objective));
  for (const auto& [key, known] : summary.own)
    if (!std::holds_alternative<std::monostate>(known)) row(key, value(known));
  if (summary.iterations) row("Rounds", figure(*summary.iterations));
  if (summary.converged) row("Converged", text(*summary.converged ? "yes" : "no"));
  if (summary.interrupted) row("Interrupted", text("yes, by a signal"));
  if (summary.reproducible)
    row("Reproducible on other ranks and threads", text(*summary.reproducible ? "yes" : "no"));
  section.table(table);
  if (summary.warnings.empty()) section.paragraph("No warnings.");
  return section;
}

Section rounds_section(const std::vector<Round>& all, const std::vector<Round>& measured,
                       const std::string& objective) {
  Section section("Rounds");
  if (all.empty()) return section.paragraph("No rounds were recorded.");
  if (measured.size() > 1) {
    section.chart(objective_chart(measured, objective, false));
    section.chart(objective_chart(measured, objective, true));
    return section;
  }
  section.paragraph("No objective was measured between the rounds.");
  LineChart chart{"Rounds by time", "seconds", "round", {{"rounds done", {}}}};
  for (const Round& round : all)
    chart.series[0].points.emplace_back(round.seconds, static_cast<double>(round.number));
  return all.size() > 1 ? section.chart(chart) : section;
}

Section time_section(const RunSummary& summary) {
  Section section("Time and memory");
  Table table{"Wall time of the slowest rank", {{"Phase", false}, {"Time"}, {"Share", false}}};
  const double total = std::max(summary.total_seconds, 1e-9);
  for (std::size_t phase = 0; phase < phases; ++phase)
    table.rows.push_back({text(phase_names[phase]), seconds(summary.seconds[phase]),
                          bar(summary.seconds[phase] / total)});
  table.rows.push_back({text("All, from start to end"), seconds(summary.total_seconds), bar(1)});
  section.table(table);
  Table memory{"Memory of the rank that held most", {{"When", false}, {"Size"}}};
  memory.rows.push_back({text("At its peak"), bytes(summary.peak_memory_bytes)});
  if (summary.estimated_memory_bytes)
    memory.rows.push_back(
        {text("Estimated before the run"), bytes(*summary.estimated_memory_bytes)});
  return section.table(memory);
}

Section ranks_section(const RunSummary& summary) {
  Section section("Ranks");
  Table table{"What the main thread of each rank did in the rounds",
              {{"Rank", false},
               {"Computing"},
               {"Waiting"},
               {"Communicating"},
               {"Bar", false},
               {"Visits"},
               {"Messages"},
               {"Sent"}}};
  double longest = 1e-9;
  for (const auto& [did, messages, sent] : summary.per_rank)
    longest = std::max(longest, did.computing + did.waiting + did.communicating);
  for (std::size_t rank = 0; rank < summary.per_rank.size(); ++rank) {
    const auto& [did, messages, sent] = summary.per_rank[rank];
    table.rows.push_back(
        {text(std::to_string(rank)), seconds(did.computing), seconds(did.waiting),
         seconds(did.communicating),
         stacked({did.computing / longest, did.waiting / longest, did.communicating / longest}),
         figure(did.counters.applies), figure(messages), bytes(sent)});
  }
  section.table(table);
  section.paragraph("In the bars computing comes first, then waiting, then communicating.");
  Table even{"Balance: the largest share over the mean; 1 is even", {{"Of", false}, {"Balance"}}};
  const auto row = [&](const char* what, const std::vector<double>& shares) {
    even.rows.push_back({text(what), figure(balance(shares))});
  };
  row("Computing", of_ranks(summary, [](auto& rank) { return rank.report.computing; }));
  row("Visits", of_ranks(summary, [](auto& rank) { return rank.report.counters.applies; }));
  row("Bytes sent", of_ranks(summary, [](auto& rank) { return rank.bytes; }));
  section.table(even);
  Table sent{"Bytes that all ranks sent after loading", {{"What", false}, {"Size"}}};
  std::size_t purpose = 0;
  for (const char* what : {"Values", "Accumulators", "Signals", "Control"}) {
    if (summary.bytes_sent)
      sent.rows.push_back({text(what), bytes((*summary.bytes_sent)[purpose])});
    ++purpose;
  }
  section.table(sent);
  if (summary.staleness_most)
    section.paragraph(fmt::format("Reads lagged {} behind other ranks at most, {:.3g} in the mean.",
                                  *summary.staleness_most == 1
                                      ? "1 round"
                                      : fmt::format("{} rounds", *summary.staleness_most),
                                  summary.staleness_mean.value_or(0)));
  return section;
}

Section run_section(const RunSummary& summary, const RunManifest& manifest) {
  Section section("The run");
  Table table{"What was run, on what", {{"Fact", false}, {"Value", false}}};
  const auto row = [&](const char* what, Html value) {
    table.rows.push_back({text(what), std::move(value)});
  };
  row("Command", code(fmt::format("{}", fmt::join(manifest.command, " "))));
  row("Version", text(GAS_VERSION));
  row("Page written", text(now()));
  if (summary.input) row("Input", text(*summary.input));
  if (summary.data_vertices) row("Data vertices", figure(*summary.data_vertices));
  if (summary.parameter_vertices.value_or(0) > 0)
    row("Parameter vertices", figure(*summary.parameter_vertices));
  if (summary.edges) row("Edges", figure(*summary.edges));
  if (summary.missing_ids > 0)
    row("Numbers between the ids that are no ids", figure(summary.missing_ids));
  row("Ranks", figure(summary.ranks));
  row("Threads per rank", figure(summary.threads));
  if (summary.staleness_bound)
    row("Staleness", *summary.staleness_bound == Staleness::async
                         ? text("async")
                         : figure(*summary.staleness_bound));
  if (summary.seed) row("Seed", figure(*summary.seed));
  if (summary.partition_method) row("Partition", text(*summary.partition_method));
  if (summary.parts) row("Parts", figure(*summary.parts));
  if (summary.replication_factor) row("Copies per vertex", figure(*summary.replication_factor));
  section.table(table);
  Table options{"Options in effect, defaults included", {{"Option", false}, {"Value", false}}};
  for (const auto& [option, value] : manifest.options)
    options.rows.push_back({code(option), text(value)});
  return section.folded("All options", options);
}

}  // namespace gas::tools::report
