#include "programs/label_propagation/label_propagation.hpp"

#include <algorithm>

#include "gas/graph/by_id.hpp"
#include "programs/calls/run.hpp"
#include "programs/label_propagation/program.hpp"

namespace gas {
namespace {

/// How many different values all ranks' lists of ids below `count` hold. Collective.
std::uint64_t distinct(Communicator& comm, std::uint64_t count, std::vector<VertexId> ids) {
  const BlockDistribution blocks{count, comm.size()};
  const auto keep_each_once = [](std::vector<VertexId>& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  keep_each_once(ids);
  std::vector<std::vector<VertexId>> told(static_cast<std::size_t>(comm.size()));
  for (const VertexId id : ids) told[static_cast<std::size_t>(blocks.owner(id))].push_back(id);
  ids.clear();
  for (const auto& list : all_to_all(comm, std::move(told)))
    ids.insert(ids.end(), list.begin(), list.end());
  keep_each_once(ids);
  return all_sum(comm, std::uint64_t{ids.size()});
}

}  // namespace

void check_label_propagation(const RunOptions& options) {
  Engine<LabelPropagation>::check(options);
}

Communities label_propagation(const Context& context, const Graph& graph,
                              const LabelPropagationOptions& options) {
  together(context.transport(), [&] { check_label_propagation(options.run); });
  Transport& transport = context.transport();
  const auto local = graph.laid_out(context, Arcs::simple, EdgeValues::unread);
  Engine<LabelPropagation> engine(transport, context.executor(), local, {}, options.seed);
  Communities found;
  found.outcome = run_engine(engine, options.run, options.on_round);
  if (options.on_close) options.on_close();
  found.labels.reserve(local->owner.masters());
  engine.local_for_each<LabelPropagation::Vertex>(
      [&](VertexId, const auto& vertex) { found.labels.push_back(vertex.label); });
  found.count = distinct(transport, graph.vertices(), found.labels);
  found.labels = to_blocks(transport, local->owner, std::move(found.labels));
  return found;
}

}  // namespace gas
