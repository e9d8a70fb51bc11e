#pragma once

#include <cstddef>

#include "programs/calls/matrix.hpp"

namespace gas {

/// Where in a row of `width` weights, by column and the bias last if there is one, that of a vertex
/// is; `width`: nowhere.
inline std::size_t weight_place(const MatrixLayout& layout, bool bias, VertexId vertex,
                                std::size_t width) {
  if (bias && vertex + 1 == layout.graph->parameter.count) return width - 1;
  const std::size_t column = layout.occurring.empty() ? vertex : layout.occurring[vertex];
  return column < width - (bias ? 1 : 0) ? column : width;
}

}  // namespace gas
