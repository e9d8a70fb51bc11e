#include "tools/partition/memory.hpp"

#include "gas/base/types.hpp"
#include "gas/graph/partition.hpp"

namespace gas::tools {

MemoryPlan cutting_plan(const Run& run, const std::optional<GraphSource>& known,
                        const PartitionSettings& settings) {
  if (!known) return {};
  return source_plan(*known, [&run, &settings](const GraphSource& source, const Machine& machine) {
    const loaders::GraphSizes& in = source.sizes;
    const double list = list_bytes(source, machine), edge = list / (in.edges / machine.ranks);
    const double ways = run.options.undirected || in.pairs ? 2 : 1;
    const double arcs = ways * in.edges / machine.ranks;
    std::vector<Moment> moments{loading_moment(source, machine)};
    moments.push_back(
        {"cutting", list + arcs * sizeof(Part) +
                        method_bytes(settings.cut.method, source, machine, settings.cut.parts)});
    moments.push_back(measuring_moment(source, machine, settings.cut.parts, arcs));
    if (run.options.output.empty()) return moments;
    // Both arcs of each pair, then the same by part; between ranks with the part of each.
    const double travelling = machine.ranks > 1 ? 2 * (edge + sizeof(Part)) : 0;
    moments.push_back({"writing", arcs * (edge + sizeof(Part) + edge + travelling)});
    return moments;
  });
}

}  // namespace gas::tools
