#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/lasso/tasks.hpp"

namespace gas::tools {

/// Five sentences on a model that was trained on targets, of which this rank gives some: how far it
/// came, how good it is on these examples and on `test`, if there is one, and which weights are
/// largest. Collective.
std::vector<std::string> told_of(Run& run, const StoredLasso& model, const LassoFit& fit,
                                 std::span<const double> targets, const Predicted* test,
                                 const std::string& test_file);

/// Five sentences on examples that a model was applied to. Collective.
std::vector<std::string> told_of(Run& run, const StoredLasso& model, const Predicted& predicted);

}  // namespace gas::tools
