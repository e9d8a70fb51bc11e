#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct LabelPropagationOptions {
  std::uint64_t seed = 1;
  RunOptions run = {.iterations = 100};
  OnRound on_round = {};
  std::function<void()> on_close =
      {};  // called when the rounds are over, before results are laid out
};

struct Communities {
  /// By vertex id, of this rank's block of ids: the id of a vertex that names the community.
  std::vector<VertexId> labels;
  std::uint64_t count = 0;  // of communities over all ranks
  Outcome outcome;
};

/// Finds communities by label propagation (Raghavan, Albert, Kumara 2007): a vertex takes the label
/// that most of its neighbours have. Arcs count as undirected edges, each pair once. Collective.
Communities label_propagation(const Context& context, const Graph& graph,
                              const LabelPropagationOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that label_propagation does not allow. Local.
void check_label_propagation(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double label_propagation_bytes(const PieceSizes& piece);

}  // namespace gas
