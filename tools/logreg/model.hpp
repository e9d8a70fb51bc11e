#pragma once

#include <string>

#include "programs/logistic_regression/logistic_regression.hpp"
#include "tools/support/linear/features.hpp"

namespace gas::tools {

/// A trained model: the folder that gas-logreg writes, on every rank.
struct LogregModel : LogisticModel, FeatureIds {};

/// Collective. InputError if the folder is damaged or holds something else, as a model of several
/// classes.
LogregModel read_model(Communicator& comm, const ModelFolder& stored);

/// What the manifest keeps of it beside the files, which write_weights writes.
void describe_model(const LogregModel& model, Facts& facts);

}  // namespace gas::tools
