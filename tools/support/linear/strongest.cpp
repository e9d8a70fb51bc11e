#include "tools/support/linear/strongest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/support/ids/top.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t weights_told = 3, weights_shown = 20;  // of either sign

Top top_of(std::span<const double> weights, bool positive, std::uint64_t count) {
  Top top(count);
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (positive ? weights[j] > 0 : weights[j] < 0) top.add(to_vertex_id(j), std::abs(weights[j]));
  return top;
}

}  // namespace

std::string strongest(const FeatureIds& features, std::span<const double> weights, bool positive) {
  std::string text;
  for (const Top::Entry& entry : top_of(weights, positive, weights_told).local())
    text += fmt::format("{}{} ({:+.3g})", text.empty() ? "" : ", ", features.name(entry.row),
                        weights[entry.row]);
  return text.empty() ? "nothing" : text;
}

report::Section weights_section(const FeatureIds& features, std::span<const double> weights,
                                const std::string& meaning) {
  const Top negative = top_of(weights, false, weights_shown);
  const Top positive = top_of(weights, true, weights_shown);
  const double most = std::max({positive.largest(), negative.largest(), 1e-300});
  report::Section section("Strongest weights");
  section.paragraph(meaning);
  report::Table table{"By size", {{"Feature", false}, {"Weight"}, {"Bar", false}}};
  const auto rows = [&](const std::vector<Top::Entry>& entries) {
    for (const Top::Entry& entry : entries) {
      const double weight = weights[entry.row];
      table.rows.push_back({report::name(features.name(entry.row)), report::figure(weight),
                            report::bar(weight / most, true)});
    }
  };
  rows(positive.local());
  auto last = negative.local();
  std::ranges::reverse(last);
  rows(last);
  return section.table(table);
}

}  // namespace gas::tools
