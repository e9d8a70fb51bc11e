#pragma once

#include <span>

#include "gas/base/communicator.hpp"

namespace gas {

/// The area under the ROC curve: how likely an example of the larger label has a greater score than
/// one of the smaller, equal ones counting half; exact. scores[i] is of an example of the larger
/// label where larger[i] is not 0; scores are finite. Each rank gives examples of its own, in any
/// numbers. NaN unless there are examples of both. Each example goes to a rank that sorts a range
/// of scores. Collective.
double roc_area(Communicator& comm, std::span<const double> scores, std::span<const char> larger);

}  // namespace gas
