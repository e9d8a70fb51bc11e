#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct TrianglesOptions {
  RunOptions run = {};
  OnRound on_round = {};
  std::function<void()> on_close =
      {};  // called when the rounds are over, before results are laid out
};

struct TriangleCounts {
  // By vertex id, of this rank's block of ids.
  std::vector<std::uint64_t> triangles;  // that the vertex is a corner of
  std::vector<double> clustering;        // the share of its pairs of neighbours that are neighbours
  // Over all ranks.
  std::uint64_t count = 0;
  double transitivity = 0;     // 3 × triangles / pairs of edges that meet; 0 where there are none
  double mean_clustering = 0;  // over all vertices
  Outcome outcome;
};

/// Counts the triangles of every vertex, exactly. Arcs count as undirected edges, each pair once.
/// O(Σ min(degrees)) over the edges. Collective.
TriangleCounts triangles(const Context& context, const Graph& graph,
                         const TrianglesOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that triangles does not allow. Local.
void check_triangles(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double triangles_bytes(const PieceSizes& piece);

}  // namespace gas
