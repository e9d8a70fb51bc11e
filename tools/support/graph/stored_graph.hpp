#pragma once

#include "loaders/load_graph.hpp"
#include "partition/folder/folder.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {

/// What a partition folder keeps of a graph just loaded, beside its edges. Collective.
partition::RowData row_data(Communicator& comm, const loaders::LoadedGraph& loaded);

/// The run's INPUT, for a folder that is cut from it. Collective; reads it once more.
partition::InputIdentity identify_input(Run& run);

/// InputError unless a folder that came about so was cut from the run's INPUT, read as --format
/// says. Collective.
void check_stored(Run& run, const std::string& folder, const partition::Provenance& how);

/// The graph of a partition folder, without a look into INPUT. Collective. InputError unless the
/// folder was cut from INPUT (not asked with --without-input), read as --format says, and has a
/// part for every rank.
InputGraph read_stored(Run& run, const std::string& folder);

}  // namespace gas::tools
