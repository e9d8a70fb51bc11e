#include "programs/calls/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/base/types.hpp"
#include "programs/calls/in_blocks.hpp"

namespace gas {
namespace {

/// The first number that is not finite, or the number of all.
template <class T>
std::size_t first_not_finite(Executor& executor, std::span<const T> values) {
  const auto finite = [](T x) { return std::abs(x) <= std::numeric_limits<T>::max(); };
  std::vector<std::size_t> found(executor.workers(), values.size());  // by worker
  detail::in_blocks(
      executor, values.size(), [&](std::size_t first, std::size_t last, std::size_t worker) {
        const auto part = values.subspan(first, last - first);
        bool all = true;  // without a branch per number
        for (const T x : part) all &= finite(x);
        if (all) return;
        const auto at =
            static_cast<std::size_t>(std::ranges::find_if_not(part, finite) - part.begin());
        found[worker] = std::min(found[worker], first + at);
      });
  return std::ranges::min(found);
}

}  // namespace

PointShares detail::joined_shares(Communicator& comm, const std::string& name, bool some,
                                  std::uint64_t columns, std::uint64_t rows,
                                  FunctionRef<void(std::uint64_t first)> check) {
  struct Share {
    std::uint64_t columns, rows, some;
  };
  const auto all = all_gather(comm, Share{columns, rows, some ? 1U : 0U});
  PointShares shares{all[0].columns, {0}};
  for (const Share& share : all) shares.first.push_back(shares.first.back() + share.rows);
  const auto first = std::ranges::find_if(all, [](const Share& share) { return share.some != 0; });
  if (first != all.end()) shares.columns = first->columns;
  together(comm, [&] {
    if (shares.rows() > max_vertices)
      throw located_error(name, 0, 0, fmt::format("{} rows", shares.rows()),
                          fmt::format("at most {}", max_vertices));
    if (some && (columns != shares.columns || columns == 0))
      throw located_error(
          name, 0, 0, fmt::format("rows of {} numbers", columns),
          columns == 0 ? "at least one" : fmt::format("{}, as on another rank", shares.columns));
    check(shares.first[static_cast<std::size_t>(comm.rank())]);
  });
  return shares;
}

template <class T>
PointShares check_points(Communicator& comm, Executor& executor, const Points<T>& points) {
  const std::string name(points.name);
  const bool some = !points.values.empty();
  const auto check = [&](std::uint64_t first) {
    if (!some) return;
    if (points.values.size() % points.columns != 0)
      throw located_error(name, 0, 0, fmt::format("{} numbers", points.values.size()),
                          fmt::format("whole rows of {}", points.columns));
    const std::size_t at = first_not_finite(executor, points.values);
    if (at < points.values.size())
      throw located_error(name, 0, 0,
                          fmt::format("{} in column {} of row {} (from 0)", points.values[at],
                                      at % points.columns, first + at / points.columns),
                          "a finite number");
  };
  return detail::joined_shares(comm, name, some, points.columns, points.rows(), check);
}

template PointShares check_points(Communicator&, Executor&, const Points<float>&);
template PointShares check_points(Communicator&, Executor&, const Points<double>&);

}  // namespace gas
