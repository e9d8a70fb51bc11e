#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/threads/executor.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

/// k rows by greedy k-means++ (Arthur, Vassilvitskii 2007): for each start after the first, 2 + ⌊ln
/// k⌋ points are drawn, each with a chance in proportion to its weight and its squared distance
/// from the nearest start so far. The one that lowers the weighted sum of these distances the most
/// is kept. There are fewer rows than k if all points are at a start, or if `interrupted` returned
/// true on any rank; it is called before each start. The rows depend on the seed and the points
/// alone: not on ranks, threads or partition. O(N·k·columns·ln k); 8 bytes per point. Collective.
template <class Form>
std::vector<VertexId> plus_plus_rows(Communicator& comm, Executor& executor,
                                     const FramedPoints<Form>& points, std::uint64_t k,
                                     std::uint64_t seed,
                                     const std::function<bool()>& interrupted = {});

}  // namespace gas::detail
