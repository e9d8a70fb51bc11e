#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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

/// The same in units of 1/scale.
inline double squared_distance(const double* a, const double* b, std::size_t width, double scale) {
  double sum = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const double away = (a[i] - b[i]) * scale;
    sum += away * away;
  }
  return sum;
}

/// The exponent of a unit in which squares neither vanish nor overflow, of a distance whose square
/// in units of 1 is `squares`.
inline int exponent_for(double squares) {
  if (squares < 1e-280) return -600;
  return squares > 1e300 ? 600 : 0;
}

/// The square of a distance in units of 2^exponent.
struct Square {
  double value = 0;
  int exponent = 0;
  double whole() const { return std::ldexp(value, 2 * exponent); }
  double root() const { return std::ldexp(std::sqrt(value), exponent); }
};
inline Square square_apart(const double* a, const double* b, std::size_t width) {
  const double squares = squared_distance(a, b, width);
  const int exponent = exponent_for(squares);
  if (exponent == 0) return {squares};
  return {squared_distance(a, b, width, std::ldexp(1.0, -exponent)), exponent};
}

/// Which of `rows` is nearest to x, the lower of equals.
inline std::size_t nearest_row(std::span<const double> x, std::span<const double> rows) {
  const std::size_t count = rows.size() / x.size();
  std::size_t nearest = 0;
  const auto look = [&](auto... scale) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < count; ++c)
      if (const double squares =
              squared_distance(x.data(), rows.data() + c * x.size(), x.size(), scale...);
          squares < least) {
        least = squares;
        nearest = c;
      }
    return least;
  };
  if (const int exponent = exponent_for(look()); exponent != 0) look(std::ldexp(1.0, -exponent));
  return nearest;
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
