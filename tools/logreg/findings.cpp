#include "tools/logreg/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/support/linear/strongest.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string scored(const LogisticScore& score) {
  const std::string area =
      std::isnan(score.auc)
          ? "all have one label"
          : fmt::format("area under the ROC curve {:.4f} (chance: 0.5)", score.auc);
  return fmt::format("accuracy {:.2f} %, {}, log loss {:.4f}", 100 * score.accuracy, area,
                     score.log_loss);
}

std::string speaking(const LogregModel& model) {
  return fmt::format("strongest for {}: {}; for {}: {}", model.label_text(model.labels[1]),
                     strongest(model, model.weights, true), model.label_text(model.labels[0]),
                     strongest(model, model.weights, false));
}

std::string tested(const Applied* test, const std::string& file) {
  if (test == nullptr)
    return "on examples not seen: --test FILE measures accuracy, area under the ROC curve and log "
           "loss";
  return fmt::format(
      "on {}: {}", file,
      test->score ? scored(*test->score) : "not measured, for want of labels that the model has");
}

}  // namespace

std::array<std::uint64_t, 2> count_labels(Communicator& comm, const LogregModel& model,
                                          std::span<const double> labels) {
  const auto larger = static_cast<std::uint64_t>(std::ranges::count(labels, model.labels[1]));
  return {all_sum(comm, std::uint64_t{labels.size()} - larger), all_sum(comm, larger)};
}

std::vector<std::string> told_of(const LogregModel& model, const LogisticFit& fit,
                                 const std::array<std::uint64_t, 2>& labels, const Applied* test,
                                 const std::string& test_file) {
  const double all = static_cast<double>(labels[0] + labels[1]);
  const std::size_t usual = labels[1] > labels[0] ? 1 : 0;
  const double guess = percent(static_cast<double>(labels[usual]), all);
  return {
      fmt::format("learnt from {} in {}{}; no weights have an objective more than {:.2g} % below",
                  counted(labels[0] + labels[1], "example", "examples"),
                  counted(fit.outcome.rounds, "round", "rounds"),
                  fit.outcome.converged ? ""
                  : fit.still           ? ", where rounding ends it, not converged"
                                        : ", not converged yet",
                  100 * fit.gap),
      fmt::format("labels: {} of {}, {} of {}; always {} would be right in {:.2f} %", labels[0],
                  model.label_text(model.labels[0]), labels[1], model.label_text(model.labels[1]),
                  model.label_text(model.labels[usual]), guess),
      fmt::format("on the examples learnt from: right in {:.2f} %", 100 * fit.accuracy),
      tested(test, test_file),
      fmt::format("{} of {} are not 0; {}", model.nonzeros(),
                  counted(model.weights.size(), "weight", "weights"), speaking(model))};
}

std::vector<std::string> told_of(const LogregModel& model, const OnlineFit& fit,
                                 const Applied* test, const std::string& test_file) {
  return {fmt::format("learnt from {} in one pass, each of {:.1f} numbers in the mean",
                      counted(fit.examples, "example", "examples"),
                      fit.examples > 0
                          ? static_cast<double>(fit.entries) / static_cast<double>(fit.examples)
                          : 0),
          fmt::format(
              "log loss of an example before it was learnt: {:.4f} in the mean; without a model "
              "{:.4f}",
              fit.progressive_loss, std::log(2.0)),
          tested(test, test_file),
          fmt::format("{} of {} are not 0", model.nonzeros(),
                      counted(model.weights.size(), "weight", "weights")),
          speaking(model)};
}

std::vector<std::string> told_of(Run& run, const LogregModel& model, const Applied& applied) {
  std::uint64_t larger = 0, unsure = 0;
  double sum = 0;
  for (const float p : applied.probability) {
    larger += p > 0.5F ? 1 : 0;
    unsure += p > 0.25F && p < 0.75F ? 1 : 0;
    sum += static_cast<double>(p);
  }
  larger = all_sum(run.transport, larger);
  unsure = all_sum(run.transport, unsure);
  sum = all_sum(run.transport, sum);
  const std::uint64_t count = applied.ids.rows();
  const auto all = static_cast<double>(count);
  return {
      fmt::format("predicted {} by {}", counted(count, "example", "examples"), run.options.model),
      fmt::format("predicted {} for {} and {} for {}, whose mean probability is {:.4f}",
                  model.label_text(model.labels[0]), count - larger,
                  model.label_text(model.labels[1]), larger, count > 0 ? sum / all : 0),
      fmt::format("unsure, of a probability between 0.25 and 0.75: {} ({:.1f} %)",
                  counted(unsure, "example", "examples"),
                  percent(static_cast<double>(unsure), all)),
      applied.score ? "held against the labels: " + scored(*applied.score)
                    : std::string("there are no labels of the model's to hold this against"),
      speaking(model)};
}

}  // namespace gas::tools
