#pragma once

#include "programs/logistic_regression/multiclass/multiclass.hpp"
#include "tools/support/linear/features.hpp"

namespace gas::tools {

/// A trained model of several classes: the folder that gas-logreg --multiclass writes, on every
/// rank.
struct ClassesModel : MulticlassModel, FeatureIds {};

/// Collective. InputError if the folder is damaged.
ClassesModel read_classes_model(Communicator& comm, const ModelFolder& stored);

/// What the manifest keeps of it beside the files.
void describe_model(const ClassesModel& model, Facts& facts);

/// Its files: what write_weights writes, and classes.npy. Collective.
void write_model(Communicator& comm, const std::string& folder, const ClassesModel& model,
                 bool text);

}  // namespace gas::tools
