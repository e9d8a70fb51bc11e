#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/threads/parallel.hpp"
#include "gas/graph/ask.hpp"
#include "gas/graph/local_graph.hpp"
#include "gas/graph/repeats.hpp"
#include "gas/graph/ship_edges.hpp"
#include "gas/graph/sorted_rows.hpp"

namespace gas {
namespace {

constexpr LocalId nowhere = std::numeric_limits<LocalId>::max();

/// VertexId → local id for the rows present on this rank: a table where rows are dense, else binary
/// search.
class RowIndex {
 public:
  RowIndex(std::uint64_t count, const std::vector<VertexId>& rows) {
    if (count <= 4 * rows.size() + (1U << 20U)) {
      table_.assign(count, nowhere);
      for (std::size_t i = 0; i < rows.size(); ++i) table_[rows[i]] = static_cast<LocalId>(i);
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i)
        sorted_.emplace_back(rows[i], static_cast<LocalId>(i));
      std::sort(sorted_.begin(), sorted_.end());
    }
  }
  LocalId operator()(VertexId row) const {
    if (!table_.empty()) return table_[row];
    return std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(row, LocalId{0}))->second;
  }

 private:
  std::vector<LocalId> table_;
  std::vector<std::pair<VertexId, LocalId>> sorted_;
};

/// The rows that have an edge here, ascending, and of how many edge ends each.
struct UsedRows {
  std::vector<VertexId> rows;
  std::vector<std::uint32_t> ends;

  void add(VertexId row, std::uint32_t count) {
    rows.push_back(row);
    ends.push_back(count);
  }
  /// Of each of some rows, ascending.
  std::vector<std::uint32_t> ends_of(const std::vector<VertexId>& some) const {
    std::vector<std::uint32_t> found;
    found.reserve(some.size());
    std::size_t at = 0;
    for (const VertexId row : some) {
      while (at < rows.size() && rows[at] < row) ++at;
      found.push_back(at < rows.size() && rows[at] == row ? ends[at] : 0);
    }
    return found;
  }
};

/// Adds up how often each row occurs; equal ones behind one another cost one access.
void count_runs(const std::vector<VertexId>& rows, std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 0; i < rows.size();) {
    const VertexId row = rows[i];
    const std::size_t first = i;
    while (++i < rows.size() && rows[i] == row) {
    }
    counts[row] += static_cast<std::uint32_t>(i - first);
  }
}

/// The rows below `count` that occur in `lists`: by counting where they are few beside the ends,
/// else by sorting.
UsedRows rows_in(std::uint64_t count, std::initializer_list<const std::vector<VertexId>*> lists) {
  std::size_t total = 0;
  for (const std::vector<VertexId>* rows : lists) total += rows->size();
  UsedRows used;
  if (count <= 2 * total) {
    std::vector<std::uint32_t> ends(count);
    for (const std::vector<VertexId>* rows : lists) count_runs(*rows, ends);
    for (VertexId row = 0; row < count; ++row)
      if (ends[row] > 0) used.add(row, ends[row]);
  } else {
    std::vector<VertexId> all;
    for (const std::vector<VertexId>* rows : lists)
      all.insert(all.end(), rows->begin(), rows->end());
    std::sort(all.begin(), all.end());
    for (auto row = all.begin(), next = row; row != all.end(); row = next) {
      next = std::upper_bound(row, all.end(), *row);
      used.add(*row, static_cast<std::uint32_t>(next - row));
    }
  }
  return used;
}

/// The order in which boundary rows stand, here and at all who mirror them: by groups of like
/// degree (as many binary digits), high ones first, then by row. What is read most often then lies
/// together, and more of it stays in cache (Faldu, Diamond, Grot: A Closer Look at Lightweight
/// Graph Reordering, 2019).
using Degree = std::uint8_t;
Degree group_of(std::uint64_t ends) { return static_cast<Degree>(std::bit_width(ends)); }

/// Places of ascending rows, by their groups, in that order.
std::vector<std::size_t> in_groups(const std::vector<Degree>& group) {
  std::array<std::size_t, 65> next{};  // the first of each group, high ones first
  for (const Degree each : group) ++next[64 - each];
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
  std::vector<std::size_t> order(group.size());
  for (std::size_t place = 0; place < group.size(); ++place)
    order[next[64 - group[place]]++] = place;
  return order;
}

/// The layout of one kind: `used` are the rows that have an edge here, `master_part` those of this
/// rank's block.
VertexLayout make_layout(Communicator& comm, std::uint64_t count, const UsedRows& used,
                         const std::vector<Part>& master_part, Part parts) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const BlockDistribution blocks{count, comm.size()};
  const std::uint64_t first_here = blocks.first(comm.rank());
  if (ranks == 1) {
    std::vector<VertexId> all(count);
    std::iota(all.begin(), all.end(), VertexId{0});
    return unshared_layout(count, std::move(all));
  }

  std::vector<int> rank_of(parts);
  for (Part part = 0; part < parts; ++part) rank_of[part] = rank_of_part(part, parts, comm.size());
  std::vector<std::vector<VertexId>> mastered_at(ranks);
  for (std::size_t i = 0; i < master_part.size(); ++i)
    mastered_at[static_cast<std::size_t>(rank_of[master_part[i]])].push_back(
        to_vertex_id(first_here + i));
  std::vector<VertexId> masters;
  for (const auto& rows : all_to_all(comm, mastered_at))
    masters.insert(masters.end(), rows.begin(), rows.end());  // blocks are in rank order: ascending

  // Ask the owners of the ids who masters the rows that are used here but not mastered here.
  std::vector<VertexId> foreign;
  std::set_difference(used.rows.begin(), used.rows.end(), masters.begin(), masters.end(),
                      std::back_inserter(foreign));
  const std::vector<int> owners = ask(
      comm, std::span<const VertexId>(foreign), [&](VertexId row) { return blocks.owner(row); },
      [&](VertexId row) { return rank_of[master_part[row - first_here]]; });
  std::vector<std::vector<VertexId>> mirrors(ranks);  // by owner, ascending row
  for (std::size_t i = 0; i < foreign.size(); ++i)
    mirrors[static_cast<std::size_t>(owners[i])].push_back(foreign[i]);

  const auto mirrored_at = all_to_all(comm, mirrors);  // my masters that rank i mirrors
  std::vector<VertexId> boundary;
  for (const auto& rows : mirrored_at) boundary.insert(boundary.end(), rows.begin(), rows.end());
  if (!std::is_sorted(boundary.begin(), boundary.end()))
    std::sort(boundary.begin(), boundary.end());
  boundary.erase(std::unique(boundary.begin(), boundary.end()), boundary.end());

  // Their ends are added up here, and all hear the groups.
  std::vector<std::vector<std::uint32_t>> ends(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) ends[rank] = used.ends_of(mirrors[rank]);
  const auto ends_at = all_to_all(comm, ends);
  const std::vector<std::uint32_t> own_ends = used.ends_of(boundary);
  std::vector<std::uint64_t> all_ends(own_ends.begin(), own_ends.end());
  std::vector<std::vector<std::size_t>> places(ranks);  // in boundary, of mirrored_at
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < mirrored_at[rank].size(); ++i) {
      while (boundary[at] < mirrored_at[rank][i]) ++at;
      places[rank].push_back(at);
      all_ends[at] += ends_at[rank][i];
    }
  }
  std::vector<Degree> group;
  for (const std::uint64_t sum : all_ends) group.push_back(group_of(sum));
  std::vector<std::vector<Degree>> told(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const std::size_t place : places[rank]) told[rank].push_back(group[place]);
  const auto group_at = all_to_all(comm, told);

  together(comm, [&] {
    if (masters.size() + foreign.size() >= nowhere)
      throw RunError("a rank can hold at most 2³² − 2 vertices of a kind: use more ranks");
  });
  VertexLayout layout;
  layout.count = count;
  layout.rows.reserve(masters.size() + foreign.size());
  std::set_difference(masters.begin(), masters.end(), boundary.begin(), boundary.end(),
                      std::back_inserter(layout.rows));
  layout.interior = static_cast<LocalId>(layout.rows.size());
  layout.boundary = static_cast<LocalId>(boundary.size());
  std::vector<LocalId> local(boundary.size());  // of a boundary row, by its place
  for (const std::size_t place : in_groups(group)) {
    local[place] = static_cast<LocalId>(layout.rows.size());
    layout.rows.push_back(boundary[place]);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (mirrors[rank].empty() && mirrored_at[rank].empty()) continue;
    Peer peer;
    peer.rank = static_cast<int>(rank);
    peer.value_mirrors.reserve(mirrors[rank].size());
    peer.value_masters.reserve(places[rank].size());
    for (const std::size_t i : in_groups(group_at[rank])) {
      peer.value_mirrors.push_back(static_cast<LocalId>(layout.rows.size()));
      layout.rows.push_back(mirrors[rank][i]);
    }
    for (const std::size_t place : places[rank]) peer.value_masters.push_back(local[place]);
    std::sort(peer.value_masters.begin(), peer.value_masters.end());
    layout.peers.push_back(std::move(peer));
  }
  layout.mirrors = static_cast<LocalId>(layout.rows.size()) - layout.masters();
  return layout;
}

/// From all mirrors to those that have a local edge to read (`reads`) or to gather (`gathers`),
/// agreed by both ends; degrees are summed up at the masters on the way, and told to the mirrors.
/// Indexed by local id.
void agree_plan(Communicator& comm, VertexLayout& layout, std::vector<std::uint32_t> gathers,
                std::vector<std::uint32_t> reads, bool one_kind) {
  struct Degrees {
    std::uint32_t gathers, reads;
  };
  // Tells each rank the degrees here of the vertices that it has, too.
  const auto exchange_degrees = [&](std::vector<LocalId> Peer::*vertices) {
    std::vector<std::vector<Degrees>> told(static_cast<std::size_t>(comm.size()));
    for (const Peer& peer : layout.peers) {
      std::vector<Degrees>& degrees = told[static_cast<std::size_t>(peer.rank)];
      degrees.reserve((peer.*vertices).size());
      for (const LocalId v : peer.*vertices) degrees.push_back({gathers[v], reads[v]});
    }
    return all_to_all(comm, told);
  };
  // `vertices` keeps those that are read at the mirror, the others get those that are gathered at.
  const auto split = [](std::vector<LocalId>& vertices, std::vector<LocalId>& gathered,
                        const auto& degrees_of) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const Degrees degrees = degrees_of(i);
      if (degrees.gathers > 0) gathered.push_back(vertices[i]);
      if (degrees.reads > 0) vertices[kept++] = vertices[i];
    }
    vertices.resize(kept);
  };

  auto at_mirrors = exchange_degrees(&Peer::value_mirrors);
  bool fits = true;
  const auto add = [&](std::uint32_t& sum, std::uint32_t more) {
    fits &= more <= std::numeric_limits<std::uint32_t>::max() - sum;
    sum += more;
  };
  for (const Peer& peer : layout.peers)
    for (std::size_t i = 0; i < peer.value_masters.size(); ++i) {
      const Degrees degrees = at_mirrors[static_cast<std::size_t>(peer.rank)][i];
      add(gathers[peer.value_masters[i]], degrees.gathers);
      add(reads[peer.value_masters[i]], degrees.reads);
    }
  if (all_max(comm, fits ? 0 : 1) != 0) throw RunError("a vertex has 2³² edges or more");
  const auto whole = exchange_degrees(&Peer::value_masters);
  for (Peer& peer : layout.peers) {
    std::vector<Degrees>& there = at_mirrors[static_cast<std::size_t>(peer.rank)];
    split(peer.value_masters, peer.accumulator_masters, [&](std::size_t i) { return there[i]; });
    release(there);
    const std::vector<Degrees>& all = whole[static_cast<std::size_t>(peer.rank)];
    split(peer.value_mirrors, peer.accumulator_mirrors, [&](std::size_t i) {
      const LocalId v = peer.value_mirrors[i];
      const Degrees here{gathers[v], reads[v]};
      gathers[v] = all[i].gathers;
      reads[v] = all[i].reads;
      return here;
    });
  }
  layout.in_degree = std::move(gathers);
  if (one_kind) layout.out_degree = std::move(reads);
}

/// Rows become local ids, in place.
void translate(const RowIndex& index, std::vector<VertexId>& rows, unsigned threads) {
  constexpr std::size_t block = std::size_t{1} << 18;
  in_parallel(threads, (rows.size() + block - 1) / block, [&](unsigned, std::size_t task) {
    const std::size_t last = std::min((task + 1) * block, rows.size());
    for (std::size_t i = task * block; i < last; ++i) rows[i] = index(rows[i]);
  });
}

/// Whether local ids are the rows.
bool is_identity(const VertexLayout& layout) {
  return layout.interior == layout.count && layout.locals() == layout.count;
}

}  // namespace

void add_reverse_arcs(EdgeList& edges) {
  std::size_t arcs = 2 * edges.size();
  for (std::size_t e = 0; e < edges.size(); ++e) arcs -= edges.source[e] == edges.target[e] ? 1 : 0;
  const auto spread = [&](const auto& list, const auto& of_reverse) {
    std::remove_cvref_t<decltype(list)> all;
    all.reserve(arcs);
    for (std::size_t e = 0; e < list.size(); ++e) {
      all.push_back(list[e]);
      if (edges.source[e] != edges.target[e]) all.push_back(of_reverse[e]);
    }
    return all;
  };
  edges.both_ways = false;
  if (!edges.value.empty()) edges.value = spread(edges.value, edges.value);
  if (!edges.wide_value.empty()) edges.wide_value = spread(edges.wide_value, edges.wide_value);
  auto sources = spread(edges.source, edges.target);
  edges.target = spread(edges.target, edges.source);
  edges.source = std::move(sources);
}

Adjacency reversed(const Adjacency& forward, LocalId count, bool with_neighbours) {
  if (forward.neighbours.size() > nowhere) throw RunError("more than 2³² edges on one rank");
  auto edges = filled_soon<LocalId>(forward.neighbours.size());
  Adjacency backward =
      reversed(forward, count, with_neighbours,
               [&](EdgeOffset at, std::size_t edge) { edges[at] = static_cast<LocalId>(edge); });
  backward.edges = std::move(edges);
  return backward;
}

std::vector<std::uint32_t> count_each(std::span<const LocalId> ids, std::size_t count,
                                      unsigned threads) {
  // A piece counts for itself, where it is longer than the counts.
  const std::size_t pieces =
      std::clamp<std::size_t>(ids.size() / std::max<std::size_t>(count, 1), 1, threads);
  std::vector<std::vector<std::uint32_t>> counts(pieces);
  in_parallel(threads, pieces, [&](unsigned, std::size_t piece) {
    counts[piece].assign(count, 0);
    const BlockDistribution range{ids.size(), static_cast<int>(pieces)};
    const std::uint64_t first = range.first(static_cast<int>(piece));
    const std::uint64_t last = first + range.count(static_cast<int>(piece));
    for (std::uint64_t e = first; e < last; ++e) ++counts[piece][ids[e]];
  });
  for (std::size_t piece = 1; piece < pieces; ++piece)
    std::transform(counts[0].begin(), counts[0].end(), counts[piece].begin(), counts[0].begin(),
                   std::plus<>());
  return std::move(counts[0]);
}

VertexLayout unshared_layout(std::uint64_t count, std::vector<VertexId> rows) {
  VertexLayout layout;
  layout.count = count;
  layout.interior = static_cast<LocalId>(rows.size());
  layout.rows = std::move(rows);
  return layout;
}

VertexLayout replicated_layout(const Communicator& comm, std::uint64_t count) {
  const BlockDistribution blocks{count, comm.size()};
  VertexLayout layout;
  layout.count = count;
  const auto append = [&](int rank) {
    std::vector<LocalId> ids(blocks.count(rank));
    std::iota(ids.begin(), ids.end(), static_cast<LocalId>(layout.rows.size()));
    for (std::uint64_t i = 0; i < blocks.count(rank); ++i)
      layout.rows.push_back(to_vertex_id(blocks.first(rank) + i));
    return ids;
  };
  const std::vector<LocalId> masters = append(comm.rank());
  (comm.size() > 1 ? layout.boundary : layout.interior) = static_cast<LocalId>(masters.size());
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    Peer peer;
    peer.rank = rank;
    peer.value_masters = peer.accumulator_masters = masters;
    peer.value_mirrors = peer.accumulator_mirrors = append(rank);
    if (!masters.empty() || !peer.value_mirrors.empty()) layout.peers.push_back(std::move(peer));
  }
  layout.mirrors = static_cast<LocalId>(layout.rows.size()) - layout.masters();
  return layout;
}

LocalGraph build_graph(Communicator& comm, const GraphShape& shape, EdgeList edges,
                       Partition partition, Repeats repeats, unsigned threads) {
  if (std::max(shape.sources, shape.targets) > max_vertices)
    throw RunError(fmt::format("more than {} vertices of a kind", max_vertices));
  EdgeList mine =
      ship_edges(comm, std::move(edges), std::move(partition.edge_part), partition.parts);
  const auto check_size = [](std::size_t here) {
    if (here >= nowhere) throw RunError("a rank can hold at most 2³² − 2 edges: use more ranks");
  };
  together(comm, [&] { check_size(mine.size()); });

  LocalGraph graph;
  graph.bipartite = shape.bipartite;
  const auto lay_out = [&](std::uint64_t count,
                           std::initializer_list<const std::vector<VertexId>*> ends,
                           const std::vector<Part>& masters) {
    return make_layout(comm, count, comm.size() == 1 ? UsedRows() : rows_in(count, ends), masters,
                       partition.parts);
  };
  if (shape.bipartite) {
    graph.owner = lay_out(shape.sources, {&mine.source}, partition.source_master);
    graph.parameter = lay_out(shape.targets, {&mine.target}, partition.target_master);
  } else {
    graph.owner = lay_out(shape.sources, {&mine.source, &mine.target}, partition.source_master);
  }
  partition = {};
  if (comm.size() > 1) ::malloc_trim(0);  // else malloc keeps what made the layouts beside the sort

  LooseEdges loose{std::move(shape.bipartite ? mine.source : mine.target),
                   std::move(shape.bipartite ? mine.target : mine.source), std::move(mine.value),
                   std::move(mine.wide_value), mine.both_ways};
  if (!is_identity(graph.owner)) {
    const RowIndex index(shape.sources, graph.owner.rows);
    translate(index, loose.owner, threads);
    if (loose.both_ways) {
      translate(index, loose.other, threads);
      loose.row_of = graph.owner.rows;
    }
  }
  const bool both_ways = loose.both_ways;
  SortedRows rows = sort_rows(std::move(loose), graph.owner.rows.size(), shape.targets, threads);
  if (repeats == Repeats::add) add_repeats(rows, threads);
  if (repeats == Repeats::once) drop_repeats(rows, threads);
  together(comm, [&] {
    if (repeats == Repeats::expand) expand_counts(rows, threads);
    check_size(rows.others.size());
  });
  graph.symmetric = both_ways;
  const VertexLayout& other = shape.bipartite ? graph.parameter : graph.owner;
  if (!is_identity(other)) translate(RowIndex(shape.targets, other.rows), rows.others, threads);

  Adjacency& adjacency = graph.adjacency;
  adjacency.offsets = std::move(rows.offsets);
  adjacency.neighbours = std::move(rows.others);
  graph.values = std::move(rows.values);
  graph.wide_values = std::move(rows.wide_values);

  std::vector<std::uint32_t> owner_degree(graph.owner.rows.size());
  for (LocalId v = 0; v < owner_degree.size(); ++v)
    owner_degree[v] = static_cast<std::uint32_t>(adjacency.degree(v));
  std::vector<std::uint32_t> other_degree =
      both_ways ? owner_degree : count_each(adjacency.neighbours, other.rows.size(), threads);
  graph.edge_count = all_sum(comm, static_cast<std::uint64_t>(adjacency.neighbours.size()));
  if (shape.bipartite) {
    agree_plan(comm, graph.owner, owner_degree, owner_degree, false);
    agree_plan(comm, graph.parameter, other_degree, other_degree, false);
  } else {
    agree_plan(comm, graph.owner, std::move(owner_degree), std::move(other_degree), true);
  }
  return graph;
}

}  // namespace gas
