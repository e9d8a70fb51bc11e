#pragma once

#include <vector>

#include "partition/metis/graph.hpp"

namespace gas::partition {

/// METIS treats the balance as a wish. Moves vertices out of parts that weigh more than `most` into
/// parts that have room, those that cut least first, as far as that goes. Deterministic.
/// Cost: nothing where the balance holds; else for each overfull part a pass over the vertices, and
/// for each of its own its edges and all parts.
void repair_balance(const MetisGraph& graph, std::uint64_t most, Part parts,
                    std::vector<Part>& part);

}  // namespace gas::partition
