#pragma once

#include <string>

#include "loaders/ids/row_ids.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// The row of --source. Collective; InputError if there is none.
VertexId source_row(Run& run, const loaders::RowIds& ids, const std::string& source);

}  // namespace gas::tools
