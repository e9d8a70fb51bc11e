#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gas/base/threads/executor.hpp"

namespace gas {

/// Reserves room for `size` values in `list`, whose values are lost if it had less room. All
/// threads write to the new memory first, so that the system makes its pages in parallel. Must be
/// called from the executor's main thread.
template <class T, class Allocator>
void reserve_touched(Executor& executor, std::vector<T, Allocator>& list, std::size_t size) {
  if (list.capacity() >= size) return;
  list.clear();
  list.reserve(size);
  constexpr std::size_t page = 4096, piece = std::size_t{2} << 20U;
  const std::size_t bytes = size * sizeof(T);
  if (executor.workers() == 1 || bytes < 2 * piece) return;
  auto* const memory = reinterpret_cast<volatile std::byte*>(list.data());
  executor.run((bytes + piece - 1) / piece,
               [&](std::size_t task, std::size_t) {
                 const std::size_t end = std::min(bytes, (task + 1) * piece);
                 for (std::size_t at = task * piece; at < end; at += page) memory[at] = std::byte{};
               },
               [] {});
}

}  // namespace gas
