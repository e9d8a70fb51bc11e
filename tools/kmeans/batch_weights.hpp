#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "loaders/stream_points.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

struct WeightsOfBatch {
  std::vector<double> each = {};  // of this rank's points; empty: all 1
  std::uint64_t positive = 0;     // points of all ranks that weigh more than 0
};

/// Weights of points that are read in batches: a number per row of a file, which is read beside
/// them. Collective, as all of this class.
class BatchWeights {
 public:
  BatchWeights(Run& run, const std::string& file, std::uint64_t batch_rows);

  /// Of the next `rows` points. InputError for a number below 0, for one that is too small beside
  /// the others of the batch, and if there are fewer.
  WeightsOfBatch next(std::uint64_t rows);
  /// InputError if there are more than there were points.
  void finish();

 private:
  InputError refused(double weight, std::uint64_t row, const std::string& expected) const;
  void refuse_other(const loaders::LoadedPoints& read, std::uint64_t rows);

  Run& run_;
  const std::string file_;
  loaders::PointStream stream_;
  std::uint64_t points_ = 0;
};

}  // namespace gas::tools
