#pragma once

#include <optional>

#include "programs/als/als.hpp"
#include "tools/als/ratings.hpp"
#include "tools/als/settings.hpp"

namespace gas::tools {

/// Says in five lines on standard error what rows were learnt from, and how good they are on these
/// ratings and on those held out; nothing with --quiet, and of an interrupted run.
void tell_rows(Run& run, const AlsSettings& settings, const AlsFit& fit, const Rated& rated,
               std::optional<double> rmse, std::optional<double> test_rmse);

}  // namespace gas::tools
