#include "tools/support/report/distribution.hpp"

#include <fmt/format.h>

namespace gas::tools::report {
namespace {

constexpr int most_bins = 25, even_bins = 20;
constexpr double wide = 10;

}  // namespace

std::vector<Bin> bins(double least, double most, double least_positive, bool whole) {
  if (least == most) return {{least, most}};
  std::vector<Bin> made;
  if (whole && most - least < most_bins) {
    for (int i = 0; least + i <= most && i < most_bins; ++i) made.push_back({least + i, least + i});
    return made;
  }
  const bool by_factor = most > wide * least_positive && (least >= 0 || least == least_positive);
  if (!by_factor) {
    const double step = (most - least) / even_bins;
    for (int i = 0; i < even_bins; ++i) made.push_back({least + i * step, least + (i + 1) * step});
    made.back().most = most;
    return made;
  }
  if (least < least_positive) made.push_back({least, least});
  const double factor =
      std::max(whole ? 2.0 : 1.0, std::pow(most / least_positive, 1.0 / most_bins));
  double at = least_positive;
  for (int i = 0; at <= most && i < most_bins; ++i) {
    const double next = whole ? std::ceil(at * factor) : at * factor;
    made.push_back({at, whole ? next - 1 : next});
    at = next;
  }
  made.back().most = most;
  return made;
}

std::size_t bin_of(const std::vector<Bin>& bins, double value) {
  const auto after = std::ranges::upper_bound(bins, value, {}, &Bin::least);
  return after == bins.begin() ? 0 : static_cast<std::size_t>(after - bins.begin()) - 1;
}

void add_distribution(Section& section, const std::vector<Bin>& bins, const std::string& of,
                      const std::string& what) {
  std::uint64_t all = 0, largest = 1;
  for (const Bin& bin : bins) all += bin.count, largest = std::max(largest, bin.count);
  if (all == 0) return;
  LineChart chart{fmt::format("{} by {}", of, what), what, "share at or above", {{of, {}}}};
  Table table{fmt::format("{} by {}", of, what), {{"From"}, {"To"}, {of}, {"Bar", false}}};
  std::uint64_t above = all;
  for (const Bin& bin : bins) {
    chart.series[0].points.emplace_back(bin.least,
                                        static_cast<double>(above) / static_cast<double>(all));
    above -= bin.count;
    table.rows.push_back({figure(bin.least), figure(bin.most), figure(bin.count),
                          bar(static_cast<double>(bin.count) / static_cast<double>(largest))});
  }
  chart.log_x = bins.back().most > wide * std::max(bins.front().least, 1e-300) && bins.size() > 2 &&
                bins.back().most > 0;
  chart.log_y = true;
  if (bins.size() > 1) section.chart(chart);
  section.table(table);
}

}  // namespace gas::tools::report
