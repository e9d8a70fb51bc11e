#include "tools/support/partition/partition_report.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

using Entries = std::vector<std::pair<std::string, Value>>;

Entries entries(const std::string& method, Part parts, const partition::Quality& quality,
                const partition::Prediction& prediction) {
  Entries entries{{"method", method}, {"parts", std::uint64_t{parts}}};
  const auto add = [&]<class T>(const char* key, const T& member) {
    if constexpr (std::is_same_v<T, std::optional<double>>)
      entries.emplace_back(key, member ? Value(*member) : Value());
    else
      entries.emplace_back(key, member);
  };
  for_each_key(quality, add);
  for_each_key(prediction, add);
  return entries;
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32U;

/// "8" for both kinds, "8,16" for data and parameters; of each the member `what` is set.
void read_widths(const std::string& name, const std::string& found, partition::Widths& widths,
                 std::uint64_t partition::Widths::Kind::*what) {
  const auto number = [&](std::string_view digits) {
    std::uint64_t bytes = 0;
    if (!parse_number(digits, bytes) || bytes > most_bytes)
      throw UsageError(
          fmt::format("{}: found '{}', expected a number of bytes, or two (of data and of "
                      "parameter vertices) with a comma between",
                      name, found));
    return bytes;
  };
  const std::size_t comma = found.find(',');
  widths.data.*what = number(std::string_view(found).substr(0, comma));
  widths.parameter.*what = comma == std::string::npos
                               ? widths.data.*what
                               : number(std::string_view(found).substr(comma + 1));
}

}  // namespace

void take_partition_report(Options& options, partition::Widths& widths) {
  struct Texts {
    std::string published, total;
  };
  const auto texts = std::make_shared<Texts>(
      Texts{std::to_string(widths.data.published), std::to_string(widths.data.total)});
  options.text("--published", texts->published, "BYTES[,BYTES]",
               "For the prediction: bytes that a vertex publishes; two numbers for the data and "
               "the parameter vertices of a bipartite graph; 0: none");
  options.text("--total", texts->total, "BYTES[,BYTES]",
               "For the prediction: bytes of the sum that a vertex gathers; one or two numbers, as "
               "for --published");
  options.check([texts, &widths] {
    read_widths("--published", texts->published, widths, &partition::Widths::Kind::published);
    read_widths("--total", texts->total, widths, &partition::Widths::Kind::total);
  });
  std::vector<std::string> keys;
  for (const auto& [key, value] : entries("", 0, {}, {})) keys.push_back(key);
  options.summary_keys(std::move(keys));
}

void check_widths(Communicator& comm, const partition::Widths& widths, bool bipartite) {
  const bool alike = widths.data.published == widths.parameter.published &&
                     widths.data.total == widths.parameter.total;
  together(comm, [&] {
    if (!bipartite && !alike)
      throw UsageError(
          "--published and --total take two numbers for a bipartite graph: this one has one kind "
          "of vertex");
  });
}

void report_partition(RunSummary& summary, const std::string& method, Part parts,
                      const partition::Quality& quality, const partition::Prediction& prediction) {
  for (const auto& [key, value] : entries(method, parts, quality, prediction))
    summary.set(key, value);
  summary.partition_method = method;
  summary.parts = parts;
  summary.replication_factor = quality.replication_factor.all;
  summary.reproducible = true;
}

std::string partition_table(const RunSummary& summary) {
  Entries entries = summary.own;
  entries.emplace_back("seconds", summary.total_seconds);
  entries.emplace_back("peak_memory_bytes", summary.peak_memory_bytes);
  Table table({Table::Side::left, Table::Side::right});
  for (const auto& [key, value] : entries) table.row({key, shown(value)});
  return table.text();
}

}  // namespace gas::tools
