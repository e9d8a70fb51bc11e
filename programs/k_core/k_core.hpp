#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct KCoreOptions {
  RunOptions run = {.order = Order::priority};  // by sweep: any staleness
  OnRound on_round = {};
  std::function<void()> on_close =
      {};  // called when the rounds are over, before results are laid out
};

struct Cores {
  /// By vertex id, of this rank's block of ids; upper bounds where the rounds did not converge.
  std::vector<std::uint32_t> cores;
  std::uint32_t degeneracy = 0;  // the largest over all ranks
  Outcome outcome;
};

/// Finds the core number of every vertex: the largest k such that the vertex lies in a subgraph
/// whose vertices all have at least k neighbours in that subgraph. Arcs count as undirected edges,
/// each pair once. With Order::priority it peels level by level (Dhulipala, Blelloch, Shun 2017).
/// With Order::sweep it lowers estimates by those of neighbours (Montresor, De Pellegrini, Miorandi
/// 2013). Collective.
Cores k_core(const Context& context, const Graph& graph, const KCoreOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that k_core does not allow. Local.
void check_k_core(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double k_core_bytes(const PieceSizes& piece, const KCoreOptions& options);

}  // namespace gas
