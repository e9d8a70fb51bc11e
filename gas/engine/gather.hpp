#pragma once

#include "gas/engine/vertices.hpp"
#include "gas/program/total_array.hpp"

namespace gas {

/// Where the edges [first, last) of one end lie. `index` is null where an edge's data stands at the
/// edge's own position.
template <class Edge>
struct EdgeRange {
  const LocalId* neighbours = nullptr;
  const LocalId* index = nullptr;
  const Edge* data = nullptr;
  EdgeOffset first = 0;
  EdgeOffset last = 0;
};

namespace detail {

constexpr EdgeOffset prefetch_ahead = 512;

/// One edge's contribution; which form of gather the program has is known at compile time.
template <class P, class K, bool indexed, class Total, class Values, class Edge>
[[gnu::always_inline]] inline void gather_edge(const P& program, Total& total, const Values& values,
                                               const EdgeRange<Edge>& edges, EdgeOffset e) {
  const auto edge = [&]() -> Edge { return edges.data[indexed ? edges.index[e] : e]; };
  if constexpr (gathers_edges_only<P, K>) {
    program.gather(total, edge());
  } else if constexpr (GathersNeighbour<P, K>) {
    program.gather(total, values[edges.neighbours[e]]);
  } else {
    program.gather(total, values[edges.neighbours[e]], edge());
  }
}

}  // namespace detail

/// The total of a small kind over a range of edges. A function of its own, so that its few scalars
/// stay in registers; four lanes hide the latency of the additions, added in a fixed order.
template <class P, class K, bool indexed, class Values, class Edge>
[[gnu::noinline]] TotalType<K> gather_small(const P& program, const Values values,
                                            const EdgeRange<Edge> edges) {
  using Total = TotalType<K>;
  EdgeOffset e = edges.first;
  Total total{};
  if constexpr (sizeof(Total) <= 16) {
    if (edges.last - e >= 4) {
      Total lane1{}, lane2{}, lane3{};
      for (; e + 4 <= edges.last; e += 4) {
        if constexpr (!gathers_edges_only<P, K>)
          __builtin_prefetch(edges.neighbours + e + detail::prefetch_ahead);
        detail::gather_edge<P, K, indexed>(program, total, values, edges, e);
        detail::gather_edge<P, K, indexed>(program, lane1, values, edges, e + 1);
        detail::gather_edge<P, K, indexed>(program, lane2, values, edges, e + 2);
        detail::gather_edge<P, K, indexed>(program, lane3, values, edges, e + 3);
      }
      total += lane1;
      lane2 += lane3;
      total += lane2;
    }
  }
  for (; e < edges.last; ++e) detail::gather_edge<P, K, indexed>(program, total, values, edges, e);
  return total;
}

/// The same for a row total, into a view.
template <class P, class K, bool indexed, class Values, class Edge>
void gather_row(const P& program, TotalType<K>& total, const Values& values,
                const EdgeRange<Edge>& edges) {
  for (EdgeOffset e = edges.first; e < edges.last; ++e)
    detail::gather_edge<P, K, indexed>(program, total, values, edges, e);
}

/// Published values of a kind as the gather loop reads them: a bare pointer for scalars.
template <class P, class K, bool snapshot>
auto values_of(const PublishedArray<P, K, snapshot>& published) {
  if constexpr (!present<PublishedType<K>>) {
    return nullptr;
  } else if constexpr (is_row<PublishedType<K>>) {
    return RowsView<typename PublishedType<K>::Element>{published.data(), published.rows(),
                                                        published.width(), published.stride()};
  } else {
    return published.data();
  }
}

}  // namespace gas
