#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct ShortestPathsOptions {
  /// The width of the buckets of distances, for the order by priority: finite, at least 0, and the
  /// same on all ranks. It changes the time, not the result. 0: chosen from the lengths and the
  /// number of arcs per vertex.
  double width = 0;
  RunOptions run = {.order = Order::priority};  // by sweep: any staleness
  OnRound on_round = {};
  std::function<void()> on_close =
      {};  // called when the rounds are over, before results are laid out
};

struct Distances {
  /// By vertex id, of this rank's block of ids; infinite for vertices that the source does not
  /// reach.
  std::vector<double> distances;
  std::uint64_t reached = 0;  // vertices over all ranks, the source included
  double farthest = 0;        // largest distance of these
  std::uint64_t applied = 0;  // visits over all ranks
  Outcome outcome;
};

/// Finds the distances of all vertices from `source` along the arcs. The arcs' values are lengths
/// of at least 0 (1 each in a graph without values). Distances are in double. It works by buckets
/// of distances (Meyer, Sanders 2003, "Δ-stepping"). UsageError if there is no such vertex, or if
/// the width is negative, not finite, or not the same on all ranks. InputError if a length is
/// negative, or the lengths have no finite sum. Collective.
Distances shortest_paths(const Context& context, const Graph& graph, std::uint64_t source,
                         const ShortestPathsOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that shortest_paths does not allow. Local.
void check_shortest_paths(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double shortest_paths_bytes(const PieceSizes& piece);

}  // namespace gas
