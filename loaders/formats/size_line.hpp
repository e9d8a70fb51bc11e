#pragma once

#include <vector>

#include "loaders/formats/edge_form.hpp"
#include "loaders/formats/value_block.hpp"
#include "loaders/ids/numeric_ids.hpp"

namespace gas::loaders::detail {

/// Edges as they follow one another in a file, with numbers as ids.
struct NumberedEdges {
  IdBlock source, target;
  ValueBlock value;  // empty if they have none

  std::size_t size() const { return source.narrow.size() + source.wide.size(); }
};

/// Looks whether the first line of the files is `n m`: as many edges follow in all of them as it
/// says, and all their ids are below n, or from 1 to n. Then it is no edge: it is taken out of this
/// rank's `blocks` if it is among them, and the graph gets the declared ids and a note. Collective;
/// InputError if it could be nothing but sizes and is not.
void take_sizes(Team& team, const TextInput& input, const EdgeForm::Sizes& sizes,
                std::vector<NumberedEdges>& blocks, LoadedGraph& graph);

}  // namespace gas::loaders::detail
