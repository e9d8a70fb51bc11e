#include "partition/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "partition/degrees.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {

DegreeHistogram histogram(Communicator& comm, const std::vector<std::uint32_t>& block_degrees) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint32_t d : block_degrees)
    if (d > 0) ++counts[d];
  std::vector<DegreeCount> mine;
  for (const auto& [d, vertices] : counts) mine.push_back({d, vertices});
  counts.clear();
  for (const DegreeCount& count : whole(comm, mine)) counts[count.degree] += count.vertices;
  DegreeHistogram all;
  for (const auto& [d, vertices] : counts) all.push_back({d, vertices});
  return all;
}

DegreeHistograms degree_histograms(Communicator& comm, const EdgeList& edges,
                                   const GraphShape& shape) {
  const auto of = [&](BlockDistribution blocks, const std::vector<VertexId>& rows) {
    return histogram(comm,
                     block_degrees(comm, blocks, [&](auto f) { std::ranges::for_each(rows, f); }));
  };
  return {of(source_blocks(comm, shape), edges.source),
          of(target_blocks(comm, shape), edges.target)};
}

double expected_mirrors(const DegreeHistogram& histogram, Part parts) {
  double mirrors = 0;
  for (const auto& [degree, vertices] : histogram)
    mirrors += static_cast<double>(vertices) *
               (parts * (1 - std::pow(1 - 1.0 / parts, static_cast<double>(degree))) - 1);
  return mirrors;
}

std::vector<Grid> grids(const DegreeHistograms& degrees, Part parts) {
  std::vector<Grid> all;
  for (Part rows = 1; rows <= parts; ++rows)
    if (parts % rows == 0)
      all.push_back({rows, parts / rows,
                     expected_mirrors(degrees.data, parts / rows) +
                         expected_mirrors(degrees.parameter, rows)});
  std::ranges::stable_sort(all, {}, &Grid::mirrors);
  return all;
}

Grid best_grid(const DegreeHistograms& degrees, Part parts) {
  return grids(degrees, parts).front();
}

}  // namespace gas::partition
