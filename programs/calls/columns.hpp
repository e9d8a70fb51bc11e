#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gas/base/types.hpp"

namespace gas {

/// A matrix by columns: the entries of column j are at the positions offsets[j] … offsets[j + 1] −
/// 1.
struct Columns {
  std::vector<EdgeOffset> offsets;
  std::vector<std::uint32_t> rows;
  std::vector<float> values;

  std::size_t count() const { return offsets.size() - 1; }
  double entries(std::size_t j) const { return static_cast<double>(offsets[j + 1] - offsets[j]); }
};

}  // namespace gas
