#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gas/base/error.hpp"
#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/hypergraph/split.hpp"
#include "partition/measure/balance.hpp"
#include "partition/methods/method.hpp"
#include "partition/streaming/pins.hpp"

namespace gas::partition {
namespace {

using Index = Hypergraph::Index;

/// The rows that have edges, and the nets between them.
struct Rows {
  std::vector<VertexId> row;
  Hypergraph graph;
};

Rows build(const std::vector<Pin>& pins, const std::vector<std::uint64_t>& weights) {
  Rows rows;
  std::vector<bool> has_pin(weights.size());
  for (const Pin& pin : pins) has_pin[pin.owner] = true;
  std::vector<Index> index(weights.size());
  std::vector<std::int64_t> weight;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    if (!has_pin[v]) continue;
    index[v] = static_cast<Index>(weight.size());
    rows.row.push_back(static_cast<VertexId>(v));
    weight.push_back(static_cast<std::int64_t>(weights[v]));
  }
  NetCollector nets;
  std::vector<Index> net;
  for (std::size_t i = 0; i < pins.size();) {
    net.clear();
    for (const VertexId of = pins[i].net; i < pins.size() && pins[i].net == of; ++i)
      net.push_back(index[pins[i].owner]);
    nets.add(net, 1);
  }
  rows.graph = nets.finish(std::move(weight));
  return rows;
}

/// What a part may weigh. A hub's weight becomes that.
std::int64_t limit_weights(std::vector<std::int64_t>& weight, Part parts, double percent) {
  const auto most = limit_beside_hubs(weight, parts, [percent](std::int64_t rest, Part left) {
    const auto promised =
        static_cast<std::int64_t>(promised_share(static_cast<std::uint64_t>(rest), left, percent));
    return std::max<std::int64_t>({promised, (rest + left - 1) / left, 1});
  });
  for (std::int64_t& w : weight) w = std::min(w, most);
  return most;
}

std::vector<Part> split_rows(Hypergraph& graph, const Options& options) {
  const std::int64_t most =
      limit_weights(graph.vertex_weight, options.parts, options.imbalance_percent);
  Draws random(options.seed);
  return split_hypergraph(graph, options.parts, most, random);
}

}  // namespace

Partition hypergraph_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                         const Options& options) {
  const auto edge_count = all_sum(comm, static_cast<std::uint64_t>(edges.arcs()));
  together(comm, [&] {
    if (edge_count > std::numeric_limits<std::int32_t>::max())
      throw RunError(
          fmt::format("the graph is too large for method 'hypergraph' ({} edges, at most "
                      "{} are possible): use 'aweto'",
                      edge_count, std::numeric_limits<std::int32_t>::max()));
  });
  const auto pins = home_pins(comm, edges, shape, PinsBy::net);
  const auto weights = weigh_vertices(comm, edges, shape, options);
  const auto all_pins = join_at_zero(comm, std::span<const Pin>(pins));
  const auto all_weights = join_at_zero(comm, std::span<const std::uint64_t>(weights));
  std::vector<Part> all;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    Rows rows = build(all_pins, all_weights);
    all.assign(shape.sources, no_part);
    const std::vector<Part> found = split_rows(rows.graph, options);
    for (std::size_t i = 0; i < found.size(); ++i) all[rows.row[i]] = found[i];
  });
  const std::size_t parameters =
      shape.bipartite ? target_blocks(comm, shape).count(comm.rank()) : 0;
  return edge_cut(comm, edges, shape, options,
                  send_to_owners(comm, source_blocks(comm, shape), std::span<const Part>(all)),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
