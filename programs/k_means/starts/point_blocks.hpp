#pragma once

#include <algorithm>
#include <cstddef>

#include "gas/base/threads/executor.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

/// visit(first, last, worker) for blocks of `count` points; those with one worker run one after the
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

template <class Form>
double weight_of(const FramedPoints<Form>& points, std::size_t i) {
  return points.weighted ? static_cast<double>(KMeansOf<Form>::weight((*points.inputs)[i])) : 1.0;
}

}  // namespace gas::detail
