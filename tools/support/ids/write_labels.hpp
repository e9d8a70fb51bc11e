#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "loaders/ids/row_ids.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Writes FOLDER/NAME.npy with a label per row, which is a row itself or −1 for none, and with
/// --text FOLDER/NAME.tsv, where the label is that row's id, or nothing. Each rank gives the labels
/// of its BlockDistribution. Collective.
void write_labels(Run& run, const std::filesystem::path& folder, const std::string& name,
                  const loaders::RowIds& ids, const std::vector<std::int64_t>& labels);

}  // namespace gas::tools
