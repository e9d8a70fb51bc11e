// Runs the program on threads as ranks, in this one process, and looks at what comes out.
#include <fmt/format.h>

#include <vector>

#include "program.hpp"
#include "programs/calls/graph.hpp"

int main() {
  const std::vector<int> from = {0, 1, 4, 5, 6}, to = {1, 2, 3, 5, 4};
  const std::vector<gas::VertexId> expected = {0, 0, 0, 3, 3, 5, 3};
  for (const int ranks : {1, 2, 4})
    for (const std::uint64_t bound : {std::uint64_t{0}, std::uint64_t{2}, gas::Staleness::async}) {
      std::vector<gas::VertexId> found;
      gas::run_local_ranks(ranks, [&](gas::Transport& transport) {  // called on each rank
        const gas::Context context(transport, 1);
        std::vector<int> sources, targets;  // ranks give a share of the edges each
        for (std::size_t e = 0; e < from.size(); ++e)
          if (static_cast<int>(e) % ranks == transport.rank()) {
            sources.push_back(from[e]);
            targets.push_back(to[e]);
          }
        const auto graph = gas::Graph::from_edges(context, sources, targets);
        gas::Engine engine(context,
                           graph.laid_out(context, gas::Arcs::both_ways, gas::EdgeValues::unread),
                           LeastId{});
        engine.run({.staleness = {.bound = bound}});
        const auto all = gas::whole(
            transport,
            engine.by_id<LeastId::Vertex>([](const auto& vertex) { return vertex.least; }));
        if (transport.rank() == 0) found = all;
      });
      if (found != expected) {
        fmt::print(stderr, "on {} ranks: found {}\n", ranks, fmt::join(found, " "));
        return 1;
      }
    }
}
