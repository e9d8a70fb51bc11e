#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gas/base/threads/executor.hpp"
#include "gas/exchange/transport.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// A colour for every vertex of a plain graph, 0 to at most 1023, by local id, mirrors included: no
/// vertex has the colour of another one from whom it gathers. The same for a seed on any number of
/// ranks and threads. RunError where a vertex finds none. Collective.
std::vector<std::uint32_t> colour_vertices(Transport& transport, Executor& executor,
                                           std::shared_ptr<const LocalGraph> graph,
                                           std::uint64_t seed);

}  // namespace gas
