#include "gas/graph/ship_edges.hpp"

#include <algorithm>
#include <utility>

#include "gas/graph/page_array.hpp"
#include "gas/graph/partition.hpp"

namespace gas {

namespace {

/// Ships the edges with their `values`, which no rank has unless `weighted`.
template <class Value>
EdgeList ship(Team& team, EdgeList edges, std::vector<Part> edge_part,
              const std::vector<std::uint32_t>& rank_of,
              const std::vector<std::vector<std::uint64_t>>& leaving,
              std::vector<Value> EdgeList::*column, bool weighted) {
  constexpr std::size_t block = std::size_t{1} << 18;
  struct Shipped {
    Row source, target;
  };
  const auto ranks = static_cast<std::size_t>(team.size());
  // What comes from a rank lies together; memory is taken as it comes.
  struct Arrived {
    PageArray<Row> source, target;
    PageArray<Value> value;
    std::size_t count = 0;
  };
  std::vector<Arrived> arrived(ranks);
  const auto arriving = all_to_all(team, leaving);
  for (std::size_t from = 0; from < ranks; ++from) {
    const std::size_t count = arriving[from][0];
    arrived[from].source = PageArray<Row>(count);
    arrived[from].target = PageArray<Row>(count);
    if (weighted) arrived[from].value = PageArray<Value>(count);
  }
  const std::uint64_t blocks =
      all_max(team, std::uint64_t{edges.size() / block + (edges.size() % block != 0 ? 1 : 0)});
  std::vector<std::vector<Shipped>> out(ranks);
  std::vector<std::vector<Value>> values(ranks);
  struct Place {
    std::size_t count = 0;
    Shipped* next = nullptr;
    Value* next_value = nullptr;
  };
  std::vector<Place> places(ranks);
  std::size_t arc = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::size_t first = std::min(i * block, edges.size());
    const std::size_t last = std::min(first + block, edges.size());
    const std::size_t first_arc = arc;
    std::fill(places.begin(), places.end(), Place{});
    edges.for_each_arc(first, last,
                       [&](Row, Row, std::size_t) { ++places[rank_of[edge_part[arc++]]].count; });
    for (std::size_t to = 0; to < ranks; ++to) {
      out[to].resize(places[to].count);
      places[to].next = out[to].data();
      if (weighted) values[to].resize(places[to].count);
      places[to].next_value = values[to].data();
    }
    arc = first_arc;
    edges.for_each_arc(first, last, [&](Row source, Row target, std::size_t e) {
      Place& place = places[rank_of[edge_part[arc++]]];
      *place.next++ = {source, target};
      if (weighted) *place.next_value++ = (edges.*column)[e];
    });
    const auto used = [](auto& list, std::size_t begin, std::size_t end) {
      if (!list.empty()) release_pages(list.data() + begin, (end - begin) * sizeof(list[0]));
    };
    used(edges.source, first, last);
    used(edges.target, first, last);
    used(edges.*column, first, last);
    used(edge_part, first_arc, arc);
    const auto in = all_to_all(team, out);
    const auto values_in = weighted ? all_to_all(team, values) : std::vector<std::vector<Value>>();
    for (std::size_t from = 0; from < ranks; ++from) {
      Arrived& here = arrived[from];
      Row* const source = here.source.data() + here.count;
      Row* const target = here.target.data() + here.count;
      for (std::size_t k = 0; k < in[from].size(); ++k) {
        source[k] = in[from][k].source;
        target[k] = in[from][k].target;
      }
      if (weighted)
        std::copy(values_in[from].begin(), values_in[from].end(), here.value.data() + here.count);
      here.count += in[from].size();
    }
  }
  edges = {};
  edge_part = std::vector<Part>();
  edges.source = join<Row>(
      arrived, [](Arrived & from) -> auto& { return from.source; });
  edges.target = join<Row>(
      arrived, [](Arrived & from) -> auto& { return from.target; });
  edges.*column = join<Value>(
      arrived, [](Arrived & from) -> auto& { return from.value; });
  return edges;
}

}  // namespace

EdgeList ship_edges(Team& team, EdgeList edges, std::vector<Part> edge_part, Part parts) {
  if (team.size() == 1) return edges;
  const auto ranks = static_cast<std::size_t>(team.size());
  std::vector<std::uint32_t> rank_of(parts);
  for (Part part = 0; part < parts; ++part)
    rank_of[part] = static_cast<std::uint32_t>(rank_of_part(part, parts, team.size()));
  std::vector<std::vector<std::uint64_t>> leaving(ranks, std::vector<std::uint64_t>(1, 0));
  for (const Part part : edge_part) ++leaving[rank_of[part]][0];
  const bool stay =
      !edges.both_ways && leaving[static_cast<std::size_t>(team.rank())][0] == edge_part.size();
  if (all_max(team, stay ? 0 : 1) == 0) return edges;
  const std::size_t width = all_max(team, edges.value_bytes());
  const auto with = [&](auto column) {
    return ship(team, std::move(edges), std::move(edge_part), rank_of, leaving, column, width > 0);
  };
  return width == sizeof(double) ? with(&EdgeList::wide_value) : with(&EdgeList::value);
}

}  // namespace gas
