#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/calls/piece_sizes.hpp"

namespace gas::detail {

/// The width of rows that the program names for What: PublishedOf<K>, AccumulatorOf<K>, SummaryOf.
template <class P, class What>
std::size_t width_of(const P& program, What what) {
  if constexpr (requires { program.width(what); })
    return program.width(what);
  else
    return 0;
}

/// Of a published value where it is kept; a list counts without its elements.
template <class P, class K>
double published_bytes(const P& program) {
  using Published = PublishedType<K>;
  if constexpr (is_row<Published>)
    return static_cast<double>(row_stride(width_of(program, PublishedOf<K>{})) *
                               sizeof(typename Published::Element));
  else if constexpr (is_list<Published>)
    return sizeof(std::vector<typename Published::Element>);
  else
    return present<Published> ? sizeof(Published) : 0;
}

/// Of an accumulator, likewise.
template <class P, class K>
double accumulator_bytes(const P& program) {
  using Accumulator = AccumulatorType<K>;
  if constexpr (!has_accumulator<K>)
    return 0;
  else if constexpr (RowAccumulator<Accumulator>)
    return static_cast<double>(width_of(program, AccumulatorOf<K>{}) *
                               sizeof(typename Accumulator::Element));
  else if constexpr (ListAccumulator<Accumulator>)
    return sizeof(std::vector<typename Accumulator::Element>);
  else
    return sizeof(Accumulator);
}

/// Of a partial accumulator as replicas keep and send it: a row as its nonzeros, if that is
/// shorter, behind their number, in memory of its own.
template <class P, class K>
double partial_bytes(const P& program, const KindSizes& kind) {
  const double whole = accumulator_bytes<P, K>(program);
  if constexpr (RowAccumulator<AccumulatorType<K>>) {
    constexpr double head = sizeof(void*) + sizeof(std::uint32_t), rounding = 16;
    constexpr double nonzero = sizeof(std::uint32_t) + sizeof(typename AccumulatorType<K>::Element);
    return head + rounding + std::min(whole, kind.nonzeros * nonzero);
  }
  return whole;
}

/// Of the elements of the lists that mirrors send once, if a rank has so many edges: one element
/// for each edge of a mirror, which is the most.
template <class Accumulator>
double elements_bytes(const KindSizes& kind, double edges) {
  if constexpr (ListAccumulator<Accumulator>)
    return sizeof(typename Accumulator::Element) * edges * kind.mirrors /
           std::max(kind.locals(), 1.0);
  else
    return 0;
}

/// Store, replicas and messages of one kind, whose vertices gather along so many edges.
template <class P, class K>
double kind_bytes(const P& program, const KindSizes& kind, int ranks, double edges) {
  const double published = published_bytes<P, K>(program);
  const double accumulator = accumulator_bytes<P, K>(program);
  double partial = 0;
  // A snapshot kind has its next values, too, unless all rounds are by buckets.
  const bool by_buckets = pushes_once<K> || (gathers_changes<K> && names_priority<P> && ranks == 1);
  const double copies = OneKind<P> && !by_buckets ? 2 : 1;
  constexpr double flags = 3;  // changed, woken, again
  double bytes = kind.masters * sizeof(K) + kind.locals() * (copies * published + flags);
  if constexpr (has_accumulator<K>) {
    if constexpr (is_running<AccumulatorType<K>> && !gathers_changes<K>)
      bytes += kind.masters * accumulator;
    if constexpr (gathers_changes<K>) bytes += kind.locals() * accumulator;
    // PartialAccumulators: at the master its own and the mirrors' entries, with their places; at
    // the mirror what it sent.
    constexpr double place = 2 * sizeof(std::size_t);
    partial = partial_bytes<P, K>(program, kind);
    bytes += kind.boundary * (2 * partial + place + sizeof(std::size_t)) +
             kind.mirrors * (partial + place);
    // As they were sent, as they came from other ranks, and on their way.
    bytes += 3 * elements_bytes<AccumulatorType<K>>(kind, edges);
  }
  if constexpr (by_id<P, K>) bytes += kind.masters * (sizeof(OffersType<K>) + 2 + sizeof(LocalId));
  // A round's messages about mirrors, which leave as those about mirrors elsewhere arrive.
  bytes += (kind.boundary + kind.mirrors) * std::max(published, partial);
  return bytes;
}

/// What an Engine of this program takes beside its graph.
template <class P>
double engine_bytes(const P& program, const PieceSizes& piece) {
  using First = FirstKind<P>;
  using Edge = EdgeType<P>;
  double bytes = kind_bytes<P, First>(program, piece.owner, piece.ranks, piece.edges);
  const double neighbour = sizeof(LocalId), offset = sizeof(EdgeOffset);
  const double vertices = piece.owner.locals();
  if constexpr (present<Edge>) {
    constexpr bool lent =
        (std::is_same_v<Edge, float> || std::is_same_v<Edge, double>)&&!names_scatter<P>;
    if (!lent || piece.value_bytes == 0) bytes += piece.edges * sizeof(Edge);
  }
  if constexpr (along_of<First> != Along::in) {
    constexpr double sides = along_of<First> == Along::both ? 2 : 1;
    bytes += sides * (piece.edges * neighbour + vertices * offset);
  } else if constexpr (OneKind<P> && !always_active<P, First>) {
    // Who reads a vertex, and while that is made where the next one goes.
    if (!piece.symmetric) {
      bytes += piece.edges * neighbour + vertices * 2 * offset;
      if constexpr (gathers_changes<First> && present<Edge>) bytes += piece.edges * sizeof(Edge);
    }
  }
  // The order by degree.
  if constexpr (OneKind<P> && gathers<P, First> && SmallAccumulator<AccumulatorType<First>>)
    if (piece.edges <= 16 * vertices) bytes += vertices * sizeof(LocalId);
  // Each vertex waits in a bucket, and each pair is pushed along once into the bucket that it
  // lowers its neighbour to, in lists that grow.
  if constexpr (OneKind<P> && pushes_once<First>)
    bytes += (vertices + piece.edges / 2) * 1.5 * sizeof(LocalId) + vertices;
  if constexpr (TwoKinds<P>) {
    using Second = ParameterType<P>;
    bytes += kind_bytes<P, Second>(program, piece.parameter, piece.ranks, piece.edges);
    const double targets = piece.parameter.locals();
    if constexpr (!complete<P>) {
      constexpr bool scattered = scatters<P, Second, Visit<P, Second>>;
      constexpr bool read = gathers_values<P, Second> && !fused<P>;
      // The parameters' edges, and while they are sorted where the next of each goes.
      if constexpr (read || scattered || gathers_edges_only<P, Second>)
        bytes += piece.edges * (read || scattered ? 2 : 1) * neighbour + targets * 2 * offset;
    }
    if constexpr (fused<P>) {
      using Total = AccumulatorType<Second>;
      const double shards =
          rank_local<P>
              ? piece.threads
              : static_cast<double>(Shards<Total>::count_for(static_cast<std::size_t>(piece.edges),
                                                             static_cast<std::size_t>(targets)));
      bytes += shards * targets * sizeof(Total);
    }
  }
  return bytes;
}

/// Results by vertex id: `each` bytes of every vertex of a kind; on several ranks besides their way
/// to the ranks of their blocks, out and in.
inline double result_bytes(const KindSizes& kind, double each, int ranks) {
  return kind.masters * (ranks == 1 ? each : 3 * (each + sizeof(VertexId)));
}

}  // namespace gas::detail
