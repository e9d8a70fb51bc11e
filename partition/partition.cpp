#include "partition/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/base/suggestion.hpp"
#include "partition/methods/method.hpp"
#include "partition/metis/graph.hpp"

namespace gas::partition {
namespace {

constexpr std::string_view hashed =
    "this method places edges by a hash, whatever the balance: for even parts, choose another "
    "method";

constexpr std::string_view searched = Method().unbalanced;
constexpr double of_pair = metis_bytes_per_pair;

constexpr auto all_methods = std::to_array<Method>({
    {"metis",
     "fewest edges cut; the default; rank 0 must hold the graph (125 bytes per edge)",
     metis_cut,
     true,
     searched,
     {of_pair, of_pair, true}},
    {"metis-vertex-cut",
     "metis, but the edges of hubs are shared out; same memory",
     metis_vertex_cut,
     false,
     "this method places an edge on the part of one of its ends: for even parts, choose another "
     "method",
     {of_pair, of_pair, true}},
    {"hypergraph",
     "fewest mirrors if edges follow a vertex: bipartite graphs with few edges per data vertex",
     hypergraph_cut,
     true,
     searched,
     {110, 65, true}},
    {"aweto",
     "as hypergraph, in a tenth of the time and not gathered; memory 4 x parameters x parts",
     aweto_cut,
     true,
     searched,
     {34, 21, false, 4}},
    {"ne", "fewest copies, for graphs with hubs; rank 0 must hold 8 bytes per edge", expansion_cut},
    {"ne-balanced", "as ne, with as many copies on each part: even memory and exchange; slower",
     balanced_expansion_cut},
    {"hdrf",
     "few copies without room for the graph: one pass that holds no edge",
     hdrf_cut,
     false,
     searched,
     {0, 0, false, 0.125}},
    {"greedy",
     "as hdrf, for graphs without hubs",
     greedy_cut,
     false,
     searched,
     {0, 0, false, 0.125}},
    {"grid", "dense graphs, data or parameters of many edges: two hashes, shape searched", grid_cut,
     false, hashed},
    {"checkerboard",
     "as grid, but bipartite, balanced and with fewer copies",
     checkerboard_cut,
     false,
     searched,
     {68, 62, false, 4}},
    {"dbh", "fastest that knows hubs: a hash of the end with fewer edges", degree_hash_cut, false,
     hashed},
    {"range", "rows whose order already has locality, or graphs too large for metis", range_cut,
     true},
    {"hash", "no structure to use, or rows sorted so that ranges would be lopsided", hash_cut,
     false, hashed},
    {"random", "a hash of the edge: even and fastest, most copies; a baseline", random_cut, false,
     hashed},
    {"auto", "tries what the degrees promise most of, within --budget, and takes the best",
     auto_cut},
});

}  // namespace

std::span<const Method> methods() { return all_methods; }

const Method& find_method(std::string_view name) {
  const Method* nearest = all_methods.data();
  for (const Method& method : all_methods) {
    if (method.name == name) return method;
    if (edit_distance(name, method.name) < edit_distance(name, nearest->name)) nearest = &method;
  }
  std::string known;
  for (const Method& method : all_methods)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", method.name);
  throw UsageError(fmt::format("no partitioning method '{}'; did you mean '{}'? Known: {}", name,
                               nearest->name, known));
}

void require_weighing(const Method& method, VertexWeights weights) {
  if (weights == VertexWeights::degree || method.weighs_vertices) return;
  std::string able;
  for (const Method& each : all_methods)
    if (each.weighs_vertices) able += fmt::format("{}{}", able.empty() ? "" : ", ", each.name);
  throw UsageError(
      fmt::format("method '{}' balances edges, not vertices or their weights; these can: {}",
                  method.name, able));
}

Partition make_partition(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                         const Options& options) {
  const Method* method = nullptr;
  together(comm, [&] {
    method = &find_method(options.method);
    if (options.parts < 1 || options.parts > max_parts)
      throw UsageError(
          fmt::format("found {} parts, expected a number from 1 to {}", options.parts, max_parts));
    if (!std::isfinite(options.imbalance_percent) || options.imbalance_percent < 0)
      throw UsageError(fmt::format("found an imbalance of {} percent, expected 0 or more",
                                   options.imbalance_percent));
    require_weighing(*method, options.vertex_weights);
  });
  Partition partition = method->run(comm, edges, shape, options);
  if (partition.method.empty()) partition.method = method->name;
  return partition;
}

}  // namespace gas::partition
