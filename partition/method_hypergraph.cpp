#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <random>

#include "gas/graph/error.hpp"
#include "partition/balance.hpp"
#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/hypergraph/split.hpp"
#include "partition/method.hpp"

namespace gas::partition {
namespace {

using Index = Hypergraph::Index;

// A pin in one word, which sorts by net, then vertex.
constexpr std::uint64_t as_pin(Row net, Row vertex) { return std::uint64_t{net} << 32U | vertex; }
constexpr Row net_of(std::uint64_t pin) { return static_cast<Row>(pin >> 32U); }
constexpr Row vertex_of(std::uint64_t pin) { return static_cast<Row>(pin); }

void sort_distinct(std::vector<std::uint64_t>& pins) {
  std::sort(pins.begin(), pins.end());
  pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
}

/// The distinct pins whose net is at home here, sorted. Collective.
std::vector<std::uint64_t> home_pins(Team& team, const EdgeList& edges, const GraphShape& shape) {
  std::vector<std::uint64_t> pins;
  pins.reserve(edges.size());
  edges.for_each_arc([&](Row source, Row target, std::size_t) {
    if (shape.bipartite) {
      pins.push_back(as_pin(target, source));
    } else {
      pins.push_back(as_pin(source, target));
      pins.push_back(as_pin(target, target));
    }
  });
  sort_distinct(pins);
  const HomeRange home = target_home(team, shape);
  std::vector<std::vector<std::uint64_t>> out(static_cast<std::size_t>(team.size()));
  for (const std::uint64_t pin : pins)
    out[static_cast<std::size_t>(home.home(net_of(pin)))].push_back(pin);
  pins = std::vector<std::uint64_t>();
  for (const auto& block : all_to_all(team, std::move(out)))
    pins.insert(pins.end(), block.begin(), block.end());
  sort_distinct(pins);
  return pins;
}

/// The rows that have edges, and the nets between them.
struct Rows {
  std::vector<Row> row;
  Hypergraph graph;
};

Rows build(const std::vector<std::uint64_t>& pins, const std::vector<std::uint64_t>& owned) {
  Rows rows;
  std::vector<Index> index(owned.size());
  std::vector<std::int64_t> weight;
  for (std::size_t v = 0; v < owned.size(); ++v) {
    if (owned[v] == 0) continue;
    index[v] = static_cast<Index>(weight.size());
    rows.row.push_back(static_cast<Row>(v));
    weight.push_back(static_cast<std::int64_t>(owned[v]));
  }
  NetCollector nets;
  std::vector<Index> net;
  for (std::size_t i = 0; i < pins.size();) {
    net.clear();
    for (const Row of = net_of(pins[i]); i < pins.size() && net_of(pins[i]) == of; ++i)
      net.push_back(index[vertex_of(pins[i])]);
    nets.add(net, 1);
  }
  rows.graph = nets.finish(std::move(weight));
  return rows;
}

/// What a part may weigh. Vertices that weigh more get a part each, which they fill: their weight
/// is set to that, and the other parts share the rest.
std::int64_t weight_limit(std::vector<std::int64_t>& weight, Part parts, double percent) {
  std::vector<std::int64_t> heaviest(weight);
  const std::size_t heavy = std::min<std::size_t>(parts - 1, heaviest.size());
  std::partial_sort(heaviest.begin(), heaviest.begin() + static_cast<std::ptrdiff_t>(heavy),
                    heaviest.end(), std::greater<>());
  auto rest = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
  const auto limit = [&](std::size_t hubs) {
    const auto left = static_cast<Part>(parts - hubs);
    const auto promised =
        static_cast<std::int64_t>(promised_edges(static_cast<std::uint64_t>(rest), left, percent));
    return std::max<std::int64_t>({promised, (rest + left - 1) / left, 1});
  };
  std::int64_t most = limit(0);
  for (std::size_t i = 0; i < heavy && heaviest[i] > most; ++i) {
    rest -= heaviest[i];
    most = limit(i + 1);
  }
  for (std::int64_t& w : weight) w = std::min(w, most);
  return most;
}

std::vector<Part> split_rows(Hypergraph& graph, const Options& options) {
  const std::int64_t most =
      weight_limit(graph.vertex_weight, options.parts, options.imbalance_percent);
  std::mt19937_64 random(options.seed);
  return split_hypergraph(graph, options.parts, most, random);
}

}  // namespace

Partition hypergraph_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                         const Options& options) {
  const auto edge_count = all_sum(team, static_cast<std::uint64_t>(edges.arcs()));
  if (edge_count > std::numeric_limits<std::int32_t>::max())
    throw RunError(
        fmt::format("the graph is too large for method 'hypergraph' ({} edges, at most "
                    "{} are possible): use 'aweto'",
                    edge_count, std::numeric_limits<std::int32_t>::max()));
  const auto pins = home_pins(team, edges, shape);
  const auto owned = count_owned(team, edges, shape);
  const auto all_pins = join_at_zero(team, std::span<const std::uint64_t>(pins));
  const auto all_owned = join_at_zero(team, std::span<const std::uint64_t>(owned));
  std::vector<Part> all;
  together(team, [&] {
    if (team.rank() != 0) return;
    Rows rows = build(all_pins, all_owned);
    all.assign(shape.sources, no_part);
    const std::vector<Part> found = split_rows(rows.graph, options);
    for (std::size_t i = 0; i < found.size(); ++i) all[rows.row[i]] = found[i];
  });
  const std::size_t parameters = shape.bipartite ? target_home(team, shape).count(team.rank()) : 0;
  return edge_cut(team, edges, shape, options,
                  send_home(team, source_home(team, shape), std::span<const Part>(all)),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
