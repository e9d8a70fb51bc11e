#pragma once

#include "tools/als/settings.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/show/spread.hpp"

namespace gas::tools {

GraphWish ratings_wish(const AlsSettings& settings);

/// The ratings; edges without values only where that was asked for. Collective.
InputGraph read_ratings(Run& run, const GraphWish& wish);

/// What rows are learnt from.
struct Rated {
  GraphShape shape;  // users and items
  Spread ratings;    // 1 without values; of none with --quiet
};

/// Collective.
Rated rated_of(Run& run, const CutGraph& input);

}  // namespace gas::tools
