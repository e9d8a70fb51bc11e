#pragma once

#include "gas/engine/store/publish.hpp"
#include "gas/program/accumulator_array.hpp"

namespace gas {

namespace detail {

constexpr EdgeOffset prefetch_ahead = 512;

/// One edge's contribution; which form of gather the program has is known at compile time.
template <class P, class K, bool indexed, class Accumulator, class Values, class Edge, class... Own>
[[gnu::always_inline]] inline void gather_edge(const P& program, Accumulator& total,
                                               const Values& values, const LocalId* neighbours,
                                               const LocalId* index, const Edge* data,
                                               std::size_t e, const Own&... own) {
  const auto edge = [&]() -> Edge { return data[indexed ? index[e] : e]; };
  if constexpr (gathers_edges_only<P, K>) {
    program.gather(total, edge());
  } else if constexpr (GathersNeighbour<P, K> || GathersOwn<P, K>) {
    program.gather(total, values[neighbours[e]], own...);
  } else if constexpr (GathersInPlace<P, K>) {
    program.gather(total, values[neighbours[e]], OwnPushes<AccumulatorType<OppositeOf<P, K>>>{},
                   edge());
  } else {
    program.gather(total, values[neighbours[e]], edge(), own...);
  }
}

}  // namespace detail

/// The total of a small kind over `count` edges, of which `neighbours` are the first's other ends,
/// and `index` (where indexed) says which of `data` is theirs. A function of its own with arguments
/// that fit registers, so that they stay there; two lanes hide the latency of the additions, added
/// in a fixed order. `own`: the vertex's own published value, where gather reads it.
template <class P, class K, bool indexed, class Values, class Edge, class... Own>
[[gnu::noinline, gnu::pure]] AccumulatorType<K> gather_small(const P& program, const Values values,
                                                             const LocalId* neighbours,
                                                             const LocalId* index, const Edge* data,
                                                             std::size_t count, const Own... own) {
  using Accumulator = AccumulatorType<K>;
  const auto add = [&](Accumulator& total, std::size_t e) {
    detail::gather_edge<P, K, indexed>(program, total, values, neighbours, index, data, e, own...);
  };
  std::size_t e = 0;
  Accumulator total{};
  if constexpr (sizeof(Accumulator) <= 16) {
    Accumulator lane{};
    for (; e + 4 <= count; e += 4) {
      if constexpr (!gathers_edges_only<P, K>)
        __builtin_prefetch(neighbours + e + detail::prefetch_ahead);
      add(total, e);
      add(lane, e + 1);
      add(total, e + 2);
      add(lane, e + 3);
    }
    if (e + 2 <= count) {
      add(total, e);
      add(lane, e + 1);
      e += 2;
    }
    total += lane;
  }
  for (; e < count; ++e) add(total, e);
  return total;
}

/// The same in place: `own(n)` are the shard's pushes to neighbour n.
template <class P, class K, class Values, class Own, class Edge>
[[gnu::noinline, gnu::pure]] AccumulatorType<K> gather_in_place(const P& program,
                                                                const Values values, const Own own,
                                                                const LocalId* neighbours,
                                                                const Edge* data,
                                                                std::size_t count) {
  AccumulatorType<K> total{}, lane{};
  std::size_t e = 0;
  for (; e + 2 <= count; e += 2) {
    const LocalId n = neighbours[e], m = neighbours[e + 1];
    program.gather(total, values[n], own(n), data[e]);
    program.gather(lane, values[m], own(m), data[e + 1]);
  }
  if (e < count) program.gather(total, values[neighbours[e]], own(neighbours[e]), data[e]);
  total += lane;
  return total;
}

/// The total of a row or list kind, as gather_small.
template <class P, class K, bool indexed, class Values, class Edge, class... Own>
void gather_row(const P& program, AccumulatorType<K>& total, const Values& values,
                const LocalId* neighbours, const LocalId* index, const Edge* data,
                std::size_t count, const Own&... own) {
  for (std::size_t e = 0; e < count; ++e)
    detail::gather_edge<P, K, indexed>(program, total, values, neighbours, index, data, e, own...);
}

/// Published lists as the gather loop reads them.
template <class T>
struct ListsView {
  const std::vector<T>* lists;
  std::span<const T> operator[](std::size_t i) const { return lists[i]; }
};

/// Published values of a kind as the gather loop reads them: a bare pointer for scalars.
template <class P, class K, bool snapshot>
auto values_of(const PublishedArray<P, K, snapshot>& published) {
  if constexpr (!present<PublishedType<K>>) {
    return nullptr;
  } else if constexpr (is_row<PublishedType<K>>) {
    return RowsView<typename PublishedType<K>::Element>{published.data(), published.rows(),
                                                        published.width(), published.stride()};
  } else if constexpr (is_list<PublishedType<K>>) {
    return ListsView<typename PublishedType<K>::Element>{published.data()};
  } else {
    return published.data();
  }
}

}  // namespace gas
