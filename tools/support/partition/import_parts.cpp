#include "tools/support/partition/import_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "gas/base/error.hpp"
#include "loaders/number_lines.hpp"
#include "loaders/text/text_input.hpp"
#include "partition/import.hpp"

namespace gas::tools {
namespace {

/// Where each rank's edges begin, and the end of all.
std::vector<std::uint64_t> edge_bounds(Communicator& comm, const EdgeList& edges) {
  std::vector<std::uint64_t> bounds{0};
  for (const std::uint64_t count : all_gather(comm, static_cast<std::uint64_t>(edges.size())))
    bounds.push_back(bounds.back() + count);
  return bounds;
}

/// `allowed`: how many numbers there may be.
void check_count(Communicator& comm, const std::string& file, std::uint64_t found,
                 std::initializer_list<std::uint64_t> allowed, const std::string& expected) {
  together(comm, [&] {
    if (std::ranges::find(allowed, found) != allowed.end()) return;
    const std::uint64_t most = std::max(allowed);
    if (found < most)
      throw located_error(loaders::shown(file), found + 1, 1,
                          fmt::format("the end of the file after {} numbers", found), expected);
    throw located_error(loaders::shown(file), most + 1, 1, fmt::format("{} numbers", found),
                        expected);
  });
}

}  // namespace

Partition import_parts(Run& run, const std::string& file, bool of_edges, const EdgeList& edges,
                       const GraphShape& shape, const partition::Options& options) {
  Communicator& comm = run.transport;
  const std::uint64_t vertices = shape.sources + (shape.bipartite ? shape.targets : 0);
  const std::vector<std::uint64_t> bounds = edge_bounds(comm, edges);
  const loaders::NumberLines lines(comm, file, options.parts - 1,
                                   fmt::format("a part from 0 to {}", options.parts - 1));
  if (of_edges)
    check_count(comm, file, lines.size(), {bounds.back()},
                fmt::format("{} (a part per edge)", bounds.back()));
  else
    check_count(
        comm, file, lines.size(), {vertices, bounds.back()},
        fmt::format("{} (a part per vertex) or {} (a part per edge)", vertices, bounds.back()));
  if (lines.size() == vertices && !of_edges) {
    if (vertices == bounds.back())
      run.note(
          "there are as many vertices as edges: the parts are read as those of vertices; if they "
          "are those of edges, give --from-edges");
    std::vector<std::uint64_t> data = loaders::block_bounds(shape.sources, comm.size());
    std::vector<Part> data_parts = lines.share(comm, data);
    std::vector<Part> parameter_parts;
    if (shape.bipartite) {
      std::vector<std::uint64_t> parameters = loaders::block_bounds(shape.targets, comm.size());
      for (std::uint64_t& bound : parameters) bound += shape.sources;
      parameter_parts = lines.share(comm, parameters);
    }
    return partition::import_vertex_parts(comm, edges, shape, options, std::move(data_parts),
                                          std::move(parameter_parts));
  }
  partition::ImportedEdges imported =
      partition::import_edge_parts(comm, edges, shape, options, lines.share(comm, bounds));
  if (imported.moved > 0)
    run.note(fmt::format("{} repeated edges go to the part of the first of them", imported.moved));
  return std::move(imported.partition);
}

std::vector<std::uint32_t> read_weights(Run& run, const std::string& file,
                                        const GraphShape& shape) {
  Communicator& comm = run.transport;
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
  const loaders::NumberLines lines(comm, file, most, fmt::format("a weight from 0 to {}", most));
  const std::string expected = fmt::format("{} (a weight per {})", shape.sources,
                                           shape.bipartite ? "data vertex" : "vertex");
  check_count(comm, file, lines.size(), {shape.sources}, expected);
  return lines.share(comm, loaders::block_bounds(shape.sources, comm.size()));
}

}  // namespace gas::tools
