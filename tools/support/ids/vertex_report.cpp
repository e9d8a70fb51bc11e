#include "tools/support/ids/vertex_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tools/support/ids/top.hpp"
#include "tools/support/report/distribution.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t least_shown = 20, most_shown = 1000;

}  // namespace

report::Section vertex_section(Run& run, const VertexReport& words, const loaders::RowIds& ids,
                               const std::vector<double>& values) {
  Communicator& comm = run.transport;
  const std::uint64_t count = std::clamp(run.options.top, least_shown, most_shown);
  const Top top =
      top_of(comm, ids.rows(), values, count, [](double value) { return std::isfinite(value); });
  const std::vector<NamedValue> rows = named(comm, ids, top);
  report::Section section(words.title);
  report::Table table{fmt::format("{} with the largest numbers of {}", words.of, words.what),
                      {{"Name", false}, {words.what}, {"Bar", false}}};
  const double most = rows.empty() ? 1 : std::max(rows.front().value, 1e-300);
  for (const auto& [id, value] : rows)
    table.rows.push_back(
        {report::name(id), report::figure(value), report::bar(std::max(0.0, value / most))});
  const auto bins = report::distribution(comm, std::span<const double>(values));
  if (rows.empty()) return section.paragraph("None.");
  section.table(table);
  report::add_distribution(section, bins, words.of, words.what);
  return section;
}

report::Section group_section(Run& run, const VertexReport& words, const loaders::RowIds& ids,
                              std::vector<VertexId> groups) {
  const auto sizes = tally(run.transport, ids.rows(), std::move(groups));
  return vertex_section(run, words, ids, sizes, [](std::uint64_t size) { return size > 0; });
}

}  // namespace gas::tools
