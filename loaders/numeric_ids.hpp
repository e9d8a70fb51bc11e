#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/graph/team.hpp"
#include "loaders/row_ids.hpp"

namespace gas::loaders {

/// Replaces the ids in all the lists, which are of one id space, by their rows: 0 … n−1 in
/// ascending order of the ids that occur on any rank. Collective. Ids that are dense enough are
/// found in a bitmap, with at most a word per id of an average rank; others by number_rows.
RowIds number_ids(Team& team, std::span<std::vector<std::uint64_t>* const> lists);

}  // namespace gas::loaders
