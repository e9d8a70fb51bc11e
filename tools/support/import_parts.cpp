#include "tools/support/import_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gas/graph/error.hpp"
#include "loaders/number_lines.hpp"
#include "loaders/text_input.hpp"
#include "partition/import.hpp"

namespace gas::tools {
namespace {

/// Where each rank's edges begin, and the end of all.
std::vector<std::uint64_t> edge_bounds(Team& team, const EdgeList& edges) {
  std::vector<std::uint64_t> bounds{0};
  for (const std::uint64_t count : all_gather(team, static_cast<std::uint64_t>(edges.size())))
    bounds.push_back(bounds.back() + count);
  return bounds;
}

void check_count(Team& team, const std::string& file, std::uint64_t found, std::uint64_t vertices,
                 std::uint64_t edges) {
  together(team, [&] {
    if (found == vertices || found == edges) return;
    const std::string expected =
        fmt::format("{} (a part per vertex) or {} (a part per edge)", vertices, edges);
    if (found < std::max(vertices, edges))
      throw located_error(loaders::shown(file), found + 1, 1,
                          fmt::format("the end of the file after {} numbers", found), expected);
    throw located_error(loaders::shown(file), std::max(vertices, edges) + 1, 1,
                        fmt::format("{} numbers", found), expected);
  });
}

}  // namespace

Partition import_parts(Run& run, const std::string& file, bool of_edges, const EdgeList& edges,
                       const GraphShape& shape, const partition::Options& options) {
  Team& team = run.transport;
  const std::uint64_t vertices = shape.sources + (shape.bipartite ? shape.targets : 0);
  const std::vector<std::uint64_t> bounds = edge_bounds(team, edges);
  const loaders::NumberLines lines(team, file, options.parts - 1,
                                   fmt::format("a part from 0 to {}", options.parts - 1));
  check_count(team, file, lines.size(), vertices, bounds.back());
  if (lines.size() == vertices && (vertices != bounds.back() || !of_edges)) {
    if (vertices == bounds.back())
      run.note("as many vertices as edges: parts taken as those of vertices (--from-edges: edges)");
    std::vector<std::uint64_t> data = loaders::home_bounds(shape.sources, team.size());
    std::vector<Part> data_parts = lines.share(team, data);
    std::vector<Part> parameter_parts;
    if (shape.bipartite) {
      std::vector<std::uint64_t> parameters = loaders::home_bounds(shape.targets, team.size());
      for (std::uint64_t& bound : parameters) bound += shape.sources;
      parameter_parts = lines.share(team, parameters);
    }
    return partition::import_vertex_parts(team, edges, shape, options, std::move(data_parts),
                                          std::move(parameter_parts));
  }
  partition::ImportedEdges imported =
      partition::import_edge_parts(team, edges, shape, options, lines.share(team, bounds));
  if (imported.moved > 0)
    run.note(fmt::format("{} edges go where the first of their repeats does", imported.moved));
  return std::move(imported.partition);
}

}  // namespace gas::tools
