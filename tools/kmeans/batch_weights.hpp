#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loaders/stream_points.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Of this rank's points of a batch; empty: all 1.
struct WeightsOfBatch {
  std::vector<double> each = {};
  bool some = true;  // on some rank one is above 0
};

/// Weights of points that are read in batches: a number per row of a file, which is read beside
/// them. Collective, as all of this class.
class BatchWeights {
 public:
  BatchWeights(Run& run, const std::string& file, std::uint64_t batch_rows);

  /// Of the next `rows` points. InputError for a number below 0, and if there are fewer.
  WeightsOfBatch next(std::uint64_t rows);
  /// InputError if there are more than there were points.
  void finish();

 private:
  void refuse_other(const loaders::LoadedPoints& read, std::uint64_t rows);

  Run& run_;
  const std::string file_;
  loaders::PointStream stream_;
  std::uint64_t points_ = 0;
};

}  // namespace gas::tools
