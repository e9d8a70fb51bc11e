#include "gas/engine/fitting_graph.hpp"

#include <fmt/format.h>

#include <string>

#include "gas/base/alike.hpp"
#include "gas/base/error.hpp"
#include "gas/engine/saved/identity.hpp"

namespace gas {

std::shared_ptr<const LocalGraph> fitting_graph(Communicator& comm,
                                                std::shared_ptr<const LocalGraph> graph,
                                                const std::type_info& program, std::uint64_t seed) {
  together(comm, [&] {
    if (!graph) throw UsageError("found no graph, expected one that is laid out");
  });
  check_alike(comm, {{"program", name_of_program(program)},
                     {"seed", std::to_string(seed)},
                     {"vertices of the graph", std::to_string(graph->owner.count)}});
  const std::uint64_t masters = all_sum(comm, std::uint64_t{graph->owner.masters()});
  together(comm, [&] {
    if (masters != graph->owner.count)
      throw UsageError(fmt::format(
          "the graph was laid out for other ranks: found {} of its {} vertices on the ranks of "
          "this engine",
          masters, graph->owner.count));
  });
  return graph;
}

}  // namespace gas
