#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
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

using LabelWeight = std::pair<std::string, double>;

/// Labels as the user writes them, with their weights.
std::vector<LabelWeight> weights_by_label(const std::string& text) {
  std::vector<LabelWeight> weights;
  for (const std::string& item : split(text)) {
    const std::size_t sign = std::min(item.rfind('='), item.size());
    const std::string label = item.substr(0, sign);
    double weight = 0;
    const bool good = !label.empty() && sign < item.size() &&
                      parse_number(item.substr(sign + 1), weight) && weight > 0 &&
                      std::isfinite(weight);
    if (!good || std::ranges::count(weights, label, &LabelWeight::first) > 0)
      refuse("--class-weight", text, "balanced, or LABEL=W,... with numbers W above 0");
    weights.emplace_back(label, weight);
  }
  return weights;
}

/// Which of the labels a text means; their number if none.
std::size_t place_of(const std::string& text, const std::vector<double>& labels,
                     const std::vector<std::string>& names) {
  const auto named = std::ranges::find(names, text);
  double number = static_cast<double>(named - names.begin());
  if (named == names.end() && !parse_number(text, number)) return labels.size();
  return static_cast<std::size_t>(std::ranges::find(labels, number) - labels.begin());
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

std::vector<double> class_weights(const LogregSettings& settings, const std::vector<double>& labels,
                                  const FeatureIds& of) {
  const std::string& text = settings.class_weight;
  std::vector<std::string> names;
  if (settings.labels.empty() && of.table) names = of.table->label_names;
  std::vector<double> weights(labels.size(), 1);
  if (text.empty() || text == "balanced") return weights;
  std::vector<bool> met(labels.size(), false);
  for (const auto& [label, weight] : weights_by_label(text)) {
    const std::size_t at = place_of(label, labels, names);
    if (at == labels.size()) {
      std::vector<std::string> known = names;
      if (names.empty())
        for (const double one : labels) known.push_back(fmt::to_string(one));
      throw InputError(fmt::format("--class-weight: found the label {}, expected {}", label,
                                   known.size() > 20 ? "a label of the examples"
                                                     : fmt::to_string(fmt::join(known, " or "))));
    }
    if (met[at]) refuse("--class-weight", text, "each label once");
    met[at] = true;
    weights[at] = weight;
  }
  return weights;
}

}  // namespace gas::tools
