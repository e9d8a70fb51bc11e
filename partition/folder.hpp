#pragma once

#include <string>
#include <vector>

#include "partition/manifest.hpp"

namespace gas::partition {

// A partition folder: manifest.json and one file per part (part_file.hpp), so that a rank reads
// only its parts. All ranks must see the same folder. All functions are collective.
//
// Errors, on all ranks: InputError naming the file if something is missing, truncated, altered,
// foreign or newer; RunError if something cannot be written.

/// A value of all edges with their input positions: the same however ranks share them.
std::string input_checksum(Team& team, const EdgeList& edges);

/// Creates the folder if need be, and removes a partition that it holds. The manifest is written
/// last: what was interrupted is not a partition folder.
void write_folder(Team& team, const std::string& dir, const EdgeList& edges,
                  const GraphShape& shape, const Partition& partition, const Quality& quality,
                  const Provenance& how);

/// The manifest alone; checks that files beside the parts are as they were.
Manifest read_manifest(Team& team, const std::string& dir);

struct Stored {
  Manifest manifest;
  EdgeList edges;  // of this rank's parts, in input order
  Partition partition;
};

/// Graph and partition from the folder alone: each rank gets the edges of the parts that
/// rank_of_part gives it.
Stored read_folder(Team& team, const std::string& dir);

/// The stored partition for a graph just loaded from its input; InputError if that is another
/// input. An undirected graph: mirror edges as when it was stored, at the same positions.
Partition attach_folder(Team& team, const std::string& dir, const EdgeList& edges,
                        const GraphShape& shape);

}  // namespace gas::partition
