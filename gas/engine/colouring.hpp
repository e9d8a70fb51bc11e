#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gas/base/threads/executor.hpp"
#include "gas/exchange/transport.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// A colour for every vertex of a plain graph, at most 1024 of them: no vertex has the colour of
/// another one from whom it gathers. So with edge consistency a round has a step per colour, which
/// reads what those before it published, and equals visiting its vertices one after the other.
struct Colours {
  std::vector<std::uint32_t> of;  // by local id, mirrors included
  std::uint32_t count = 0;        // on all ranks; 0: not made
};

/// The same for a seed on any number of ranks and threads. RunError where a vertex finds no colour.
/// Collective.
Colours colour_vertices(Transport& transport, Executor& executor,
                        std::shared_ptr<const LocalGraph> graph, std::uint64_t seed);

}  // namespace gas
