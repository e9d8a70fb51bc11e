#pragma once

#include "gas/base/page_array.hpp"
#include "loaders/load_points.hpp"

namespace gas::loaders::detail {

inline bool fits_float(double value) {
  return static_cast<double>(static_cast<float>(value)) == value;
}

/// Makes floats of doubles.
inline void narrow(LoadedPoints& points) {
  points.values.insert(points.values.end(), points.wide_values.begin(), points.wide_values.end());
  release(points.wide_values);
}

}  // namespace gas::loaders::detail
