#pragma once

#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/ids/row_ids.hpp"

namespace gas::loaders {

/// Reads the label of each data row: lines `id label`, in any order, or one label per line in row
/// order, as the first line has it; # begins a comment line. Returns those of this rank's
/// BlockDistribution. Collective. InputError for an unknown or repeated id, too many or missing
/// labels, a label that is no finite number.
std::vector<double> read_labels(Communicator& comm, const std::string& path, const RowIds& ids);

/// The two classes of a data set.
struct BinaryLabels {
  double smaller = 0, larger = 0;
  std::vector<std::int8_t> sign;  // per row: −1 for the smaller, +1 for the larger
};

/// Tells the two values among all ranks' labels. Collective. InputError, naming `file`, if there
/// are not exactly two; `hint` ends the message. `names`: the message shows names in place of
/// labels, which are their positions; empty: the labels.
BinaryLabels binary_labels(Communicator& comm, const std::string& file,
                           std::span<const double> labels, const std::string& hint = "",
                           const std::vector<std::string>& names = {});

}  // namespace gas::loaders
