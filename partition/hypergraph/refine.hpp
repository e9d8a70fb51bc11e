#pragma once

#include "gas/base/random.hpp"
#include "partition/hypergraph/moves.hpp"

namespace gas::partition {

/// Moves vertices out of parts that have more weight than they may, least loss first. Parts stay
/// too heavy only if nothing in them fits elsewhere.
void rebalance(Moves& moves);

/// Lowers the cost, keeping every part's weight: passes over all border vertices that move where
/// that gains, then searches that start at a few border vertices, move the best vertex nearby
/// though it may lose, and go back to the best state seen (Fiduccia–Mattheyses).
void refine(Moves& moves, Draws& random);

}  // namespace gas::partition
