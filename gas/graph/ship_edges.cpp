#include "gas/graph/ship_edges.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "gas/base/page_array.hpp"
#include "gas/graph/partition.hpp"

namespace gas {

namespace {

constexpr std::size_t block_edges = std::size_t{1} << 18;  // edges that are dealt out at a time

/// This rank's edges and the rank that each goes to: arcs, or pairs where `pairs` are whole.
struct Cargo {
  EdgeList edges;
  std::vector<Part> edge_part;
  std::vector<std::uint32_t> rank_of;  // a part
  bool pairs = false;

  std::size_t blocks() const { return (edges.size() + block_edges - 1) / block_edges; }
  std::size_t last(std::size_t of_block) const {
    return std::min((of_block + 1) * block_edges, edges.size());
  }

  /// Calls f(source, target, edge, rank) for what travels of the edges `first` … `last` − 1; `arc`
  /// is the first one's place among the arcs, and that behind the last one's afterwards.
  template <class F>
  void each(std::size_t first, std::size_t last, std::size_t& arc, F f) const {
    if (!pairs) {
      edges.for_each_arc(first, last, [&](VertexId source, VertexId target, std::size_t e) {
        f(source, target, e, rank_of[edge_part[arc++]]);
      });
      return;
    }
    for (std::size_t e = first; e < last; ++e) {
      const VertexId source = edges.source[e], target = edges.target[e];
      f(source, target, e, rank_of[edge_part[arc]]);
      arc += source != target ? 2 : 1;
    }
  }

  /// The rank that all these go to, if there is one. Edges that are arcs.
  std::optional<std::uint32_t> common_rank(std::size_t first, std::size_t last) const {
    bool same = true;
    for_each_stretch(std::span(edge_part).subspan(first, last - first),
                     [&](std::span<const Part> stretch, bool one) {
                       same = same && one && stretch[0] == edge_part[first];
                     });
    return same ? std::optional(rank_of[edge_part[first]]) : std::nullopt;
  }

  struct Counts {
    std::vector<std::vector<std::uint32_t>> to;  // by rank, then block
    bool whole = true;                           // both arcs of every pair go to one rank
  };

  /// How many go to each rank.
  Counts count(std::size_t ranks) const {
    Counts counts;
    counts.to.resize(ranks);
    for (auto& to : counts.to) to.resize(blocks());
    std::vector<std::uint32_t> of_block(ranks);
    std::size_t arc = 0;
    for (std::size_t i = 0; i < blocks(); ++i) {
      if (!edges.both_ways)
        if (const auto rank = common_rank(i * block_edges, last(i))) {
          counts.to[*rank][i] = static_cast<std::uint32_t>(last(i) - i * block_edges);
          arc = last(i);
          continue;
        }
      std::fill(of_block.begin(), of_block.end(), 0);
      each(i * block_edges, last(i), arc,
           [&](VertexId source, VertexId target, std::size_t, std::uint32_t rank) {
             ++of_block[rank];
             if (pairs) counts.whole &= source == target || rank_of[edge_part[arc + 1]] == rank;
           });
      for (std::size_t to = 0; to < ranks; ++to) counts.to[to][i] = of_block[to];
    }
    return counts;
  }
};

/// The rank to which all `size` of a block go; as many as there are ranks if there is none.
std::size_t whole_block(const std::vector<std::vector<std::uint32_t>>& leaving, std::size_t i,
                        std::size_t size) {
  std::size_t rank = 0;
  while (rank < leaving.size() && leaving[rank][i] != size) ++rank;
  return rank;
}

/// Ships the edges with their `values`, which no rank has unless `weighted`. `leaving` are their
/// counts. What stays is written where it ends; the rest is dealt out, and received where it ends.
template <class Value>
EdgeList ship(Communicator& comm, Cargo cargo,
              const std::vector<std::vector<std::uint32_t>>& leaving,
              std::vector<Value> EdgeList::*column, bool weighted) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto self = static_cast<std::size_t>(comm.rank());
  const auto arriving = all_to_all(comm, leaving);
  std::vector<std::size_t> next(ranks);  // where the next edge from each rank is to stand
  std::size_t total = 0;
  for (std::size_t from = 0; from < ranks; ++from)
    next[from] =
        std::exchange(total, std::accumulate(arriving[from].begin(), arriving[from].end(), total));
  EdgeList edges;
  edges.both_ways = cargo.pairs;
  edges.source.resize(total);
  edges.target.resize(total);
  if (weighted) (edges.*column).resize(total);

  struct Place {
    VertexId* source;
    VertexId* target;
    Value* value;
  };
  std::vector<Place> places(ranks);
  std::vector<std::vector<VertexId>> sources(ranks), targets(ranks);
  std::vector<std::vector<Value>> values(ranks);
  std::vector<std::size_t> arrives(ranks);
  const auto exchange = [&]<class T>(const std::vector<std::vector<T>>& out, std::vector<T>& into) {
    std::vector<std::span<const std::byte>> from_here(ranks);
    std::vector<std::span<std::byte>> to_here(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      from_here[rank] = std::as_bytes(std::span<const T>(out[rank]));
      to_here[rank] = std::as_writable_bytes(std::span(into).subspan(next[rank], arrives[rank]));
    }
    comm.exchange_into(from_here, to_here);
  };
  const std::uint64_t blocks = all_max(comm, std::uint64_t{cargo.blocks()});
  EdgeList& loaded = cargo.edges;
  std::size_t arc = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const bool any = i < cargo.blocks();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (rank == self) continue;
      arrives[rank] = i < arriving[rank].size() ? arriving[rank][i] : 0;
      const std::size_t count = any ? leaving[rank][i] : 0;
      sources[rank].resize(count);
      targets[rank].resize(count);
      if (weighted) values[rank].resize(count);
      places[rank] = {sources[rank].data(), targets[rank].data(), values[rank].data()};
    }
    if (any) {
      places[self] = {edges.source.data() + next[self], edges.target.data() + next[self],
                      (edges.*column).data() + (weighted ? next[self] : 0)};
      next[self] += leaving[self][i];
      const std::size_t first = i * block_edges, last = cargo.last(i), first_arc = arc;
      const std::size_t whole = loaded.both_ways ? ranks : whole_block(leaving, i, last - first);
      if (whole < ranks) {
        const Place& place = places[whole];
        std::copy_n(loaded.source.data() + first, last - first, place.source);
        std::copy_n(loaded.target.data() + first, last - first, place.target);
        if (weighted) std::copy_n((loaded.*column).data() + first, last - first, place.value);
        arc = last;
      } else {
        cargo.each(first, last, arc,
                   [&](VertexId source, VertexId target, std::size_t e, std::uint32_t rank) {
                     Place& place = places[rank];
                     *place.source++ = source;
                     *place.target++ = target;
                     if (weighted) *place.value++ = (loaded.*column)[e];
                   });
      }
      const auto used = [](auto& list, std::size_t begin, std::size_t end) {
        if (!list.empty()) release_pages(list.data() + begin, (end - begin) * sizeof(list[0]));
      };
      used(loaded.source, first, last);
      used(loaded.target, first, last);
      used(loaded.*column, first, last);
      used(cargo.edge_part, first_arc, arc);
    }
    exchange(sources, edges.source);
    exchange(targets, edges.target);
    if (weighted) exchange(values, edges.*column);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      if (rank != self) next[rank] += arrives[rank];
  }
  return edges;
}

}  // namespace

EdgeList ship_edges(Communicator& comm, EdgeList edges, std::vector<Part> edge_part, Part parts) {
  if (comm.size() == 1) return edges;
  const auto ranks = static_cast<std::size_t>(comm.size());
  Cargo cargo{std::move(edges), std::move(edge_part), {}, false};
  for (Part part = 0; part < parts; ++part)
    cargo.rank_of.push_back(static_cast<std::uint32_t>(rank_of_part(part, parts, comm.size())));
  const bool both_ways = all_max(comm, cargo.edges.both_ways ? 1 : 0) != 0;
  cargo.pairs = both_ways;
  Cargo::Counts counts = cargo.count(ranks);
  if (both_ways && all_min(comm, counts.whole ? 1 : 0) == 0) {
    cargo.pairs = false;
    counts = cargo.count(ranks);
  }
  const auto& leaving = counts.to;
  std::uint64_t moving = 0;
  for (std::size_t to = 0; to < ranks; ++to)
    if (to != static_cast<std::size_t>(comm.rank()))
      moving = std::accumulate(leaving[to].begin(), leaving[to].end(), moving);
  if (all_max(comm, moving) == 0 && both_ways == cargo.pairs) return std::move(cargo.edges);
  const std::size_t width = all_max(comm, cargo.edges.value_bytes());
  const auto with = [&](auto column) {
    return ship(comm, std::move(cargo), leaving, column, width > 0);
  };
  return width == sizeof(double) ? with(&EdgeList::wide_value) : with(&EdgeList::value);
}

}  // namespace gas
