#pragma once

#include <string>
#include <vector>

#include "tools/support/report/section.hpp"

namespace gas::tools::report {

/// The whole page, which needs nothing beside it: no other file, no network. `lead`: a paragraph
/// below the heading.
std::string page(const std::string& heading, const std::string& lead,
                 const std::vector<Section>& sections);

}  // namespace gas::tools::report
