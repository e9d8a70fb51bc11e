#include "gas/engine/store/vertex_set.hpp"

#include <algorithm>

namespace gas {

void VertexSet::sort() {
  if (!listed_ || std::ranges::is_sorted(list())) return;
  const auto [low, high] = std::ranges::minmax(list());
  if (list_.size() < (high - low) / 256) {
    std::ranges::sort(list_.ids());
    return;
  }
  list_.clear();
  append_flagged(low, std::size_t{high} + 1);
}

}  // namespace gas
