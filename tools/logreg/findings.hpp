#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "programs/logistic_regression/logistic_regression.hpp"
#include "programs/logistic_regression/online.hpp"
#include "tools/logreg/apply.hpp"
#include "tools/logreg/model.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// How many examples of all ranks have the smaller label, and the larger; by this rank's labels.
/// Collective.
std::array<std::uint64_t, 2> count_labels(Communicator& comm, const LogregModel& model,
                                          std::span<const double> labels);

/// Five sentences on a model that was trained on so many examples of the smaller and the larger
/// label: how far it came, what the labels alone would tell, how good it is on these examples and
/// on `test`, if there is one, and what speaks for either label. Local.
std::vector<std::string> told_of(const LogregModel& model, const LogisticFit& fit,
                                 const std::array<std::uint64_t, 2>& labels, const Applied* test,
                                 const std::string& test_file);

/// Five sentences on a model that learnt in one pass. Local.
std::vector<std::string> told_of(const LogregModel& model, const OnlineFit& fit,
                                 const Applied* test, const std::string& test_file);

/// Five sentences on examples that a model was applied to. Collective.
std::vector<std::string> told_of(Run& run, const LogregModel& model, const Applied& applied);

}  // namespace gas::tools
