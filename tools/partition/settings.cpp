#include "tools/partition/settings.hpp"

#include <fmt/format.h>

#include <vector>

#include "gas/base/error.hpp"
#include "partition/folder/part_file.hpp"
#include "tools/support/partition/partition_report.hpp"

namespace gas::tools {
namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const partition::Method& method : partition::methods()) names.emplace_back(method.name);
  names.emplace_back(PartitionSettings::import_method);
  return names;
}

std::string method_table() {
  std::string table;
  for (const partition::Method& method : partition::methods())
    table += fmt::format("{:<18}{}\n", method.name, method.when);
  return table + fmt::format("{:<18}{}\n", PartitionSettings::import_method,
                             "parts from another program, or of an earlier run (--from FILE)");
}

/// What the options do not allow together; sets what follows from several of them.
void check(Options& options, PartitionSettings& settings) {
  if (settings.imports() != options.given("--from"))
    throw UsageError("--method import and --from FILE need each other: give both or neither");
  for (const char* name : {"--objective", "--budget"})
    if (options.given(name) && settings.cut.method != "auto")
      throw UsageError(fmt::format("{} needs --method auto", name));
  if (settings.from_edges && !options.given("--from"))
    throw UsageError("--from-edges needs --from FILE");
  if (options.common.undirected && options.common.bipartite)
    throw UsageError("--undirected and --bipartite exclude each other");
  settings.weights_given = options.given("--vertex-weights");
  if (settings.vertex_weights == "none")
    settings.cut.vertex_weights = partition::VertexWeights::none;
  else if (settings.vertex_weights != "degree")
    settings.cut.vertex_weights = partition::VertexWeights::given;
  if (options.given("--vertex-weights") && settings.imports())
    throw UsageError("--method import does not change the given parts: leave out --vertex-weights");
  if (!settings.imports())
    partition::require_weighing(partition::find_method(settings.cut.method),
                                settings.cut.vertex_weights);
  for (Part part = 0; part < settings.cut.parts; ++part)
    options.may_write(partition::part_file_name(part));
  if (settings.metis_scheme == "recursive")
    settings.cut.metis_scheme = partition::MetisScheme::recursive;
  else if (settings.metis_scheme == "kway")
    settings.cut.metis_scheme = partition::MetisScheme::kway;
  if (options.given("--metis-scheme") && !settings.cut.method.starts_with("metis"))
    throw UsageError("--metis-scheme needs --method metis or metis-vertex-cut");
  if (options.given("--lambda") && settings.cut.method != "hdrf")
    throw UsageError("--lambda needs --method hdrf");
  if (options.given("--memory") && settings.cut.method != "ne" &&
      settings.cut.method != "ne-balanced")
    throw UsageError("--memory needs --method ne or ne-balanced");
}

}  // namespace

void take_partition_settings(Options& options, PartitionSettings& settings) {
  options.describe("Cuts a graph into parts, for runs on at most as many ranks as parts.",
                   "gas-partition links.txt --parts 4 -o parts",
                   "gas-partition links.txt --parts 4 --method metis -o parts");
  options.take_input({"edges", "libsvm", "vw", "ldac", "docword", "mtx", "metis", "hmetis"});
  options.take_seed();
  options.take_dry_run();
  options.take_report();
  options.take_output({"ids.txt", "names.txt", "parameter_ids.txt", "parameter_names.txt"});
  options.take_undirected();
  options.take_bipartite();
  options.take_vertices(Options::Kinds::by_option);
  settings.cut.parts = 0;  // no default
  options.count("--parts", settings.cut.parts, 1, "Parts", partition::max_parts);
  options.require("--parts");
  options.choice("--method", settings.cut.method, method_names(), "How to cut");
  options.real("--imbalance", settings.cut.imbalance_percent, {.least = 0},
               "Percent by which the largest part may exceed the mean, by --vertex-weights");
  options.text("--vertex-weights", settings.vertex_weights, "none|degree|FILE",
               "What parts are balanced by: vertices, edges, or a weight for each vertex (or data "
               "vertex) by row; edge-cuts only. Without it a METIS graph's own weights count");
  options.choice(
      "--metis-scheme", settings.metis_scheme, {"better", "recursive", "kway"},
      "metis: bisect again and again, or cut into all parts at once; better: do both and "
      "take the one that cuts less");
  options.real("--lambda", settings.cut.lambda, {.least = 0},
               "hdrf: weight of balance against the number of copies");
  options.count("--memory", settings.memory_mib, 0,
                "ne: most MiB for lists of neighbours; edges between the vertices of highest "
                "degree stay out of them (0: no bound)",
                std::uint64_t{1} << 40U);
  options.written_file("--metis-part", settings.vertex_parts,
                       "Write the part of each vertex, by row");
  options.written_file("--edge-part", settings.edge_parts,
                       "Write the part of each edge of INPUT, in its order");
  options.choice("--objective", settings.objective, {"total", "busiest"},
                 "For --method auto: least mirrors in all, or at the part that exchanges most");
  options.real("--budget", settings.cut.budget_seconds, {.least = 0},
               "For --method auto: seconds that it may take, by estimate");
  options.text("--from", settings.from, "FILE",
               "For --method import: what --metis-part or --edge-part writes");
  options.flag("--from-edges", settings.from_edges,
               "FILE has a part per edge, even if it has as many lines as there are vertices");
  options.printing("--methods", method_table, "List the methods and when to use them");
  take_partition_report(options, settings.widths);
  options.check([&options, &settings] { check(options, settings); });
}

}  // namespace gas::tools
