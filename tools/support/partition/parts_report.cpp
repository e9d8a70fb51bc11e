#include "tools/support/partition/parts_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "partition/measure/exchange_matrix.hpp"

namespace gas::tools {
namespace {

constexpr Part most_parts = 256, most_groups = 24;

std::uint64_t on_part(const partition::KindCounts::PerPart& a,
                      const partition::KindCounts::PerPart& b, std::size_t part) {
  return a[part] + (b.empty() ? 0 : b[part]);
}

/// Neighbouring parts in one row, where they are many.
struct Groups {
  explicit Groups(Part of) : parts(of), each((of + most_groups - 1) / most_groups) {}
  Part count() const { return (parts + each - 1) / each; }
  std::string name(Part group) const {
    const Part first = group * each, last = std::min<Part>(parts, first + each) - 1;
    return first == last ? std::to_string(first) : fmt::format("{}–{}", first, last);
  }
  Part parts, each;
};

}  // namespace

PartsReport::PartsReport(Run& run, const EdgeList& edges, const GraphShape& shape,
                         const Partition& cut, const partition::Measured& quality,
                         const partition::Widths& widths)
    : parts_(cut.parts) {
  if (!run.reports()) return;
  quality_ = quality;
  if (parts_ <= most_parts)
    bytes_ = partition::exchange_matrix(run.transport, edges, shape, cut, widths);
}

std::vector<report::Section> PartsReport::sections() const {
  report::Section section("Parts");
  report::Table table{"What is on each part",
                      {{"Part", false}, {"Edges"}, {"Bar", false}, {"Masters"}, {"Mirrors"}}};
  const auto most =
      static_cast<double>(std::max<std::uint64_t>(1, std::ranges::max(quality_.edges)));
  const auto& [data, parameter] = std::pair(quality_.data, quality_.parameter);
  for (std::size_t part = 0; part < std::min(parts_, most_parts); ++part)
    table.rows.push_back({report::text(std::to_string(part)), report::figure(quality_.edges[part]),
                          report::bar(static_cast<double>(quality_.edges[part]) / most),
                          report::figure(on_part(data.masters, parameter.masters, part)),
                          report::figure(on_part(data.mirrors, parameter.mirrors, part))});
  if (parts_ > most_parts)
    section.paragraph(fmt::format("The first {} of {} parts.", most_parts, parts_));
  section.table(table);
  std::vector<report::Section> sections{std::move(section)};
  if (!bytes_.empty()) sections.push_back(matrix_section());
  return sections;
}

report::Section PartsReport::matrix_section() const {
  const Groups groups(parts_);
  std::vector<std::uint64_t> sums(std::size_t{groups.count()} * groups.count(), 0);
  for (Part from = 0; from < parts_; ++from)
    for (Part to = 0; to < parts_; ++to)
      sums[std::size_t{from / groups.each} * groups.count() + to / groups.each] +=
          bytes_[std::size_t{from} * parts_ + to];
  const auto most = static_cast<double>(std::max<std::uint64_t>(1, std::ranges::max(sums)));
  report::Section section("Who sends whom how much");
  section.paragraph(fmt::format(
      "Predicted bytes of a round in which every vertex publishes something new: {} in all.",
      std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})));
  report::Table table{"Bytes from the part of the row to the part of the column",
                      {{"From", false}}};
  for (Part to = 0; to < groups.count(); ++to)
    table.columns.push_back({fmt::format("to {}", groups.name(to))});
  for (Part from = 0; from < groups.count(); ++from) {
    auto& row = table.rows.emplace_back();
    row.push_back(report::text(groups.name(from)));
    for (Part to = 0; to < groups.count(); ++to) {
      const std::uint64_t sent = sums[std::size_t{from} * groups.count() + to];
      row.push_back(report::heat(report::bytes(sent), static_cast<double>(sent) / most));
    }
  }
  return section.table(table);
}

}  // namespace gas::tools
