#pragma once

#include <span>
#include <string>

#include "tools/support/linear/features.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools {

/// The three features with the largest weights of one sign, and these; "nothing" if there are none.
std::string strongest(const FeatureIds& features, std::span<const double> weights, bool positive);

/// The twenty largest weights of either sign, as a section of a report; `meaning` says what signs
/// mean.
report::Section weights_section(const FeatureIds& features, std::span<const double> weights,
                                const std::string& meaning);

}  // namespace gas::tools
