#include "programs/calls/sparse_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "programs/calls/in_blocks.hpp"

namespace gas {
namespace {

void check_lists(const SparsePoints& points, const std::string& name) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw located_error(name, 0, 0, found, expected);
  };
  const std::uint64_t entries = points.entries();
  const std::uint64_t values = points.values.size() + points.wide_values.size();
  if (values != entries || (!points.values.empty() && points.wide()))
    refuse(fmt::format("{} values for {} entries", values, entries), "one value per entry");
  if (points.offsets.empty() && entries > 0)
    refuse(fmt::format("{} entries but no offsets of rows", entries),
           "the offset at which each row begins");
  if (points.offsets.empty()) return;
  if (points.offsets.front() != 0 || points.offsets.back() != entries ||
      !std::ranges::is_sorted(points.offsets))
    refuse("offsets of rows that do not ascend from 0 to the number of entries",
           std::to_string(entries));
}

bool is_finite(const SparsePoints& points, std::uint64_t entry) {
  return points.wide() ? std::isfinite(points.wide_values[entry])
                       : std::isfinite(points.values[entry]);
}

/// Says what is wrong with row i, of which is_right() is false.
[[noreturn]] void refuse_row(const SparsePoints& points, const std::string& name,
                             std::uint64_t first, std::uint64_t i) {
  for (std::uint64_t e = points.offsets[i];; ++e) {
    const std::uint64_t column = points.column[e];
    const auto refuse = [&](const std::string& found, const std::string& expected) {
      throw located_error(name, 0, 0,
                          fmt::format("{} column {} of row {} (from 0)", found, column, first + i),
                          expected);
    };
    if (column >= points.columns) refuse("an entry in", fmt::format("{} columns", points.columns));
    if (e > points.offsets[i] && points.column[e - 1] >= column)
      refuse(fmt::format("column {} before", points.column[e - 1]),
             "columns that ascend, none twice");
    if (!is_finite(points, e))
      refuse(fmt::format("{} in", points.wide() ? points.wide_values[e]
                                                : static_cast<double>(points.values[e])),
             "a finite number");
  }
}

/// Do the columns of row i ascend, below the number of columns, and are its numbers finite?
bool is_right(const SparsePoints& points, std::uint64_t i) {
  std::int64_t before = -1;
  bool right = true;
  for (std::uint64_t e = points.offsets[i]; e < points.offsets[i + 1]; ++e) {
    right &= before < std::int64_t{points.column[e]} && is_finite(points, e);
    before = points.column[e];
  }
  return right && before < static_cast<std::int64_t>(points.columns);
}

void check_entries(Executor& executor, const SparsePoints& points, const std::string& name,
                   std::uint64_t first) {
  std::vector<std::uint64_t> wrong(executor.workers(), points.rows());  // first row, by worker
  detail::in_blocks(executor, points.rows(),
                    [&](std::uint64_t begin, std::uint64_t end, std::size_t worker) {
                      std::uint64_t i = begin;
                      while (i < end && is_right(points, i)) ++i;
                      if (i < end) wrong[worker] = std::min(wrong[worker], i);
                    });
  const std::uint64_t row = std::ranges::min(wrong);
  if (row < points.rows()) refuse_row(points, name, first, row);
}

}  // namespace

PointShares check_points(Communicator& comm, Executor& executor, const SparsePoints& points) {
  const std::string name(points.name);
  const auto check = [&](std::uint64_t first) {
    if (points.columns > max_vertices)
      throw located_error(name, 0, 0, fmt::format("{} columns", points.columns),
                          fmt::format("at most {}", max_vertices));
    check_lists(points, name);
    check_entries(executor, points, name, first);
  };
  return detail::joined_shares(comm, name, points.rows() > 0, points.columns, points.rows(), check);
}

}  // namespace gas
