#pragma once

#include <string>

#include "partition/partition.hpp"

namespace gas::partition {

// Parts as text, one number per line, whole or absent; a link, a device or a pipe that is there is
// written to as it is. Collective; written by rank 0, to which the
// others send one rank at a time. RunError naming the file if it cannot be written.

/// The part of each vertex's master, by row; bipartite: the data side, then the parameter side.
void write_vertex_parts(Communicator& comm, const std::string& path, const Partition& partition);

/// The part of each edge, in input order.
void write_edge_parts(Communicator& comm, const std::string& path, std::span<const Part> edge_part);

}  // namespace gas::partition
