#include "tools/kmeans/batch_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "gas/base/error.hpp"
#include "programs/k_means/weights.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

BatchWeights::BatchWeights(Run& run, const std::string& file, std::uint64_t batch_rows)
    : run_(run),
      file_(file),
      stream_(run.transport, std::span(&file_, 1), batch_rows,
              {.threads = run.options.threads, .wide = true}) {}

WeightsOfBatch BatchWeights::next(std::uint64_t rows) {
  const loaders::LoadedPoints read = stream_.next(rows);
  refuse_other(read, rows);
  std::vector<double> weights(read.values.begin(), read.values.end());
  if (read.wide) weights = read.wide_values;
  const std::uint64_t first =
      points_ + BlockDistribution{rows, run_.transport.size()}.first(run_.transport.rank());
  double sum = 0;
  std::uint64_t positive = 0;
  together(run_.transport, [&] {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] >= 0)) throw refused(weights[i], first + i, "a finite number of at least 0");
      sum += weights[i];
      positive += weights[i] > 0 ? 1 : 0;
    }
  });
  sum = all_sum(run_.transport, sum);
  together(run_.transport, [&] {
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] > 0 && weights[i] < detail::least_weight_share * sum)
        throw refused(weights[i], first + i,
                      fmt::format("0, or at least 2^-40 of the sum of its batch, {}", sum));
  });
  points_ += rows;
  return {std::move(weights), all_sum(run_.transport, positive)};
}

InputError BatchWeights::refused(double weight, std::uint64_t row,
                                 const std::string& expected) const {
  return located_error(file_, 0, 0, fmt::format("{} in row {} (from 0)", weight, row), expected);
}

void BatchWeights::finish() { refuse_other(stream_.next(), 0); }

void BatchWeights::refuse_other(const loaders::LoadedPoints& read, std::uint64_t rows) {
  together(run_.transport, [&] {
    if (read.rows > 0 && read.columns != 1)
      throw located_error(file_, 0, 0, fmt::format("rows of {} numbers", read.columns),
                          "rows of 1 number, the weight of each point");
    if (read.rows != rows)
      throw located_error(file_, 0, 0,
                          read.rows < rows
                              ? counted(points_ + read.rows, "row", "rows")
                              : fmt::format("more than {}", counted(points_, "row", "rows")),
                          "as many as there are points");
  });
}

}  // namespace gas::tools
