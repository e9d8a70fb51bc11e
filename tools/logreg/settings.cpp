#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gas/base/error.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/command/values.hpp"

namespace gas::tools {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

std::vector<std::pair<double, double>> weights_by_label(const std::string& text) {
  std::vector<std::pair<double, double>> weights;
  for (const std::string& item : split(text)) {
    const std::size_t sign = item.find('=');
    double label = 0, weight = 0;
    const bool good = sign != std::string::npos && parse_number(item.substr(0, sign), label) &&
                      parse_number(item.substr(sign + 1), weight) && weight > 0 &&
                      std::isfinite(weight);
    const bool again =
        std::ranges::any_of(weights, [&](const auto& known) { return known.first == label; });
    if (!good || again)
      refuse("--class-weight", text, "balanced, or LABEL=W,... with numbers W above 0");
    weights.emplace_back(label, weight);
  }
  return weights;
}

}  // namespace

loaders::ExampleTable LogregSettings::table() const {
  loaders::ExampleTable table;
  table.label = label;
  if (!categorical.empty()) table.categorical = split(categorical);
  if (std::ranges::count(table.categorical, "") > 0)
    refuse("--categorical", categorical, "names of columns with commas between them");
  return table;
}

Filters LogregSettings::chosen_filters() const {
  Filters chosen{.kkt = false};
  if (filters == "none") return chosen;
  for (const std::string& name : split(filters)) {
    bool* const filter = name == "kkt"            ? &chosen.kkt
                         : name == "significance" ? &chosen.significance
                         : name == "compression"  ? &chosen.compression
                                                  : nullptr;
    if (filter == nullptr || *filter)
      refuse("--filters", filters, "none, or some of kkt,significance,compression");
    *filter = true;
  }
  return chosen;
}

std::vector<double> LogregSettings::path() const {
  std::vector<double> numbers;
  if (costs.empty()) return numbers;
  for (const std::string& item : split(costs)) {
    double number = 0;
    if (!parse_number(item, number) || !(number > 0) || !std::isfinite(number) ||
        std::ranges::find(numbers, number) != numbers.end())
      refuse("--costs", costs, "different numbers above 0, with commas between them");
    numbers.push_back(number);
  }
  return numbers;
}

void check_class_weight(const std::string& text) {
  if (!text.empty() && text != "balanced") weights_by_label(text);
}

std::array<double, 2> class_weights(const std::string& text, const std::array<double, 2>& labels) {
  std::array<double, 2> weights{1, 1};
  if (text.empty() || text == "balanced") return weights;
  for (const auto& [label, weight] : weights_by_label(text)) {
    if (label != labels[0] && label != labels[1])
      throw InputError(fmt::format("--class-weight: found the label {}, expected {} or {}", label,
                                   labels[0], labels[1]));
    weights[label == labels[1] ? 1 : 0] = weight;
  }
  return weights;
}

std::vector<double> class_weights(const std::string& text, const std::vector<double>& labels) {
  if (text == "balanced") return {};
  std::vector<double> weights(labels.size(), 1);
  if (text.empty()) return weights;
  for (const auto& [label, weight] : weights_by_label(text)) {
    const auto at = std::ranges::find(labels, label);
    if (at == labels.end())
      throw InputError(fmt::format(
          "--class-weight: found the label {}, expected a label of the examples", label));
    weights[static_cast<std::size_t>(at - labels.begin())] = weight;
  }
  return weights;
}

}  // namespace gas::tools
