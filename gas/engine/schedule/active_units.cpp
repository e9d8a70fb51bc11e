#include "gas/engine/schedule/active_units.hpp"

namespace gas {

void ActiveUnits::reset(LocalId vertices, std::size_t workers, std::uint32_t buckets) {
  wanted_by_.assign(vertices, nobody);
  states_ = std::vector<std::atomic<std::uint32_t>>((vertices + size - 1) / size);
  queue.reset(workers, buckets);
  woken_.assign(workers, {});
  for (Woken& woken : woken_) woken.last.fill(none);
}

}  // namespace gas
