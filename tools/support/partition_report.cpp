#include "tools/support/partition_report.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace gas::tools {
namespace {

using Value = RunSummary::Value;

std::vector<std::pair<std::string, Value>> entries(const std::string& method, Part parts,
                                                   const partition::Quality& quality) {
  const partition::Replication& replication = quality.replication_factor;
  return {{"method", method},
          {"parts", std::uint64_t{parts}},
          {"replication_factor.all", replication.all},
          {"replication_factor.data", replication.data},
          {"replication_factor.parameter",
           replication.parameter ? Value(*replication.parameter) : Value()},
          {"edge_cut", quality.edge_cut},
          {"edge_balance", quality.edge_balance},
          {"vertex_balance", quality.vertex_balance},
          {"copy_balance", quality.copy_balance},
          {"mirrors_total", quality.mirrors_total},
          {"mirrors_max", quality.mirrors_max},
          {"bytes_per_round", quality.bytes_per_round}};
}

std::string text(const Value& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, std::monostate>)
          return "-";
        else if constexpr (std::is_same_v<V, double>)
          return fmt::format("{:.3f}", v);
        else
          return fmt::format("{}", v);
      },
      value);
}

}  // namespace

std::vector<std::string> partition_keys() {
  std::vector<std::string> keys;
  for (const auto& [key, value] : entries("", 0, {})) keys.push_back(key);
  return keys;
}

void report_partition(RunSummary& summary, const std::string& method, Part parts,
                      const partition::Quality& quality) {
  for (const auto& [key, value] : entries(method, parts, quality)) summary.set(key, value);
  summary.partition_method = method;
  summary.parts = parts;
  summary.replication_factor = quality.replication_factor.all;
  summary.reproducible = true;
}

std::string partition_table(const std::string& method, Part parts,
                            const partition::Quality& quality) {
  std::string table;
  for (const auto& [key, value] : entries(method, parts, quality))
    table += fmt::format("{:<30}{:>16}\n", key, text(value));
  return table;
}

}  // namespace gas::tools
