#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/types.hpp"
#include "loaders/ids/row_ids.hpp"

namespace gas::loaders {

/// Ids as they follow one another in a file: of 4 bytes each, or of 8. One of both is empty.
struct IdBlock {
  PageArray<std::uint32_t> narrow;
  PageArray<std::uint64_t> wide;
};

/// The ids of this rank's edges at one end, and where the rows of the vertices go.
struct IdColumn {
  std::vector<IdBlock> blocks;
  std::vector<VertexId>* rows = nullptr;
};

/// Makes rows of the ids in all the columns, which are of one id space: 0 … n−1 in ascending order
/// of the ids that occur on any rank. Uses the blocks up; memory beyond them: hardly more than the
/// rows take. Collective. Ids that are dense enough are found in a bitmap, with at most a word per
/// id of an average rank, on all threads; others by a table and number_rows, on one.
RowIds number_ids(Communicator& comm, unsigned threads, std::span<IdColumn* const> columns);

}  // namespace gas::loaders
