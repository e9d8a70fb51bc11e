#include <algorithm>
#include <limits>
#include <utility>

#include "gas/base/rank_sums.hpp"
#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/measure/balance.hpp"
#include "partition/methods/method.hpp"
#include "partition/shapes.hpp"
#include "partition/streaming/restream.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

/// A plain graph's pairs as edges from the lower to the higher row, of two kinds of vertices.
EdgeList as_bipartite(const EdgeList& edges, const GraphShape& shape) {
  if (shape.bipartite) return {edges.source, edges.target, {}};
  EdgeList pairs;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    pairs.source.push_back(std::min(edges.source[e], edges.target[e]));
    pairs.target.push_back(std::max(edges.source[e], edges.target[e]));
  }
  return pairs;
}

/// How many edges with a source in each group each target of this rank's block has.
std::vector<GroupWeight> weights_of_targets(Communicator& comm, const EdgeList& edges,
                                            BlockDistribution blocks,
                                            const std::vector<Part>& group) {
  std::vector<std::vector<GroupWeight>> out(static_cast<std::size_t>(comm.size()));
  for (std::size_t e = 0; e < edges.size(); ++e)
    out[static_cast<std::size_t>(blocks.owner(edges.target[e]))].push_back(
        {edges.target[e], group[e], 1});
  std::vector<GroupWeight> all;
  for (const auto& block : all_to_all(comm, std::move(out)))
    all.insert(all.end(), block.begin(), block.end());
  std::ranges::sort(all, {}, [](const GroupWeight& w) { return std::pair(w.owner, w.group); });
  std::size_t kept = 0;
  for (const GroupWeight& weight : all) {
    if (kept > 0 && all[kept - 1].owner == weight.owner && all[kept - 1].group == weight.group)
      all[kept - 1].weight += weight.weight;
    else
      all[kept++] = weight;
  }
  all.resize(kept);
  return all;
}

std::uint64_t limit(std::uint64_t edges, Part parts, double percent) {
  return std::max<std::uint64_t>(promised_share(edges, parts, percent), 1);
}

/// The cell of each of this rank's pairs.
std::vector<Part> cells(Communicator& comm, const EdgeList& pairs, const GraphShape& sides,
                        std::uint64_t count, Grid grid, double percent) {
  const BlockDistribution sources = source_blocks(comm, sides),
                          targets = target_blocks(comm, sides);
  std::vector<Pin> by_source = home_pins(comm, pairs, sides, PinsBy::owner);
  std::vector<GroupWeight> of_sources =
      one_group(by_source, static_cast<VertexId>(sources.first(comm.rank())),
                count_owned(comm, pairs, sides));
  const std::vector<Part> row_of_source =
      restream(comm, sources, sides.targets, std::move(by_source), std::move(of_sources), 1,
               grid.rows, limit(count, grid.rows, percent / 2));

  std::vector<Part> part(pairs.size());  // first its row
  const auto rows = fetch(comm, sources, std::span<const Part>(row_of_source),
                          RowSet(sides.sources, pairs.source));
  for (std::size_t e = 0; e < part.size(); ++e) part[e] = rows[pairs.source[e]];

  std::vector<Pin> pins = home_pins(comm, pairs, sides, PinsBy::net);
  for (Pin& pin : pins) std::swap(pin.owner, pin.net);
  const std::vector<Part> column_of_target = restream(
      comm, targets, sides.sources, std::move(pins), weights_of_targets(comm, pairs, targets, part),
      grid.rows, grid.columns, limit(count, grid.rows * grid.columns, percent));
  const auto columns = fetch(comm, targets, std::span<const Part>(column_of_target),
                             RowSet(sides.targets, pairs.target));
  for (std::size_t e = 0; e < part.size(); ++e)
    part[e] = part[e] * grid.columns + columns[pairs.target[e]];
  return part;
}

}  // namespace

Partition checkerboard_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                           const Options& options) {
  const EdgeList pairs = as_bipartite(edges, shape);
  const GraphShape sides{shape.sources, shape.targets, true};
  const auto count = all_sum(comm, static_cast<std::uint64_t>(pairs.size()));
  const std::uint64_t most = limit(count, options.parts, options.imbalance_percent);
  std::vector<Part> best;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Grid grid : grids(degree_histograms(comm, pairs, sides), options.parts)) {
    std::vector<Part> part = cells(comm, pairs, sides, count, grid, options.imbalance_percent);
    std::vector<std::uint64_t> load(options.parts, 0);
    for (const Part cell : part) ++load[cell];
    add_ranks(comm, load);
    const std::uint64_t largest = std::ranges::max(load);
    if (largest < least) {
      least = largest;
      best = std::move(part);
    }
    if (least <= most) break;
  }
  return vertex_cut(comm, edges, shape, options, best);
}

}  // namespace gas::partition
