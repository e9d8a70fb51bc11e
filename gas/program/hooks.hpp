#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "gas/program/accumulators.hpp"
#include "gas/program/edges_view.hpp"
#include "gas/program/members.hpp"
#include "gas/program/own.hpp"
#include "gas/program/own_pushes.hpp"

namespace gas {

// Which hooks a program has, and in which form. checks.hpp reports hooks of a wrong form.

// names_NAME<T>: whether T has a member of that name. Only the name counts, so that a hook of a
// wrong form is an error and does not silently count as absent. (check_members.hpp has more names.)

#define GAS_NAMES(name)                                    \
  namespace probes {                                       \
  struct Has_##name##_fallback {                           \
    int name;                                              \
  };                                                       \
  template <class T>                                       \
  struct Has_##name##_probe : T, Has_##name##_fallback {}; \
  template <class T>                                       \
  concept Lacks_##name = requires {                        \
    &Has_##name##_probe<T>::name;                          \
  };                                                       \
  }                                                        \
  template <class T>                                       \
  constexpr bool names_##name = !probes::Lacks_##name<T>;

GAS_NAMES(init)
GAS_NAMES(initially_active)
GAS_NAMES(gather)
GAS_NAMES(gather_block)
GAS_NAMES(apply)
GAS_NAMES(scatter)
GAS_NAMES(push)
GAS_NAMES(before_step)
GAS_NAMES(converged)
GAS_NAMES(publishes)
GAS_NAMES(priority)
GAS_NAMES(width)
GAS_NAMES(reads)

namespace detail {
struct NotOwn {};
/// Stands for an argument of type T, which converts to no other.
template <class T>
struct Just {
  template <class U>
  requires std::same_as<U, T>
  operator U() const;
};
}  // namespace detail

// Which form a hook has for kind K.

/// Takes an edge alone, to which the neighbour's published value N would be converted.
template <class P, class K, class N, class E = EdgeType<P>>
concept GathersEdgeNotConverted = present<E> && std::is_class_v<E> && std::convertible_to<N, E> &&
    requires(const P& p, AccumulatorType<K>& t, detail::Just<E> edge) {
  p.gather(t, edge);
} && !requires(const P& p, AccumulatorType<K>& t, detail::Just<N> value) {
  p.gather(t, value);
};
template <class P, class K>
concept GathersNeighbour = requires(const P& p, AccumulatorType<K>& t,
                                    PublishedRead<OppositeOf<P, K>> n) {
  p.gather(t, n);
}
&&!GathersEdgeNotConverted<P, K, std::remove_cvref_t<PublishedRead<OppositeOf<P, K>>>>;
template <class P, class K>
concept GathersNeighbourAndEdge = requires(const P& p, AccumulatorType<K>& t,
                                           PublishedRead<OppositeOf<P, K>> n, EdgeType<P> e) {
  p.gather(t, n, e);
};
template <class P, class K>
concept GathersEdge = requires(const P& p, AccumulatorType<K>& t, EdgeType<P> e) {
  p.gather(t, e);
};
/// In place (see rank_local): `own` has what this shard has pushed to the neighbour in this step.
template <class P, class K>
concept GathersInPlace = requires(const P& p, AccumulatorType<K>& t,
                                  PublishedRead<OppositeOf<P, K>> n,
                                  const OwnPushes<AccumulatorType<OppositeOf<P, K>>>& own,
                                  EdgeType<P> e) {
  p.gather(t, n, own, e);
};

/// Takes the vertex's own published value, Own<Published>, as the last argument, and no other type
/// there.
template <class P, class K>
concept GathersOwn = present<PublishedType<K>> &&
    requires(const P& p, AccumulatorType<K>& t, PublishedRead<OppositeOf<P, K>> n,
             const Own<PublishedType<K>>& own) {
  p.gather(t, n, own);
} && !requires(const P& p, AccumulatorType<K>& t, PublishedRead<OppositeOf<P, K>> n,
               const detail::NotOwn& other) {
  p.gather(t, n, other);
};
template <class P, class K>
concept GathersOwnAndEdge = present<PublishedType<K>> && present<EdgeType<P>> &&
    requires(const P& p, AccumulatorType<K>& t, PublishedRead<OppositeOf<P, K>> n, EdgeType<P> e,
             const Own<PublishedType<K>>& own) {
  p.gather(t, n, e, own);
};
template <class P, class K>
constexpr bool reads_own = present<PublishedType<OppositeOf<P, K>>> &&
                           (GathersOwn<P, K> || GathersOwnAndEdge<P, K>);

/// Whether vertices of the kind name others by vertex id: they offer them something (Offers) or
/// read them (reads).
template <class P, class K>
constexpr bool by_id = OneKind<P> && (present<OffersType<K>> || names_reads<P>);

/// Whether gather reads the neighbours' published values; otherwise it reads only edge data, or
/// there is no gather.
template <class P, class K>
constexpr bool gathers_values = present<PublishedType<OppositeOf<P, K>>> &&
                                (GathersNeighbour<P, K> || reads_own<P, K> ||
                                 (present<EdgeType<P>> &&
                                  (GathersNeighbourAndEdge<P, K> || GathersInPlace<P, K>)));
template <class P, class K>
constexpr bool gathers_edges_only =
    present<EdgeType<P>> && !gathers_values<P, K> && GathersEdge<P, K>;
template <class P, class K>
constexpr bool gathers = present<AccumulatorType<K>> &&
                         (gathers_values<P, K> || gathers_edges_only<P, K>);

/// Whether this kind's vertices are visited by buckets, if the order is priority at staleness 0.
template <class P, class K>
constexpr bool visits_by_bucket = OneKind<P>&& gathers_changes<K>&& names_priority<P>;
/// Whether they push only once, when their bucket is due, because their accumulators are running.
template <class K>
constexpr bool pushes_once = gathers_changes<K>&& is_running<AccumulatorType<K>>;

template <class P>
constexpr bool complete = TwoKinds<P>&& names_gather_block<P>;

/// Whether anything needs to know if an interior vertex's value changed.
template <class P, class K>
constexpr bool watches_changes =
    names_publishes<P> || complete<P> || !always_active<P, OppositeOf<P, K>> ||
    (reads_own<P, K> && !always_active<P, K>);

template <class P, class K, class V>
concept ScattersEdge = requires(const P& p, K& k, AccumulatorType<K>& t, EdgeType<P>& e, V& v) {
  p.scatter(k, t, e, v);
};
template <class P, class K, class V>
concept ScattersNeighbour = requires(const P& p, K& k, AccumulatorType<K>& t,
                                     PublishedRead<OppositeOf<P, K>> n, EdgeType<P>& e, V& v) {
  p.scatter(k, t, n, e, v);
};
/// Scatters all edges of a vertex in one call.
template <class P, class K, class V>
concept ScattersEdges = is_span<PublishedType<OppositeOf<P, K>>> &&
    requires(const P& p, K& k, AccumulatorType<K>& t,
             EdgesViewOf<EdgeType<P>, PublishedType<OppositeOf<P, K>>> edges, V& v) {
  p.scatter(k, t, edges, v);
};
template <class P, class K, class V>
constexpr bool scatters = names_scatter<P>&& present<EdgeType<P>>&& present<AccumulatorType<K>> &&
                          (ScattersEdge<P, K, V> || ScattersNeighbour<P, K, V> ||
                           ScattersEdges<P, K, V>);

/// Whether gather(Parameter::Accumulator, …) runs from the data end, right after the data vertex's
/// apply (the fused pass). Not if a gather reads Own, which is not available to a push; nor with
/// lists, nor if the program scatters.
template <class P>
constexpr bool fused = [] {
  if constexpr (TwoKinds<P> && !complete<P> && !names_scatter<P>) {
    return gathers_values<P, ParameterType<P>> && !reads_own<P, ParameterType<P>> &&
           !reads_own<P, DataType<P>> && SmallAccumulator<AccumulatorType<ParameterType<P>>> &&
           !ListAccumulator<AccumulatorType<DataType<P>>> && !is_list<PublishedType<DataType<P>>>;
  }
  return false;
}();

/// Whether the data gather sees at once what earlier data vertices of the same shard have pushed:
/// gather(Data::Accumulator&, parameter's Published, const OwnPushes<Parameter::Accumulator>& own,
/// Edge). Each thread has a shard of the data and works on it in place; at the step's end the
/// changes of all shards are added. So results depend on the number of threads. Data vertices must
/// not be split over ranks.
template <class P>
constexpr bool rank_local = [] {
  if constexpr (fused<P>) return GathersInPlace<P, DataType<P>>;
  return false;
}();

// Concepts, because clang 16 does not take requires-expressions inside a lambda for constants.
/// The accumulator that apply receives; an empty Sum if the kind has none.
template <class K>
using AppliedAccumulator = std::conditional_t<has_accumulator<K>, AccumulatorType<K>, Sum<int>>;

template <class P, class K, class V>
concept AppliesRow = requires(const P& p, K& k, AppliedAccumulator<K>& t, Out<PublishedType<K>> out,
                              V& v) {
  p.apply(k, t, out, v);
};
template <class P, class K, class V>
concept AppliesValue = requires(const P& p, K& k, AppliedAccumulator<K>& t, V& v) {
  { p.apply(k, t, v) } -> std::convertible_to<PublishedType<K>>;
};
template <class P, class K, class V>
concept AppliesOnly = requires(const P& p, K& k, AppliedAccumulator<K>& t, V& v) {
  p.apply(k, t, v);
};
template <class P, class K, class V>
constexpr bool applies = is_span<PublishedType<K>>   ? AppliesRow<P, K, V>
                         : present<PublishedType<K>> ? AppliesValue<P, K, V>
                                                     : AppliesOnly<P, K, V>;

template <class P, class K, class V>
concept InitsRow = requires(const P& p, K& k, Out<PublishedType<K>> out, V& v) {
  p.init(k, out, v);
};
template <class P, class K, class V>
concept InitsValue = requires(const P& p, K& k, V& v) {
  { p.init(k, v) } -> std::convertible_to<PublishedType<K>>;
};
template <class P, class K, class V>
concept InitsOnly = requires(const P& p, K& k, V& v) {
  p.init(k, v);
};
template <class P, class K, class V>
constexpr bool inits_values = is_span<PublishedType<K>>   ? InitsRow<P, K, V>
                              : present<PublishedType<K>> ? InitsValue<P, K, V>
                                                          : InitsOnly<P, K, V>;

}  // namespace gas
