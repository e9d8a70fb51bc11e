#pragma once

#include <string>
#include <vector>

#include "partition/folder/manifest.hpp"

namespace gas::partition {

// A partition folder: manifest.json and one file per part (part_file.hpp), so that a rank maps
// only its parts. All ranks must see the same folder. All functions are collective.
//
// Errors, on all ranks: InputError naming the file if something is missing, truncated, altered,
// foreign or newer; RunError if something cannot be written.

/// Creates the folder if need be, and removes a partition that it holds. The manifest is written
/// last: what was interrupted is not a partition folder.
void write_folder(Communicator& comm, const std::string& dir, const EdgeList& edges,
                  const GraphShape& shape, const Partition& partition, const Quality& quality,
                  const Provenance& how, const RowData& rows = {});

/// The files of the parts alone, into a folder that is there; the manifest of them, on all ranks.
Manifest write_parts(Communicator& comm, const std::string& dir, const EdgeList& edges,
                     const GraphShape& shape, const Partition& partition, const Quality& quality,
                     const Provenance& how, const RowData& rows = {});

/// The manifest alone; checks that files beside the parts are as they were.
Manifest read_manifest(Communicator& comm, const std::string& dir);

struct Stored {
  Manifest manifest;
  EdgeList edges;  // of this rank's parts, by part, then as part_file.hpp says
  Partition partition;
  RowData rows;
};

/// Graph and partition from the folder alone: each rank maps the files of the parts that
/// rank_of_part gives it, and gets their edges; tables by row go to the rows' homes. InputError for
/// more ranks than parts, too.
Stored read_folder(Communicator& comm, const std::string& dir);

}  // namespace gas::partition
