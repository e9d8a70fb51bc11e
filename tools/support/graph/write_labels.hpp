#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "loaders/ids/row_ids.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Writes FOLDER/NAME.npy with a label per row, which is a row itself, and with --text
/// FOLDER/NAME.tsv, where the label is that row's id. Rows as in write_lines. Collective.
void write_labels(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, std::span<const VertexId> rows,
                  std::span<const std::int64_t> labels);

}  // namespace gas::tools
