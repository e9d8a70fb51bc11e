#pragma once

#include "gas/base/communicator.hpp"
#include "loaders/load_points.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders::detail {

/// Reads the files as rows of numbers in text. Collective; InputError.
LoadedPoints read_dense(Communicator& comm, TextInput& input, const PointOptions& options);

/// The same in batches, of files one after the other; the input is to be read in order.
class DenseRows {
 public:
  DenseRows(Communicator& comm, TextInput& input, const PointOptions& options);
  /// The next rows of a file, at most `count` of all ranks, of which each has its
  /// BlockDistribution; none at the end of the last. Collective; InputError.
  LoadedPoints next(std::uint64_t count);

 private:
  void open();

  Communicator& comm_;
  TextInput& input_;
  const PointOptions& options_;
  std::uint64_t columns_ = 0;
  TableForm form_;
  FirstNames names_;
  std::vector<std::string> notes_;  // for the next rows
};

}  // namespace gas::loaders::detail
