#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct ComponentsOptions {
  RunOptions run = {};  // any staleness; by sweep
  OnRound on_round = {};
  std::function<void()> on_close =
      {};  // called when the rounds are over, before results are laid out
};

struct Components {
  /// By vertex id, of this rank's block of ids: the least id in the vertex's component, if the
  /// rounds converged.
  std::vector<VertexId> labels;
  std::uint64_t count = 0;  // of components over all ranks, if the rounds converged
  Outcome outcome;
};

/// Finds the weakly connected components of a graph, exactly. Each rank finds those of its piece by
/// hooking and by skipping the largest (Sutton, Ben-Nun, Barak 2018, "Afforest"). A vertex program
/// then joins them over the ranks. O(vertices + edges) time on one rank. Collective.
Components components(const Context& context, const Graph& graph,
                      const ComponentsOptions& options = {});

/// UsageError for what `components` does not take, with the reason. Local.
void check_components(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double components_bytes(const PieceSizes& piece);

}  // namespace gas
