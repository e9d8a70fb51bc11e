#include "partition/vertex_cut.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/keyed_hash.hpp"

namespace gas::partition {
namespace {

/// The part of an edge under 44 bits of its hash: the least of a vertex's draws wins.
using Draw = std::uint64_t;
constexpr Draw no_draw = std::numeric_limits<Draw>::max();
constexpr unsigned part_bits = 20;
static_assert(max_parts <= std::uint64_t{1} << part_bits);

Draw draw(Row source, Row target, Part part, std::uint64_t seed) {
  const auto [low, high] = std::minmax(source, target);
  return keyed_hash(std::uint64_t{low} << 32U | high, seed ^ 0x9E3779B97F4A7C15) >>
             part_bits << part_bits |
         part;
}

/// The least draw of each row of `rows`, by its number there.
std::vector<Draw> least_draws(const EdgeList& edges, const std::vector<Part>& parts,
                              const RowSet& rows, std::uint64_t seed, bool sources, bool targets) {
  std::vector<Draw> least(rows.size(), no_draw);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Draw drawn = draw(edges.source[e], edges.target[e], parts[e], seed);
    const auto take = [&](Row row) {
      Draw& best = least[rows[row]];
      best = std::min(best, drawn);
    };
    if (sources) take(edges.source[e]);
    if (targets) take(edges.target[e]);
  }
  return least;
}

/// The masters of this rank's home rows.
std::vector<Part> masters(Team& team, HomeRange home, const RowSet& rows,
                          const std::vector<Draw>& least, Part parts) {
  struct Offer {
    Draw draw;
    Row row;
  };
  std::vector<std::vector<Offer>> out(static_cast<std::size_t>(team.size()));
  std::size_t number = 0;
  rows.for_each([&](Row row) {
    out[static_cast<std::size_t>(home.home(row))].push_back({least[number++], row});
  });
  std::vector<Draw> best(home.count(team.rank()), no_draw);
  for (const auto& block : all_to_all(team, std::move(out)))
    for (const Offer& offer : block) {
      Draw& kept = best[offer.row - home.first(team.rank())];
      kept = std::min(kept, offer.draw);
    }
  std::uint64_t without_edge =
      sum_before(team, static_cast<std::uint64_t>(std::count(best.begin(), best.end(), no_draw)));
  std::vector<Part> result;
  result.reserve(best.size());
  for (const Draw kept : best)
    result.push_back(static_cast<Part>(kept == no_draw ? without_edge++ % parts
                                                       : kept & ((1U << part_bits) - 1)));
  return result;
}

}  // namespace

Partition vertex_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                     const Options& options, std::vector<Part> parts) {
  Partition cut;
  cut.parts = options.parts;
  {
    const RowSet rows = source_rows(edges, shape);
    const auto least = least_draws(edges, parts, rows, options.seed, true, !shape.bipartite);
    cut.source_master = masters(team, source_home(team, shape), rows, least, options.parts);
  }
  if (shape.bipartite) {
    const RowSet rows = target_rows(edges, shape);
    const auto least = least_draws(edges, parts, rows, options.seed, false, true);
    cut.target_master = masters(team, target_home(team, shape), rows, least, options.parts);
  }
  if (edges.both_ways) {
    cut.edge_part.reserve(edges.arcs());
    edges.for_each_arc([&](Row, Row, std::size_t e) { cut.edge_part.push_back(parts[e]); });
  } else {
    cut.edge_part = std::move(parts);
  }
  return cut;
}

}  // namespace gas::partition
