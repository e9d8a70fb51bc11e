#include "tools/logreg/multiclass/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "tools/support/ids/top.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr std::size_t classes_told = 5, classes_shown = 30;
constexpr std::uint64_t features_shown = 5;

/// `a of b, c of d, …` of the first classes.
std::string of_classes(const ClassesModel& model, const std::vector<std::uint64_t>& counts) {
  std::string text;
  const std::size_t told = std::min(classes_told, counts.size());
  for (std::size_t k = 0; k < told; ++k)
    text += fmt::format("{}{} of {}", k == 0 ? "" : ", ", counts[k],
                        model.label_text(model.classes[k]));
  if (told < counts.size()) text += fmt::format(" and of {} more", counts.size() - told);
  return text;
}

/// The features that speak most for a class, of weights above 0.
std::vector<Top::Entry> strongest(const ClassesModel& model, std::size_t k, std::uint64_t count) {
  Top top(count);
  const auto row = std::span(model.weights).subspan(k * model.row_width(), model.row_width());
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] > 0) top.add(to_vertex_id(j), row[j]);
  return top.local();
}

std::string strongest_of(const ClassesModel& model, std::size_t k) {
  const std::vector<Top::Entry> entries = strongest(model, k, 1);
  if (entries.empty()) return "nothing";
  return fmt::format("{} ({:+.3g})", model.name(entries[0].row), entries[0].value);
}

std::string speaking(const ClassesModel& model) {
  std::string text;
  const std::size_t told = std::min(classes_told, model.classes.size());
  for (std::size_t k = 0; k < told; ++k)
    text += fmt::format("{}for {}: {}", k == 0 ? "" : "; ", model.label_text(model.classes[k]),
                        strongest_of(model, k));
  return "strongest " + text;
}

/// What a class is taken for most often, wrongly.
std::string mistaken(const ClassesModel& model, const std::vector<std::uint64_t>& taken_for) {
  const std::size_t count = model.classes.size();
  std::size_t worst = 0;
  std::uint64_t most = 0;
  for (std::size_t at = 0; at < taken_for.size(); ++at)
    if (at / count != at % count && taken_for[at] > most) {
      worst = at;
      most = taken_for[at];
    }
  if (most == 0) return "no class is taken for another";
  return fmt::format(
      "most often {} is taken for {} ({})", model.label_text(model.classes[worst / count]),
      model.label_text(model.classes[worst % count]), counted(most, "time", "times"));
}

std::string scored(const ClassesModel& model, const AppliedClasses& applied) {
  return fmt::format("right in {:.2f} %, log loss {:.4f}; {}", 100 * applied.score->accuracy,
                     applied.score->log_loss, mistaken(model, applied.taken_for));
}

}  // namespace

std::vector<std::string> told_of(const ClassesModel& model, const MulticlassFit& fit,
                                 const std::vector<std::uint64_t>& examples,
                                 const AppliedClasses* test, const std::string& test_file) {
  const std::uint64_t all = std::accumulate(examples.begin(), examples.end(), std::uint64_t{0});
  const auto usual = std::ranges::max_element(examples) - examples.begin();
  return {
      fmt::format(
          "learnt {} {} from {} in {}{}; no weights have an objective more than {:.2g} % "
          "below",
          model.classes.size(),
          model.method == Multiclass::softmax ? "classes" : "classes, each against the rest,",
          counted(all, "example", "examples"), counted(fit.outcome.rounds, "round", "rounds"),
          fit.outcome.converged ? "" : ", not converged yet", 100 * fit.gap),
      fmt::format("labels: {}; always {} would be right in {:.2f} %", of_classes(model, examples),
                  model.label_text(model.classes[static_cast<std::size_t>(usual)]),
                  100 * static_cast<double>(examples[static_cast<std::size_t>(usual)]) /
                      static_cast<double>(all)),
      fmt::format("on the examples learnt from: right in {:.2f} %", 100 * fit.accuracy),
      test != nullptr && test->score
          ? fmt::format("on {}: {}", test_file, scored(model, *test))
          : std::string("on examples not seen: --test FILE measures accuracy and log loss"),
      speaking(model)};
}

std::vector<std::string> told_of(const Run& run, const ClassesModel& model,
                                 const AppliedClasses& applied) {
  const std::uint64_t all =
      std::accumulate(applied.predicted.begin(), applied.predicted.end(), std::uint64_t{0});
  return {fmt::format("predicted {} by {}", counted(all, "example", "examples"), run.options.model),
          "predicted: " + of_classes(model, applied.predicted),
          fmt::format("unsure, no class having a chance of one half: {}",
                      counted(applied.unsure, "example", "examples")),
          applied.score ? "held against the labels: " + scored(model, applied)
                        : std::string("there are no labels of the model's to hold this against"),
          speaking(model)};
}

std::string classes_table(const ClassesModel& model, const std::vector<std::uint64_t>& examples,
                          const std::string& header) {
  using Side = Table::Side;
  Table table({Side::right, Side::right, Side::left});
  table.row({"label", header, "strongest"});
  for (std::size_t k = 0; k < std::min(classes_shown, examples.size()); ++k)
    table.row({model.label_text(model.classes[k]), shown(examples[k]), strongest_of(model, k)});
  return table.text_below();
}

std::vector<report::Section> classes_sections(const ClassesModel& model,
                                              const AppliedClasses* applied) {
  const std::size_t count = std::min(classes_shown, model.classes.size());
  report::Section weights("Strongest weights");
  weights.paragraph("What speaks most for each class.");
  report::Table table{"By class", {{"Class and feature", false}, {"Weight"}}};
  for (std::size_t k = 0; k < count; ++k)
    for (const Top::Entry& entry : strongest(model, k, features_shown))
      table.rows.push_back(
          {report::name(model.label_text(model.classes[k]) + ": " + model.name(entry.row)),
           report::figure(entry.value)});
  weights.table(table);
  std::vector<report::Section> sections{std::move(weights)};
  if (applied == nullptr || !applied->score) return sections;
  report::Section taken("What classes are taken for");
  taken.paragraph("Examples of the class of the row that were taken for that of the column.");
  report::Table matrix{"Examples", {{"Class", false}}};
  for (std::size_t k = 0; k < count; ++k)
    matrix.columns.push_back({model.label_text(model.classes[k])});
  for (std::size_t k = 0; k < count; ++k) {
    matrix.rows.push_back({report::name(model.label_text(model.classes[k]))});
    for (std::size_t l = 0; l < count; ++l)
      matrix.rows.back().push_back(
          report::figure(applied->taken_for[k * model.classes.size() + l]));
  }
  sections.push_back(std::move(taken.table(matrix)));
  return sections;
}

}  // namespace gas::tools
