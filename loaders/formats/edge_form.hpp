#pragma once

#include <cstdint>
#include <string>

#include "gas/graph/team.hpp"
#include "loaders/load_graph.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {

/// How an edge list is to be read, as its first lines and the options have it.
struct EdgeForm {
  TableForm table;
  bool named = false;     // ids are names
  bool weighted = false;  // there is a third column

  /// A first line of two numbers that may be those of vertices and edges.
  struct Sizes {
    std::string file{};
    std::uint64_t line = 0;  // 0: there is none
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    bool skipped = false;  // it cannot be an edge, and is not among those read
  };
  Sizes sizes;
};

/// Reads the form off the file at hand, and skips its header. `first`: that of the first of several
/// files, null for it itself. Collective; InputError, UsageError.
EdgeForm find_edge_form(Team& team, TextInput& input, const GraphOptions& options,
                        const EdgeForm* first);

}  // namespace gas::loaders::detail
