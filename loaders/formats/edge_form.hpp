#pragma once

#include "gas/base/communicator.hpp"
#include "loaders/formats/size_line.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {

/// How an edge list is to be read, as its first lines and the options have it.
struct EdgeForm {
  TableForm table;
  bool named = false;     // ids are names
  bool weighted = false;  // there is a third column

  FirstPair pair;  // skipped, if there is one
};

/// Reads the form off the file at hand, and skips its header and a first line of two numbers that
/// may be sizes. `first`: that of the first of several
/// files, null for it itself; `names`: their columns. Collective; InputError, UsageError.
EdgeForm find_edge_form(Communicator& comm, TextInput& input, const GraphOptions& options,
                        const EdgeForm* first, FirstNames& names);

}  // namespace gas::loaders::detail
