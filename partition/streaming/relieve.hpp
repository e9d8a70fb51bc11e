#pragma once

#include <vector>

#include "partition/partition.hpp"
#include "partition/streaming/copy_sets.hpp"

namespace gas::partition {

/// The most arcs that a part may have of these.
std::uint64_t most_arcs(const std::vector<std::uint64_t>& per_part, const Options& options);

/// Moves pairs from parts with more arcs than Options::imbalance_percent allows
/// to parts with room: first pairs whose ends both have a copy there, then
/// those of which one has, then any, until no part has too many or a few passes
/// have been made. A keyed hash of the pair draws which go, so all repeats and
/// both directions stay together, whichever ranks have them. `part` has the
/// part of each edge here. Collective; a few numbers per part; up to four passes
/// over the edges for each of up to twelve steps.
void relieve(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
             const Options& options, const CopySets& copies, std::vector<Part>& part);

}  // namespace gas::partition
