#pragma once

#include <algorithm>
#include <cstddef>

#include "gas/base/threads/executor.hpp"

namespace gas::detail {

/// visit(first, last, worker) for blocks of `count` rows; those with one worker run one after the
/// other. Local.
template <class F>
void in_blocks(Executor& executor, std::size_t count, F visit) {
  constexpr std::size_t block = 2048;
  executor.run((count + block - 1) / block,
               [&](std::size_t task, std::size_t worker) {
                 visit(task * block, std::min(count, (task + 1) * block), worker);
               },
               [] {});
}

}  // namespace gas::detail
