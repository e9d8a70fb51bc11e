#include "partition/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "partition/edge_cut.hpp"

namespace gas::partition {
namespace {

DegreeHistogram histogram(Team& team, const std::vector<Row>& rows, HomeRange home) {
  std::vector<std::vector<Row>> out(static_cast<std::size_t>(team.size()));
  for (const Row row : rows) out[static_cast<std::size_t>(home.home(row))].push_back(row);
  std::vector<std::uint64_t> degree(home.count(team.rank()), 0);
  for (const auto& block : all_to_all(team, std::move(out)))
    for (const Row row : block) ++degree[row - home.first(team.rank())];
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t d : degree)
    if (d > 0) ++counts[d];
  std::vector<DegreeCount> mine;
  for (const auto& [d, vertices] : counts) mine.push_back({d, vertices});
  counts.clear();
  for (const auto& block : all_gather(team, std::span<const DegreeCount>(mine)))
    for (const DegreeCount& count : block) counts[count.degree] += count.vertices;
  DegreeHistogram all;
  for (const auto& [d, vertices] : counts) all.push_back({d, vertices});
  return all;
}

}  // namespace

DegreeHistograms degree_histograms(Team& team, const EdgeList& edges, const GraphShape& shape) {
  return {histogram(team, edges.source, source_home(team, shape)),
          histogram(team, edges.target, target_home(team, shape))};
}

double expected_mirrors(const DegreeHistogram& histogram, Part parts) {
  double mirrors = 0;
  for (const auto& [degree, vertices] : histogram)
    mirrors += static_cast<double>(vertices) *
               (parts * (1 - std::pow(1 - 1.0 / parts, static_cast<double>(degree))) - 1);
  return mirrors;
}

Grid best_grid(const DegreeHistograms& degrees, Part parts) {
  Grid best;
  for (Part rows = 1; rows <= parts; ++rows) {
    if (parts % rows != 0) continue;
    const Grid grid{
        rows, parts / rows,
        expected_mirrors(degrees.data, parts / rows) + expected_mirrors(degrees.parameter, rows)};
    if (rows == 1 || grid.mirrors < best.mirrors) best = grid;
  }
  return best;
}

}  // namespace gas::partition
