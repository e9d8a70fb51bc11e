#pragma once

#include "gas/base/page_array.hpp"
#include "loaders/formats/graph_text.hpp"

namespace gas::loaders::detail {

/// The lines of a block, each a data row with its entries. Rows are counted from 0 in each block.
struct Examples {
  PageArray<std::uint32_t> row, column;
  PageArray<float> value;
  PageArray<double> labels;   // by row, or empty
  std::uint64_t rows = 0;     // of this block
  std::uint64_t columns = 0;  // up to the largest seen
};

/// Makes the data rows, edges and labels of a graph from the blocks of this rank, in the order of
/// the files; uses the blocks up. The parameter rows are left to the caller. Collective.
void take_examples(Communicator& comm, const TextInput& input, unsigned threads,
                   std::vector<Examples>& blocks, LoadedGraph& graph);

}  // namespace gas::loaders::detail
