#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas {

struct BreadthFirstOptions {
  RunOptions run = {.order = Order::priority};  // by sweep: any staleness
  OnRound on_round = {};
  std::function<void()> on_close =
      {};  // called when the rounds are over, before results are laid out
};

/// By vertex id, of this rank's block of ids; −1 for vertices that the source does not reach.
struct BreadthFirstTree {
  std::vector<std::int32_t> hops;     // arcs from the source
  std::vector<std::int64_t> parents;  // the vertex before it on such a path, of several the one
                                      // with the least id; −1 of the source, too
  std::uint64_t reached = 0;          // vertices over all ranks, the source included
  std::int32_t farthest = 0;          // most hops of any of them
  Outcome outcome;
};

/// Searches a graph breadth first from the vertex `source`, along the arcs; each step pushes or
/// pulls, whichever touches fewer edges (Beamer, Asanović, Patterson 2012). UsageError if there is
/// no such vertex. RunError if a vertex is 2³¹ or more arcs away. Collective.
BreadthFirstTree breadth_first_search(const Context& context, const Graph& graph,
                                      std::uint64_t source,
                                      const BreadthFirstOptions& options = {});

/// Throws UsageError, with the reason, for RunOptions that breadth_first_search does not allow.
/// Local.
void check_breadth_first_search(const RunOptions& options);

/// The memory that it needs; see PieceSizes.
double breadth_first_search_bytes(const PieceSizes& piece);

}  // namespace gas
