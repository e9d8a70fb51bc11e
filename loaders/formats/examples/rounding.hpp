#pragma once

#include <string>
#include <vector>

#include "loaders/formats/examples/examples.hpp"

namespace gas::loaders::detail {

/// What to tell of the first column whose numbers floats blur: by more than 1e-4 of their spread,
/// from the least in the file to the greatest. 0 is one of them if more than half of the rows leave
/// the column out. Errors of numbers below 16 in size are not looked at. "" if there is none among
/// the first 4194304. Uses `rest` of the blocks up. Collective; takes no time where no large number
/// is inexact.
std::string note_of_rounding(Communicator& comm, const std::string& file,
                             std::vector<Examples>& blocks, const LoadedGraph& graph);

}  // namespace gas::loaders::detail
