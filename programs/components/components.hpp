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
  /// By vertex id, of this rank's block of ids: the least id of the vertex's component, if the
  /// rounds converged.
  std::vector<VertexId> labels;
  std::uint64_t count = 0;  // of components over all ranks, if the rounds converged
  Outcome outcome;
};

/// The weakly connected components of a graph, exactly: each rank joins those of its piece by
/// hooking and by skipping the largest (Sutton, Ben-Nun, Barak 2018, "Afforest"), and a vertex
/// program joins those of several ranks. O(vertices + edges) time on one rank. Collective.
Components components(const Context& context, const Graph& graph,
                      const ComponentsOptions& options = {});

/// UsageError for what `components` does not take, with the reason. Local.
void check_components(const RunOptions& options);

/// What it takes; see PieceSizes.
double components_bytes(const PieceSizes& piece);

}  // namespace gas
