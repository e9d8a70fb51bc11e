// Cuts a graph into parts and keeps the partition for later runs.
#include <fmt/format.h>

#include <vector>

#include "gas/base/error.hpp"
#include "gas/graph/local_graph.hpp"
#include "loaders/load_graph.hpp"
#include "partition/edge_cut.hpp"
#include "partition/folder/folder.hpp"
#include "partition/folder/part_file.hpp"
#include "partition/folder/part_list.hpp"
#include "partition/measure/balance.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/graph/stored_graph.hpp"
#include "tools/support/partition/import_parts.hpp"
#include "tools/support/partition/partition_report.hpp"
#include "tools/support/run/run_tool.hpp"

namespace {

using namespace gas;

struct Settings {
  partition::Options cut;
  partition::Widths widths;
  std::uint64_t memory_mib = 0;
  std::string vertex_weights = "degree";  // or none, or a file
  bool weights_given = false;             // by --vertex-weights
  std::string metis_scheme = "better";
  std::string vertex_parts, edge_parts;  // files, or empty
  std::string from;                      // for the method `import`
  bool from_edges = false;
  std::string objective = "total";
};

constexpr const char* import_method = "import";

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const partition::Method& method : partition::methods()) names.emplace_back(method.name);
  names.emplace_back(import_method);
  return names;
}

std::string method_table() {
  std::string table;
  for (const partition::Method& method : partition::methods())
    table += fmt::format("{:<18}{}\n", method.name, method.when);
  return table + fmt::format("{:<18}{}\n", import_method,
                             "parts from another program, or of an earlier run (--from FILE)");
}

void set_up(tools::Options& options, Settings& settings) {
  options.describe("Cuts a graph into parts, for runs with as many ranks or fewer.",
                   "gas-partition links.txt --parts 4 -o parts");
  options.take_input({"edges", "libsvm", "vw", "ldac", "docword", "mtx", "metis", "hmetis"});
  options.take_seed();
  options.take_output({"ids.txt", "names.txt", "parameter_ids.txt", "parameter_names.txt"});
  options.take_undirected();
  options.take_bipartite();
  options.take_vertices(tools::Options::Kinds::by_option);
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
               "hdrf: how much balance counts beside copies");
  options.count(
      "--memory", settings.memory_mib, 0,
      "ne: most MiB for lists of neighbours; the edges between the vertices of most edges "
      "stay out of them (0: no bound)",
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
  tools::take_partition_report(options, settings.widths);
  options.check([&options, &settings] {
    if ((settings.cut.method == import_method) != options.given("--from"))
      throw UsageError("--method import and --from FILE belong together");
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
    if (options.given("--vertex-weights") && settings.cut.method == import_method)
      throw UsageError("--method import takes parts as they are, without --vertex-weights");
    if (settings.cut.method != import_method)
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
  });
}

/// Whether each of this rank's arcs is as INPUT has it: not the reverse of the one before it.
std::vector<bool> arcs_of_input(const EdgeList& pairs, bool undirected) {
  std::vector<bool> of_input;
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    of_input.push_back(true);
    if (undirected && pairs.source[e] != pairs.target[e]) of_input.push_back(false);
  }
  return of_input;
}

void tell_balance(tools::Run& run, const partition::Balance& balance,
                  partition::VertexWeights weights) {
  if (balance.kept) return;
  const char* const unit = weights == partition::VertexWeights::degree ? "edges"
                           : weights == partition::VertexWeights::none ? "vertices"
                                                                       : "of weight";
  const std::string text = fmt::format("the largest part has {} {}, at most {} were asked for",
                                       balance.largest, unit, balance.promised);
  run.warn(text + ": " + balance.reason);
}

/// Takes the weights that a METIS graph has itself, where the method can use them; says where not.
void use_own_weights(tools::Run& run, const tools::InputGraph& loaded, Settings& settings) {
  if (loaded.format != loaders::Format::metis) return;
  partition::Options& cut = settings.cut;
  const bool imported = cut.method == import_method;
  const auto unused = [&](const char* which) {
    run.warn(fmt::format("weights of {} are not used: by --method {} {}", which, cut.method,
                         imported ? "parts are given" : "all weigh alike"));
  };
  cut.weighs_pairs = partition::value_bytes(run.transport, loaded.edges) > 0;
  if (cut.weighs_pairs && !cut.method.starts_with("metis")) {
    cut.weighs_pairs = false;
    unused("edges");
  }
  if (loaded.vertex_weights == 0 || settings.weights_given) return;
  if (imported || !partition::find_method(cut.method).weighs_vertices) return unused("vertices");
  if (loaded.vertex_weights > 1)
    throw located_error(run.options.input, 0, 0,
                        fmt::format("{} weights of each vertex", loaded.vertex_weights),
                        "one, or --vertex-weights: parts are balanced by one");
  cut.vertex_weights = partition::VertexWeights::given;
  cut.given_weights = loaded.weight;
}

void work(tools::Run& run, Settings settings) {
  Communicator& comm = run.transport;
  run.enter(tools::Phase::load);
  partition::InputIdentity input;
  if (run.has_output()) input = tools::identify_input(run);
  tools::InputGraph loaded = tools::read_graph(
      run, {.kinds = run.options.bipartite ? tools::Kinds::two : tools::Kinds::any,
            .values = tools::Values::as_stored});
  const GraphShape& shape = loaded.shape;
  const bool undirected = run.options.undirected || loaded.undirected;
  if (undirected && shape.bipartite)
    throw located_error(run.options.input_name(), 0, 0, "a graph of two kinds of vertices",
                        "a plain one for --undirected");
  run.summary.data_vertices = shape.sources;
  run.summary.parameter_vertices = shape.bipartite ? shape.targets : 0;
  run.summary.edges = all_sum(comm, static_cast<std::uint64_t>(loaded.edges.size()));

  run.enter(tools::Phase::partition);
  settings.cut.seed = run.options.seed;
  settings.cut.tell = [&run](const std::string& why) { run.note(why); };
  if (settings.objective == "busiest") settings.cut.objective = partition::Objective::busiest;
  settings.cut.memory = settings.memory_mib << 20U;
  loaded.edges.both_ways = undirected;
  if (settings.cut.vertex_weights == partition::VertexWeights::given)
    settings.cut.given_weights = tools::read_weights(run, settings.vertex_weights, shape);
  use_own_weights(run, loaded, settings);
  const bool given = settings.cut.vertex_weights == partition::VertexWeights::given;
  const EdgeList& edges = loaded.edges;
  const Partition cut =
      settings.cut.method == import_method
          ? tools::import_parts(run, settings.from, settings.from_edges, edges, shape, settings.cut)
          : partition::make_partition(comm, edges, shape, settings.cut);
  run.enter(tools::Phase::compute);
  const partition::Measured quality = partition::quality(comm, edges, shape, cut);
  tell_balance(run, partition::balance(comm, edges, shape, cut, settings.cut),
               settings.cut.vertex_weights);
  partition::Quality told = quality;
  if (undirected) told.edge_cut /= 2;  // pairs, as `edges`; loops are never cut
  const std::size_t value_bytes = partition::value_bytes(comm, edges);
  tools::report_partition(
      run.summary, cut.method, cut.parts, told,
      partition::predict(quality, shape.bipartite, value_bytes, settings.widths));

  if (run.shows()) run.table = tools::partition_table;

  run.enter(tools::Phase::output);
  std::vector<bool> of_input;
  if (!settings.edge_parts.empty()) of_input = arcs_of_input(loaded.edges, undirected);
  const bool writes = run.has_output() || !settings.edge_parts.empty();
  if (undirected && writes) add_reverse_arcs(loaded.edges);
  run.write_files([&](const std::filesystem::path& folder) {
    const partition::Provenance how{.seed = settings.cut.seed,
                                    .imbalance_percent = settings.cut.imbalance_percent,
                                    .vertex_weights = given ? "given" : settings.vertex_weights,
                                    .input = input,
                                    .format = std::string(loaders::format_name(loaded.format)),
                                    .pairs = loaded.undirected,
                                    .undirected = undirected,
                                    .declared = !run.options.vertices.empty()};
    tools::write_ids(comm, folder, loaded);
    run.manifest.identity = input;
    run.manifest.partition = partition::write_parts(comm, folder, edges, shape, cut, quality, how,
                                                    tools::row_data(comm, loaded));
    run.manifest.files = run.manifest.partition->part_files;
  });
  if (!settings.vertex_parts.empty())
    partition::write_vertex_parts(comm, settings.vertex_parts, cut);
  if (!settings.edge_parts.empty()) {
    std::vector<Part> parts;
    for (std::size_t arc = 0; arc < of_input.size(); ++arc)
      if (of_input[arc]) parts.push_back(cut.edge_part[arc]);
    partition::write_edge_parts(comm, settings.edge_parts, parts);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  return tools::run_tool(
      "gas-partition", argc, argv, [&](tools::Options& options) { set_up(options, settings); },
      [&](tools::Run& run) { return work(run, settings); });
}
