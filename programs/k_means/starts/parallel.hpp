#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/threads/executor.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

/// k rows by k-means|| (Bahmani, Moseley, Vattani, Kumar, Vassilvitskii 2012): at least five times,
/// and until there are k candidates, each point is drawn on its own, with a chance of 2k times its
/// share of the weighted sum of squared distances from the nearest candidate. Then
/// plus_plus_rows() draws k of the candidates, each of which weighs as much as the points that are
/// nearest to it. When there are fewer rows than k, and what the rows depend on: as there.
/// O(N·k·columns), about ten rounds of k-means; 8 bytes per point. Collective.
template <class Form>
std::vector<VertexId> parallel_rows(Communicator& comm, Executor& executor,
                                    const FramedPoints<Form>& points, std::uint64_t k,
                                    std::uint64_t seed,
                                    const std::function<bool()>& interrupted = {});

}  // namespace gas::detail
