#include <fmt/format.h>

#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

#include "gas/graph/error.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {
namespace {

constexpr LocalId nowhere = std::numeric_limits<LocalId>::max();

/// Row → local id for the rows present on this rank: a table where rows are dense, else binary
/// search.
class RowIndex {
 public:
  RowIndex(std::uint64_t count, const std::vector<Row>& rows) {
    if (count <= 4 * rows.size() + (1U << 20U)) {
      table_.assign(count, nowhere);
      for (std::size_t i = 0; i < rows.size(); ++i) table_[rows[i]] = static_cast<LocalId>(i);
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i)
        sorted_.emplace_back(rows[i], static_cast<LocalId>(i));
      std::sort(sorted_.begin(), sorted_.end());
    }
  }
  LocalId operator()(Row row) const {
    if (!table_.empty()) return table_[row];
    return std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(row, LocalId{0}))->second;
  }

 private:
  std::vector<LocalId> table_;
  std::vector<std::pair<Row, LocalId>> sorted_;
};

/// Sends out[i] to the rank destination[i]; what arrived, by sending rank.
template <Plain T>
std::vector<T> ship(Team& team, const std::vector<T>& values, const std::vector<int>& destination) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(team.size()), 0);
  for (const int to : destination) ++counts[static_cast<std::size_t>(to)];
  std::vector<std::vector<T>> out(counts.size());
  for (std::size_t to = 0; to < out.size(); ++to) out[to].reserve(counts[to]);
  for (std::size_t i = 0; i < values.size(); ++i)
    out[static_cast<std::size_t>(destination[i])].push_back(values[i]);
  std::vector<T> in;
  for (const auto& block : all_to_all(team, out)) in.insert(in.end(), block.begin(), block.end());
  return in;
}

void sort_unique(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

/// The rows that occur in `ends`, ascending: by marking where the rows are few beside the ends,
/// else by sorting.
std::vector<Row> rows_in(std::uint64_t count, std::initializer_list<const std::vector<Row>*> ends) {
  std::size_t total = 0;
  for (const std::vector<Row>* rows : ends) total += rows->size();
  std::vector<Row> used;
  if (count <= 8 * total) {
    std::vector<bool> marked(count, false);
    for (const std::vector<Row>* rows : ends)
      for (const Row row : *rows) marked[row] = true;
    for (Row row = 0; row < count; ++row)
      if (marked[row]) used.push_back(row);
  } else {
    for (const std::vector<Row>* rows : ends) used.insert(used.end(), rows->begin(), rows->end());
    sort_unique(used);
  }
  return used;
}

EdgeList ship_edges(Team& team, EdgeList edges, const Partition& partition) {
  std::vector<int> destination(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    destination[i] = rank_of_part(partition.edge_part[i], partition.parts, team.size());
  EdgeList mine;
  const bool weighted = all_max(team, edges.weighted() ? 1 : 0) == 1;
  mine.source = ship(team, std::exchange(edges.source, {}), destination);
  mine.target = ship(team, std::exchange(edges.target, {}), destination);
  if (weighted) mine.value = ship(team, std::exchange(edges.value, {}), destination);
  return mine;
}

/// The layout of one kind: `used` are the rows that have an edge here (ascending), `master_part`
/// those of this rank's home range.
VertexLayout make_layout(Team& team, std::uint64_t count, const std::vector<Row>& used,
                         const std::vector<Part>& master_part, Part parts) {
  const auto ranks = static_cast<std::size_t>(team.size());
  const HomeRange home{count, team.size()};
  const std::uint64_t first_home = home.first(team.rank());

  std::vector<std::vector<Row>> mastered_at(ranks);
  for (std::size_t i = 0; i < master_part.size(); ++i)
    mastered_at[static_cast<std::size_t>(rank_of_part(master_part[i], parts, team.size()))]
        .push_back(to_row(first_home + i));
  std::vector<Row> masters;
  for (const auto& rows : all_to_all(team, mastered_at))
    masters.insert(masters.end(), rows.begin(), rows.end());  // homes are in rank order: ascending

  // Ask the homes who masters the rows that are used here but not mastered here.
  std::vector<std::vector<Row>> asked(ranks);
  std::vector<Row> foreign;
  std::set_difference(used.begin(), used.end(), masters.begin(), masters.end(),
                      std::back_inserter(foreign));
  for (const Row row : foreign) asked[static_cast<std::size_t>(home.home(row))].push_back(row);
  std::vector<std::vector<int>> answers(ranks);
  const auto questions = all_to_all(team, asked);
  for (std::size_t from = 0; from < ranks; ++from)
    for (const Row row : questions[from])
      answers[from].push_back(rank_of_part(master_part[row - first_home], parts, team.size()));
  std::vector<std::vector<Row>> mirrors(ranks);  // by owner, ascending row
  const auto owners = all_to_all(team, answers);
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t i = 0; i < owners[from].size(); ++i)
      mirrors[static_cast<std::size_t>(owners[from][i])].push_back(asked[from][i]);

  const auto mirrored_at = all_to_all(team, mirrors);  // my masters that rank i mirrors
  std::vector<Row> boundary;
  for (const auto& rows : mirrored_at) boundary.insert(boundary.end(), rows.begin(), rows.end());
  sort_unique(boundary);

  if (masters.size() + foreign.size() >= nowhere)
    throw RunError("a rank can hold at most 2³² − 2 vertices of a kind: use more ranks");
  VertexLayout layout;
  layout.count = count;
  std::set_difference(masters.begin(), masters.end(), boundary.begin(), boundary.end(),
                      std::back_inserter(layout.rows));
  layout.interior = static_cast<LocalId>(layout.rows.size());
  layout.boundary = static_cast<LocalId>(boundary.size());
  layout.rows.insert(layout.rows.end(), boundary.begin(), boundary.end());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (mirrors[rank].empty() && mirrored_at[rank].empty()) continue;
    Peer peer;
    peer.rank = static_cast<int>(rank);
    for (const Row row : mirrors[rank]) {
      peer.value_mirrors.push_back(static_cast<LocalId>(layout.rows.size()));
      layout.rows.push_back(row);
    }
    for (const Row row : mirrored_at[rank]) {
      const auto at = std::lower_bound(boundary.begin(), boundary.end(), row) - boundary.begin();
      peer.value_masters.push_back(layout.interior + static_cast<LocalId>(at));
    }
    layout.peers.push_back(std::move(peer));
  }
  layout.mirrors = static_cast<LocalId>(layout.rows.size()) - layout.masters();
  return layout;
}

/// From all mirrors to those that have a local edge to read (`reads`) or to gather (`gathers`),
/// agreed by both ends; degrees are summed up at the masters on the way, and told to the mirrors.
/// Indexed by local id.
void agree_plan(Team& team, VertexLayout& layout, std::vector<std::uint32_t> gathers,
                std::vector<std::uint32_t> reads, bool one_kind) {
  struct Degrees {
    std::uint32_t gathers, reads;
  };
  std::vector<std::vector<Degrees>> told(static_cast<std::size_t>(team.size())), sums(told.size());
  for (const Peer& peer : layout.peers)
    for (const LocalId v : peer.value_mirrors)
      told[static_cast<std::size_t>(peer.rank)].push_back({gathers[v], reads[v]});
  const auto heard = all_to_all(team, told);
  const std::vector<Peer> all = layout.peers;
  for (Peer& peer : layout.peers) {
    const std::vector<LocalId> mirrors = std::exchange(peer.value_mirrors, {});
    for (const LocalId v : mirrors) {
      if (reads[v] > 0) peer.value_mirrors.push_back(v);
      if (gathers[v] > 0) peer.total_mirrors.push_back(v);
    }
    const std::vector<LocalId> masters = std::exchange(peer.value_masters, {});
    for (std::size_t i = 0; i < masters.size(); ++i) {
      const Degrees degrees = heard[static_cast<std::size_t>(peer.rank)][i];
      if (degrees.reads > 0) peer.value_masters.push_back(masters[i]);
      if (degrees.gathers > 0) peer.total_masters.push_back(masters[i]);
      gathers[masters[i]] += degrees.gathers;
      reads[masters[i]] += degrees.reads;
    }
  }
  for (const Peer& peer : all)
    for (const LocalId v : peer.value_masters)
      sums[static_cast<std::size_t>(peer.rank)].push_back({gathers[v], reads[v]});
  const auto whole = all_to_all(team, sums);
  for (const Peer& peer : all)
    for (std::size_t i = 0; i < peer.value_mirrors.size(); ++i) {
      gathers[peer.value_mirrors[i]] = whole[static_cast<std::size_t>(peer.rank)][i].gathers;
      reads[peer.value_mirrors[i]] = whole[static_cast<std::size_t>(peer.rank)][i].reads;
    }
  layout.in_degree = std::move(gathers);
  if (one_kind) layout.out_degree = std::move(reads);
}

/// Stable counting sort of `order` (edge indices) by key[index] < keys.
std::vector<LocalId> sorted_by(const std::vector<LocalId>& key, std::size_t keys,
                               const std::vector<LocalId>& order) {
  std::vector<std::size_t> next(keys + 1, 0);
  for (const LocalId e : order) ++next[key[e] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<LocalId> sorted(order.size());
  for (const LocalId e : order) sorted[next[key[e]]++] = e;
  return sorted;
}

/// Position of every local id when all are ordered by row.
std::vector<LocalId> by_row(const VertexLayout& layout) {
  std::vector<LocalId> order(layout.rows.size());
  std::iota(order.begin(), order.end(), LocalId{0});
  std::sort(order.begin(), order.end(),
            [&](LocalId a, LocalId b) { return layout.rows[a] < layout.rows[b]; });
  std::vector<LocalId> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<LocalId>(i);
  return position;
}

void check_counts(float value, Repeats repeats) {
  if (repeats == Repeats::expand &&
      !(value >= 0 && value < 0x1p32F &&
        value == static_cast<float>(static_cast<std::uint32_t>(value))))
    throw InputError(fmt::format("an edge value {} is not a count", value));
}

}  // namespace

void add_reverse_arcs(EdgeList& edges) {
  EdgeList arcs;
  const auto add = [&](Row source, Row target, std::size_t e) {
    arcs.source.push_back(source);
    arcs.target.push_back(target);
    if (edges.weighted()) arcs.value.push_back(edges.value[e]);
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    add(edges.source[e], edges.target[e], e);
    if (edges.source[e] != edges.target[e]) add(edges.target[e], edges.source[e], e);
  }
  edges = std::move(arcs);
}

Adjacency reversed(const Adjacency& forward, LocalId count, bool with_neighbours) {
  if (forward.neighbours.size() > nowhere) throw RunError("more than 2³² edges on one rank");
  Adjacency backward;
  backward.offsets.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const LocalId n : forward.neighbours) ++backward.offsets[n + 1];
  std::partial_sum(backward.offsets.begin(), backward.offsets.end(), backward.offsets.begin());
  std::vector<EdgeOffset> next(backward.offsets.begin(), backward.offsets.end() - 1);
  backward.edges.resize(forward.neighbours.size());
  if (with_neighbours) backward.neighbours.resize(forward.neighbours.size());
  for (LocalId v = 0; v < forward.vertices(); ++v)
    for (EdgeOffset e = forward.offsets[v]; e < forward.offsets[v + 1]; ++e) {
      const EdgeOffset at = next[forward.neighbours[e]]++;
      backward.edges[at] = static_cast<LocalId>(e);
      if (with_neighbours) backward.neighbours[at] = v;
    }
  return backward;
}

VertexLayout unshared_layout(std::uint64_t count, std::vector<Row> rows) {
  VertexLayout layout;
  layout.count = count;
  layout.interior = static_cast<LocalId>(rows.size());
  layout.rows = std::move(rows);
  return layout;
}

VertexLayout replicated_layout(const Team& team, std::uint64_t count) {
  const HomeRange home{count, team.size()};
  VertexLayout layout;
  layout.count = count;
  const auto append = [&](int rank) {
    std::vector<LocalId> ids(home.count(rank));
    std::iota(ids.begin(), ids.end(), static_cast<LocalId>(layout.rows.size()));
    for (std::uint64_t i = 0; i < home.count(rank); ++i)
      layout.rows.push_back(to_row(home.first(rank) + i));
    return ids;
  };
  const std::vector<LocalId> masters = append(team.rank());
  (team.size() > 1 ? layout.boundary : layout.interior) = static_cast<LocalId>(masters.size());
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank == team.rank()) continue;
    Peer peer;
    peer.rank = rank;
    peer.value_masters = peer.total_masters = masters;
    peer.value_mirrors = peer.total_mirrors = append(rank);
    if (!masters.empty() || !peer.value_mirrors.empty()) layout.peers.push_back(std::move(peer));
  }
  layout.mirrors = static_cast<LocalId>(layout.rows.size()) - layout.masters();
  return layout;
}

LocalGraph build_graph(Team& team, const GraphShape& shape, EdgeList edges, Partition partition,
                       Repeats repeats) {
  EdgeList mine = ship_edges(team, std::move(edges), partition);
  if (mine.size() >= nowhere)
    throw RunError("a rank can hold at most 2³² − 2 edges: use more ranks");

  LocalGraph graph;
  graph.bipartite = shape.bipartite;
  graph.home = make_layout(team, shape.sources,
                           shape.bipartite ? rows_in(shape.sources, {&mine.source})
                                           : rows_in(shape.sources, {&mine.source, &mine.target}),
                           partition.source_master, partition.parts);
  if (shape.bipartite)
    graph.parameter = make_layout(team, shape.targets, rows_in(shape.targets, {&mine.target}),
                                  partition.target_master, partition.parts);

  // Home end and other end of every edge as local ids.
  std::vector<LocalId> home_end(mine.size()), other_end(mine.size());
  {
    const RowIndex home_index(shape.sources, graph.home.rows);
    const std::vector<Row>& homes = shape.bipartite ? mine.source : mine.target;
    for (std::size_t e = 0; e < mine.size(); ++e) home_end[e] = home_index(homes[e]);
    if (shape.bipartite) {
      const RowIndex index(shape.targets, graph.parameter.rows);
      for (std::size_t e = 0; e < mine.size(); ++e) other_end[e] = index(mine.target[e]);
    } else {
      for (std::size_t e = 0; e < mine.size(); ++e) other_end[e] = home_index(mine.source[e]);
    }
  }
  mine.source = {};
  mine.target = {};

  const VertexLayout& other = shape.bipartite ? graph.parameter : graph.home;
  std::vector<LocalId> order(home_end.size());
  std::iota(order.begin(), order.end(), LocalId{0});
  {
    const std::vector<LocalId> position = by_row(other);
    std::vector<LocalId> key(other_end.size());
    for (std::size_t e = 0; e < key.size(); ++e) key[e] = position[other_end[e]];
    order = sorted_by(key, other.rows.size(), order);
  }
  order = sorted_by(home_end, graph.home.rows.size(), order);

  // Lay the edges out by home vertex, repeats as asked.
  Adjacency& adjacency = graph.adjacency;
  adjacency.offsets.assign(graph.home.rows.size() + 1, 0);
  const bool weighted = mine.weighted() && repeats != Repeats::expand;
  const bool adds = repeats == Repeats::add;
  adjacency.neighbours.reserve(order.size());
  if (weighted || adds) graph.values.reserve(order.size());
  LocalId last_home = nowhere;
  for (const LocalId e : order) {
    const float value = mine.weighted() ? mine.value[e] : 1.0F;
    check_counts(value, repeats);
    const bool repeated =
        adds && last_home == home_end[e] && adjacency.neighbours.back() == other_end[e];
    last_home = home_end[e];
    if (repeated) {
      graph.values.back() += value;
      continue;
    }
    const auto copies = repeats == Repeats::expand ? static_cast<std::uint32_t>(value) : 1U;
    if (adjacency.neighbours.size() + copies >= nowhere)
      throw RunError("a rank can hold at most 2³² − 2 edges: use more ranks");
    for (std::uint32_t c = 0; c < copies; ++c) adjacency.neighbours.push_back(other_end[e]);
    if (weighted || adds) graph.values.push_back(value);
    adjacency.offsets[home_end[e] + 1] += copies;
  }
  std::partial_sum(adjacency.offsets.begin(), adjacency.offsets.end(), adjacency.offsets.begin());

  std::vector<std::uint32_t> home_degree(graph.home.rows.size()),
      other_degree(other.rows.size(), 0);
  for (LocalId v = 0; v < home_degree.size(); ++v)
    home_degree[v] = static_cast<std::uint32_t>(adjacency.degree(v));
  for (const LocalId n : adjacency.neighbours) ++other_degree[n];
  graph.edge_count = all_sum(team, static_cast<std::uint64_t>(adjacency.neighbours.size()));
  if (shape.bipartite) {
    agree_plan(team, graph.home, home_degree, home_degree, false);
    agree_plan(team, graph.parameter, other_degree, other_degree, false);
  } else {
    agree_plan(team, graph.home, std::move(home_degree), std::move(other_degree), true);
  }
  return graph;
}

}  // namespace gas
