#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "loaders/ids/row_ids.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Writes FOLDER/NAME.npy with a label per row, which is a row itself, and with --text
/// FOLDER/NAME.tsv, where the label is that row's id. Each rank gives the labels of its
/// BlockDistribution. Collective.
void write_labels(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, std::span<const VertexId> labels);

}  // namespace gas::tools
