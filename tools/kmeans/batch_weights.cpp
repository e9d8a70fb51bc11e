#include "tools/kmeans/batch_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "gas/base/error.hpp"
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
  together(run_.transport, [&] {
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (!(weights[i] >= 0))
        throw located_error(file_, 0, 0,
                            fmt::format("{} in row {} (from 0)", weights[i], first + i),
                            "a finite number of at least 0");
  });
  points_ += rows;
  const bool some = std::ranges::any_of(weights, [](double weight) { return weight > 0; });
  return {std::move(weights), all_max(run_.transport, some ? 1 : 0) != 0};
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
