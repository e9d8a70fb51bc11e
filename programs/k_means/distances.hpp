#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"

// Lengths and distances of single rows, in doubles.

namespace gas::detail {

inline double squared_distance(const double* a, const double* b, std::size_t width) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= width; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane)
      sums[lane] += (a[i + lane] - b[i + lane]) * (a[i + lane] - b[i + lane]);
  for (; i < width; ++i) sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// What a row's numbers are multiplied by to give it length 1; 0 if it is too short for a
/// direction.
template <class T>
double to_unit_length(std::span<const T> row) {
  double largest = 0, squares = 0;
  for (const T x : row) largest = std::max(largest, std::abs(static_cast<double>(x)));
  if (!(largest > 1e-300)) return 0;
  for (const T x : row) squares += std::pow(static_cast<double>(x) / largest, 2);
  return 1 / std::sqrt(squares) / largest;
}

/// Gives a row length 1, unless it has it but for the rounding of floats. False: it has no
/// direction.
inline bool make_direction(std::span<double> row) {
  const double factor = to_unit_length(std::span<const double>(row));
  if (factor == 0) return false;
  if (std::abs(factor - 1) > 1e-6)
    for (double& x : row) x *= factor;
  return true;
}

/// InputError for a row without a direction, whose factor is 0; id(i) is that of the i-th row here
/// among all ranks' rows. Collective.
template <class Id>
void check_directions(Communicator& comm, const std::vector<double>& factors,
                      const std::string& name, Id id) {
  together(comm, [&] {
    const auto none = std::ranges::find(factors, 0.0);
    if (none != factors.end())
      throw located_error(name, 0, 0,
                          fmt::format("only zeros in row {} (from 0)",
                                      id(static_cast<std::size_t>(none - factors.begin()))),
                          "a number other than 0, as cosine distances need");
  });
}

/// to_unit_length of each of this rank's rows; errors as check_directions. Collective.
template <class T, class Id>
std::vector<double> unit_factors(Communicator& comm, std::span<const T> values, std::size_t width,
                                 const std::string& name, Id id) {
  std::vector<double> factors;
  for (std::size_t at = 0; at < values.size(); at += width)
    factors.push_back(to_unit_length(values.subspan(at, width)));
  check_directions(comm, factors, name, id);
  return factors;
}

}  // namespace gas::detail
