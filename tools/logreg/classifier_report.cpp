#include "tools/logreg/classifier_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tools/support/linear/strongest.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

/// How many examples of either label have P(larger label) in each of many classes, which are as
/// wide in its log odds; and what ten classes that are as wide in it promise and hold.
struct Counted {
  static constexpr std::size_t classes = std::size_t{1} << 16U, tenths = 10;
  static constexpr double most_log_odds = 40;

  std::vector<std::uint64_t> smaller = std::vector<std::uint64_t>(classes, 0), larger = smaller;
  struct Tenth {
    std::uint64_t examples = 0, larger = 0;
    double promised = 0;  // sum of P
  };
  std::array<Tenth, tenths> calibration = {};

  void add(double p, bool is_larger) {
    const double odds = std::clamp(std::log(p) - std::log1p(-p), -most_log_odds, most_log_odds);
    const double place = (odds / most_log_odds + 1) / 2 * static_cast<double>(classes);
    const std::size_t at = std::min(classes - 1, static_cast<std::size_t>(place));
    ++(is_larger ? larger : smaller)[at];
    Tenth& tenth = calibration[std::min(tenths - 1, static_cast<std::size_t>(p * double(tenths)))];
    ++tenth.examples;
    tenth.larger += is_larger ? 1 : 0;
    tenth.promised += p;
  }
  void gather_all(Communicator& comm) {
    for (auto* counts : {&smaller, &larger}) {
      const auto ranks = gather(comm, std::span<const std::uint64_t>(*counts));
      std::ranges::fill(*counts, 0);
      for (const auto& rank : ranks)
        for (std::size_t i = 0; i < rank.size(); ++i) (*counts)[i] += rank[i];
    }
    const auto tenths_of = gather(comm, std::span<const Tenth>(calibration));
    calibration = {};
    for (const auto& rank : tenths_of)
      for (std::size_t i = 0; i < rank.size(); ++i) {
        calibration[i].examples += rank[i].examples;
        calibration[i].larger += rank[i].larger;
        calibration[i].promised += rank[i].promised;
      }
  }
};

/// The share of the larger label's examples over that of the smaller's, from the likeliest on.
report::LineChart roc(const Counted& counted) {
  double smaller = 0, larger = 0;
  for (std::size_t i = 0; i < Counted::classes; ++i)
    smaller += static_cast<double>(counted.smaller[i]),
        larger += static_cast<double>(counted.larger[i]);
  report::LineChart chart{
      "ROC", "false positive rate", "true positive rate", {{"The model", {{0, 0}}}}};
  chart.unit = chart.diagonal = true;
  double x = 0, y = 0;
  for (std::size_t i = Counted::classes; i > 0; --i) {
    const double dx = static_cast<double>(counted.smaller[i - 1]) / std::max(1.0, smaller);
    const double dy = static_cast<double>(counted.larger[i - 1]) / std::max(1.0, larger);
    if (dx == 0 && dy == 0) continue;
    chart.series[0].points.emplace_back(x += dx, y += dy);
  }
  return chart;
}

void add_calibration(report::Section& section, const Counted& counted) {
  report::LineChart chart{
      "Calibration", "predicted probability", "share with the label", {{"The model", {}}}};
  chart.unit = chart.diagonal = true;
  report::Table table{"Calibration by tenths of the predicted probability",
                      {{"Mean prediction"}, {"Share with the label"}, {"Examples"}}};
  for (const Counted::Tenth& tenth : counted.calibration) {
    if (tenth.examples == 0) continue;
    const auto all = static_cast<double>(tenth.examples);
    const double promised = tenth.promised / all, held = static_cast<double>(tenth.larger) / all;
    chart.series[0].points.emplace_back(promised, held);
    table.rows.push_back(
        {report::figure(promised), report::figure(held), report::figure(tenth.examples)});
  }
  section.chart(chart).table(table);
}

}  // namespace

std::vector<report::Section> classifier_sections(Run& run, const LogregModel& model,
                                                 const Applied* applied) {
  std::vector<report::Section> sections{weights_section(
      model, model.weights,
      fmt::format("A weight above 0 speaks for the label {}, one below 0 for {}.",
                  model.label_text(model.labels[1]), model.label_text(model.labels[0])))};
  if (applied == nullptr || !applied->score) return sections;
  Counted counted;
  for (std::size_t i = 0; i < applied->labels.size(); ++i)
    counted.add(applied->score->probability[i], applied->labels[i] == model.labels[1]);
  counted.gather_all(run.transport);
  report::Section& section = sections.emplace_back("Predictions held against labels");
  report::Table table{
      fmt::format("P({}) of {} examples", model.label_text(model.labels[1]), applied->ids.rows()),
      {{"Figure", false}, {"Value"}}};
  table.rows = {{report::text("Accuracy"), report::figure(applied->score->accuracy)},
                {report::text("Log loss"), report::figure(applied->score->log_loss)}};
  if (!std::isnan(applied->score->auc))
    table.rows.push_back(
        {report::text("Area under the ROC curve"), report::figure(applied->score->auc)});
  section.table(table).chart(roc(counted));
  add_calibration(section, counted);
  return sections;
}

}  // namespace gas::tools
