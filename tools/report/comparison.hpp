#pragma once

#include <string>
#include <vector>

#include "tools/report/summaries.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools {

/// Runs side by side, a line per number that they tell, with ratios to the first run; for people
/// at a terminal.
std::string comparison_table(const std::vector<ToldRun>& runs);

/// The same for a page, by what it is about.
std::vector<report::Section> comparison_sections(const std::vector<ToldRun>& runs);

}  // namespace gas::tools
