#include <cmath>

#include "partition/degrees.hpp"
#include "partition/edge_cut.hpp"
#include "partition/keyed_hash.hpp"
#include "partition/method.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

/// rows × columns parts. A vertex that chooses the row has copies in that row's columns alone.
struct Grid {
  Part rows = 1;
  Part columns = 1;
};

/// For each of this rank's edges, whether its source chooses the row.
std::vector<bool> source_chooses_row(Team& team, const EdgeList& edges, const GraphShape& shape) {
  if (shape.bipartite) return std::vector<bool>(edges.size(), true);
  std::vector<bool> chooses = lower_sources(team, edges, shape);
  chooses.flip();
  return chooses;
}

/// The copies of a vertex that a hash spreads over `cells` cells, in 1/1024: whole numbers, so that
/// their sum does not depend on its order.
std::uint64_t expected_copies(std::uint64_t edges, Part cells) {
  if (cells == 1) return edges > 0 ? 1024 : 0;
  const double missed = std::pow(1 - 1.0 / cells, static_cast<double>(edges));
  return static_cast<std::uint64_t>(std::llround(1024 * cells * (1 - missed)));
}

/// The shape with the fewest expected copies; among equals the fewest rows. Collective.
Grid best_grid(Team& team, const EdgeList& edges, const GraphShape& shape,
               const std::vector<bool>& by_source, Part parts) {
  struct Ends {
    std::uint64_t vertex;
    std::uint64_t choosing_row, choosing_column;
  };
  const std::uint64_t shift = shape.bipartite ? shape.sources : 0;
  const HomeRange home{shift + shape.targets, team.size()};
  std::vector<std::uint32_t> choosing_row(home.rows, 0), choosing_column(home.rows, 0);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::uint64_t source = edges.source[e], target = edges.target[e] + shift;
    ++choosing_row[by_source[e] ? source : target];
    ++choosing_column[by_source[e] ? target : source];
  }
  std::vector<std::vector<Ends>> out(static_cast<std::size_t>(team.size()));
  for (std::uint64_t v = 0; v < home.rows; ++v)
    if (choosing_row[v] + choosing_column[v] > 0)
      out[static_cast<std::size_t>(home.home(v))].push_back(
          {v, choosing_row[v], choosing_column[v]});
  std::vector<Ends> ends(home.count(team.rank()));
  for (const auto& block : all_to_all(team, std::move(out)))
    for (const Ends& each : block) {
      ends[each.vertex - home.first(team.rank())].choosing_row += each.choosing_row;
      ends[each.vertex - home.first(team.rank())].choosing_column += each.choosing_column;
    }

  Grid best;
  std::uint64_t fewest = 0;
  for (Part rows = 1; rows <= parts; ++rows) {
    if (parts % rows != 0) continue;
    std::uint64_t copies = 0;
    for (const Ends& each : ends)
      copies += expected_copies(each.choosing_row, parts / rows) +
                expected_copies(each.choosing_column, rows);
    copies = all_sum(team, copies);
    if (rows == 1 || copies < fewest) {
      best = {rows, parts / rows};
      fewest = copies;
    }
  }
  return best;
}

}  // namespace

Partition grid_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  const std::vector<bool> by_source = source_chooses_row(team, edges, shape);
  const Grid grid = best_grid(team, edges, shape, by_source, options.parts);
  std::vector<Part> parts(edges.size());
  for (std::size_t e = 0; e < parts.size(); ++e) {
    const Row source = edges.source[e], target = edges.target[e];
    const Part row = hash_below(by_source[e] ? source : target, options.seed, grid.rows);
    const Part column = hash_below(by_source[e] ? target : source, ~options.seed, grid.columns);
    parts[e] = row * grid.columns + column;
  }
  return vertex_cut(team, edges, shape, options, std::move(parts));
}

}  // namespace gas::partition
