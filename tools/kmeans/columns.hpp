#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// The names of columns, on rank 0: `of_points`, or where INPUT has none those of --model.
/// InputError on all ranks if both have names and these differ. Collective.
std::vector<std::string> column_names(Run& run, const std::vector<std::string>& of_points);

/// Writes them, if there are any, for later runs with --model. Collective.
void write_columns(Run& run, const std::filesystem::path& folder,
                   const std::vector<std::string>& names);

}  // namespace gas::tools
