#pragma once

#include <vector>

#include "tools/logreg/apply.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools {

/// What a report says of a model, its heaviest weights, and of examples whose labels are known: ROC
/// and calibration. Whole on rank 0. Collective.
std::vector<report::Section> classifier_sections(Run& run, const LogregModel& model,
                                                 const Applied* applied);

}  // namespace gas::tools
