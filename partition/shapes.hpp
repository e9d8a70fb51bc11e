#pragma once

#include <cstdint>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// How many vertices have how many edges.
struct DegreeCount {
  std::uint64_t degree = 0;
  std::uint64_t vertices = 0;
};

/// Of one kind of vertices of a bipartite graph, among all ranks' edges, ascending.
using DegreeHistogram = std::vector<DegreeCount>;
struct DegreeHistograms {
  DegreeHistogram data, parameter;
};

/// From the degrees of every rank's block of rows (block_degrees of degrees.hpp). Collective.
DegreeHistogram histogram(Communicator& comm, const std::vector<std::uint32_t>& block_degrees);

/// Collective; O(edges) time, 4 bytes per row here.
DegreeHistograms degree_histograms(Communicator& comm, const EdgeList& edges,
                                   const GraphShape& shape);

/// Mirrors to expect if the edges of every vertex fall on `parts` parts at random:
/// Σ parts (1 − (1 − 1 / parts)^degree) − 1.
double expected_mirrors(const DegreeHistogram& histogram, Part parts);

/// rows × columns parts, in which a data vertex chooses a row and a parameter a column; with the
/// mirrors to expect if they choose at random.
struct Grid {
  Part rows = 1;
  Part columns = 1;
  double mirrors = 0;
};

/// All grids of so many parts, those with the fewest mirrors first; among equals the fewest rows.
std::vector<Grid> grids(const DegreeHistograms& degrees, Part parts);

/// The first of them.
Grid best_grid(const DegreeHistograms& degrees, Part parts);

}  // namespace gas::partition
