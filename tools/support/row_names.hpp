#pragma once

#include <span>
#include <string>
#include <vector>

#include "gas/graph/team.hpp"
#include "gas/graph/types.hpp"
#include "loaders/ids/row_ids.hpp"

namespace gas::tools {

constexpr Row no_row = static_cast<Row>(-1);

/// The row that each row of `ids` has among those `known` by id, or no_row; on every rank.
/// Collective.
std::vector<Row> rows_among(Team& team, const loaders::RowIds& ids,
                            const std::vector<std::string>& known);

/// The ids of these rows, for the rank that asks; each may ask for others. Collective.
std::vector<std::string> texts_of(Team& team, const loaders::RowIds& ids,
                                  std::span<const Row> rows);

/// All ids, on every rank. Collective.
std::vector<std::string> all_ids(Team& team, const loaders::RowIds& ids);

}  // namespace gas::tools
