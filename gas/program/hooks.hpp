#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "gas/program/accumulators.hpp"
#include "gas/program/edges_view.hpp"
#include "gas/program/own_pushes.hpp"
#include "gas/program/row.hpp"

namespace gas {

/// "No row": the `before` of a push by a data vertex that has not pushed yet.
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// ---- What a program is made of
// -----------------------------------------------------------------------

struct NoType {};

#define GAS_MEMBER_TYPE(Name, Default)    \
  template <class T>                      \
  struct Name##Member {                   \
    using type = Default;                 \
  };                                      \
  template <class T>                      \
  requires requires { typename T::Name; } \
  struct Name##Member<T> {                \
    using type = typename T::Name;        \
  };                                      \
  template <class T>                      \
  using Name##Type = typename Name##Member<T>::type;

GAS_MEMBER_TYPE(Vertex, NoType)
GAS_MEMBER_TYPE(Data, NoType)
GAS_MEMBER_TYPE(Parameter, NoType)
GAS_MEMBER_TYPE(Edge, NoType)
GAS_MEMBER_TYPE(Published, NoType)
GAS_MEMBER_TYPE(Accumulator, NoType)
GAS_MEMBER_TYPE(Input, NoType)
GAS_MEMBER_TYPE(Summary, NoType)
GAS_MEMBER_TYPE(Scratch, NoType)
GAS_MEMBER_TYPE(Packed, NoType)
#undef GAS_MEMBER_TYPE

template <class T>
constexpr bool present = !std::is_same_v<T, NoType>;

template <class P>
concept OneKind = present<VertexType<P>>;
template <class P>
concept TwoKinds = present<DataType<P>> && present<ParameterType<P>>;

/// The kind at the other end of the edges of kind K.
template <class P, class K>
struct Opposite {
  using type = K;
};
template <TwoKinds P, class K>
struct Opposite<P, K> {
  using type = std::conditional_t<std::is_same_v<K, DataType<P>>, ParameterType<P>, DataType<P>>;
};
template <class P, class K>
using OppositeOf = typename Opposite<P, K>::type;

/// What a hook receives for a published value: the value itself, or a view of a row.
template <class Published>
struct ReadAs {
  using type = Published;
};
template <class T>
struct ReadAs<RowOf<T>> {
  using type = RowView<const T>;
};
template <class K>
using PublishedRead = typename ReadAs<PublishedType<K>>::type;

// ---- Is a hook there at all? By name, so that a wrong signature is an error and not a silent
// absence. --

#define GAS_HOOK(name)                                     \
  namespace detail {                                       \
  struct Has_##name##_fallback {                           \
    int name;                                              \
  };                                                       \
  template <class P>                                       \
  struct Has_##name##_probe : P, Has_##name##_fallback {}; \
  template <class P>                                       \
  concept Lacks_##name = requires {                        \
    &Has_##name##_probe<P>::name;                          \
  };                                                       \
  }                                                        \
  template <class P>                                       \
  constexpr bool names_##name = !detail::Lacks_##name<P>;

GAS_HOOK(init)
GAS_HOOK(initially_active)
GAS_HOOK(begin_total)
GAS_HOOK(gather)
GAS_HOOK(gather_block)
GAS_HOOK(apply)
GAS_HOOK(scatter)
GAS_HOOK(push)
GAS_HOOK(before_step)
GAS_HOOK(converged)
GAS_HOOK(publishes)
GAS_HOOK(priority)
GAS_HOOK(width)
#undef GAS_HOOK

// ---- Which form does a hook have for kind K?
// -----------------------------------------------------------

template <class P, class K>
concept GathersNeighbour = requires(const P& p, AccumulatorType<K>& t,
                                    PublishedRead<OppositeOf<P, K>> n) {
  p.gather(t, n);
};
template <class P, class K>
concept GathersNeighbourAndEdge = requires(const P& p, AccumulatorType<K>& t,
                                           PublishedRead<OppositeOf<P, K>> n, EdgeType<P> e) {
  p.gather(t, n, e);
};
template <class P, class K>
concept GathersEdge = requires(const P& p, AccumulatorType<K>& t, EdgeType<P> e) {
  p.gather(t, e);
};
/// In place (see rank_local): `own` tells what this slot has pushed to the neighbour in this step.
template <class P, class K>
concept GathersInPlace = requires(const P& p, AccumulatorType<K>& t,
                                  PublishedRead<OppositeOf<P, K>> n,
                                  const OwnPushes<AccumulatorType<OppositeOf<P, K>>>& own,
                                  EdgeType<P> e) {
  p.gather(t, n, own, e);
};

/// begin_total(AccumulatorOf<K>, its own Published) gives a vertex's total before any edge is
/// gathered.
template <class P, class K>
concept BeginsAccumulator = present<PublishedType<K>> && SmallAccumulator<AccumulatorType<K>> &&
    requires(const P& p, PublishedRead<K> own) {
  { p.begin_total(AccumulatorOf<K>{}, own) } -> std::convertible_to<AccumulatorType<K>>;
};

/// Gather reads the neighbours' published values (else only edge data, or there is no gather).
template <class P, class K>
constexpr bool gathers_values = present<PublishedType<OppositeOf<P, K>>> &&
                                (GathersNeighbour<P, K> ||
                                 (present<EdgeType<P>> &&
                                  (GathersNeighbourAndEdge<P, K> || GathersInPlace<P, K>)));
template <class P, class K>
constexpr bool gathers_edges_only =
    present<EdgeType<P>> && !gathers_values<P, K> && GathersEdge<P, K>;
template <class P, class K>
constexpr bool gathers = present<AccumulatorType<K>> &&
                         (gathers_values<P, K> || gathers_edges_only<P, K>);

template <class P>
constexpr bool complete = TwoKinds<P>&& names_gather_block<P>;

template <class K>
constexpr bool has_accumulator = present<AccumulatorType<K>>;

/// When a vertex is visited: `static constexpr auto activity = gas::Active::every_round;` in its
/// kind, else in round 1, or if initially_active says so, and whenever a value it gathers has
/// changed.
enum class Active { changed, every_round };

template <class K>
constexpr Active activity_of = [] {
  if constexpr (requires { K::activity; }) return K::activity;
  return Active::changed;
}();
template <class P, class K>
constexpr bool always_active = activity_of<K> == Active::every_round;

/// Does anybody ask whether an interior vertex's value changed?
template <class P, class K>
constexpr bool watches_changes =
    names_publishes<P> || complete<P> || !always_active<P, OppositeOf<P, K>> ||
    (BeginsAccumulator<P, K> && !always_active<P, K>);

template <class P, class K, class V>
concept ScattersEdge = requires(const P& p, K& k, AccumulatorType<K>& t, EdgeType<P>& e, V& v) {
  p.scatter(k, t, e, v);
};
template <class P, class K, class V>
concept ScattersNeighbour = requires(const P& p, K& k, AccumulatorType<K>& t,
                                     PublishedRead<OppositeOf<P, K>> n, EdgeType<P>& e, V& v) {
  p.scatter(k, t, n, e, v);
};
/// All edges of a vertex at once.
template <class P, class K, class V>
concept ScattersEdges = is_row<PublishedType<OppositeOf<P, K>>> &&
    requires(const P& p, K& k, AccumulatorType<K>& t,
             EdgesView<EdgeType<P>, typename PublishedType<OppositeOf<P, K>>::Element> edges,
             V& v) {
  p.scatter(k, t, edges, v);
};
template <class P, class K, class V>
constexpr bool scatters = names_scatter<P>&& present<EdgeType<P>>&& present<AccumulatorType<K>> &&
                          (ScattersEdge<P, K, V> || ScattersNeighbour<P, K, V> ||
                           ScattersEdges<P, K, V>);

/// gather(Parameter::Accumulator, …) runs from the data end, right after the data vertex's apply.
template <class P>
constexpr bool fused = [] {
  if constexpr (TwoKinds<P> && !complete<P>) {
    return gathers_values<P, ParameterType<P>> &&
           SmallAccumulator<AccumulatorType<ParameterType<P>>>;
  }
  return false;
}();

/// The data gather sees at once what data vertices before it in the same slot have pushed: gather
/// (Data::Accumulator&, parameter's Published, const OwnPushes<Parameter::Accumulator>& own, Edge).
/// There is a slot per thread, so that results depend on their number: each slot works in place on
/// its share of the data, and the changes of all are added at the step's end. Data vertices must
/// not be split over ranks.
template <class P>
constexpr bool rank_local = [] {
  if constexpr (fused<P>) return GathersInPlace<P, DataType<P>>;
  return false;
}();

// ---- The rules, checked once per program and kind, one message each
// ------------------------------------

// Concepts, not requires-expressions inside a lambda: clang 16 does not take those for constants.
template <class P, class K, class V>
concept AppliesRow = requires(const P& p, K& k, AccumulatorType<K>& t,
                              RowView<typename PublishedType<K>::Element> out, V& v) {
  p.apply(k, t, out, v);
};
template <class P, class K, class V>
concept AppliesValue = requires(const P& p, K& k, AccumulatorType<K>& t, V& v) {
  { p.apply(k, t, v) } -> std::convertible_to<PublishedType<K>>;
};
template <class P, class K, class V>
concept AppliesOnly = requires(const P& p, K& k, AccumulatorType<K>& t, V& v) {
  p.apply(k, t, v);
};
template <class P, class K, class V>
constexpr bool applies = is_row<PublishedType<K>>    ? AppliesRow<P, K, V>
                         : present<PublishedType<K>> ? AppliesValue<P, K, V>
                                                     : AppliesOnly<P, K, V>;

template <class P, class K, class V>
concept InitsRow = requires(const P& p, K& k, RowView<typename PublishedType<K>::Element> out,
                            V& v) {
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
constexpr bool inits_values = is_row<PublishedType<K>>    ? InitsRow<P, K, V>
                              : present<PublishedType<K>> ? InitsValue<P, K, V>
                                                          : InitsOnly<P, K, V>;

template <class P, class K, class V>
concept NamesFirst = requires(const P& p, const K& k, V& v) {
  { p.initially_active(k, v) } -> std::convertible_to<bool>;
};
template <class P, class What>
concept TellsWidth = requires(const P& p, What what) {
  { p.width(what) } -> std::convertible_to<std::size_t>;
};

template <class P, class K>
constexpr bool compares = requires(const P& p, PublishedRead<K> a) {
  { p.publishes(K{}, a, a) } -> std::convertible_to<bool>;
}
|| requires(const P& p, PublishedRead<K> a) {
  { p.publishes(a, a) } -> std::convertible_to<bool>;
};

template <class P, class K, class V>
constexpr void check_kind() {
  static_assert(std::is_default_constructible_v<K> && std::is_copy_assignable_v<K>,
                "a kind must be a plain struct: default-constructible and copyable");
  static_assert(always_active<P, K> || (gathers_values<P, K> && !complete<P>),
                "nothing wakes the vertices of a kind that gathers no published value: declare "
                "static constexpr auto activity = gas::Active::every_round in it");
  static_assert(!present<InputType<K>> || std::is_same_v<InputType<K>, RowOf<float>> ||
                    std::is_same_v<InputType<K>, RowOf<double>>,
                "Input must be gas::RowOf<float> or gas::RowOf<double>");
  static_assert(
      !present<AccumulatorType<K>> || AnyAccumulator<AccumulatorType<K>>,
      "Accumulator must be small (trivially copyable, default-constructible, +=) or a row total");
  static_assert(is_row<PublishedType<K>> || !present<PublishedType<K>> ||
                    (std::is_trivially_copyable_v<PublishedType<K>> &&
                     std::equality_comparable<PublishedType<K>>),
                "Published must be trivially copyable and comparable with ==, or gas::RowOf<T>");
  static_assert(!present<AccumulatorType<K>> || complete<P> || gathers<P, K>,
                "missing: void gather(Accumulator&, neighbour's Published[, Edge]) const "
                "or void gather(Accumulator&, Edge) const");
  static_assert(applies<P, K, V>,
                "missing: Published apply(Kind&, Accumulator&, auto& v) const, or for rows "
                "void apply(Kind&, Accumulator&, RowView<T> out, auto& v) const");
  static_assert(!names_init<P> || !present<PublishedType<K>> || inits_values<P, K, V>,
                "init has the wrong form: Published init(Kind&, auto& v) const, or for rows "
                "void init(Kind&, RowView<T> out, auto& v) const");
  static_assert(!names_publishes<P> || !present<PublishedType<K>> || compares<P, K>,
                "publishes has the wrong form: bool publishes([Kind,] Published before, "
                "Published now) const");
  static_assert(
      !names_initially_active<P> || NamesFirst<P, K, V>,
      "initially_active has the wrong form: bool initially_active(const Kind&, auto& v) const");
  static_assert(!is_row<PublishedType<K>> || TellsWidth<P, PublishedOf<K>>,
                "missing: std::size_t width(gas::PublishedOf<Kind>) const");
  static_assert(!RowAccumulator<AccumulatorType<K>> || TellsWidth<P, AccumulatorOf<K>>,
                "missing: std::size_t width(gas::AccumulatorOf<Kind>) const");
  static_assert(!RowAccumulator<SummaryType<P>> || TellsWidth<P, SummaryOf>,
                "missing: std::size_t width(gas::SummaryOf) const");
}

/// The rules for a program as a whole; VFirst and VSecond are the visits of its kinds.
template <class P, class First, class VFirst, class Second, class VSecond, class Step, class Last>
constexpr void check_program() {
  static_assert(
      !names_before_step<P> ||
          requires(P & p, Step step, const Last& last) { p.before_step(step, last); },
      "before_step has the wrong form: void before_step(gas::Step, const auto& last)");
  static_assert(
      !names_converged<P> ||
          requires(const P& p, const Last& last) {
            { p.converged(last) } -> std::convertible_to<bool>;
          },
      "converged has the wrong form: bool converged(const auto& last) const");
  static_assert(
      !names_priority<P> ||
          requires(const P& p, PublishedRead<First> value) {
            { p.priority(value, value) } -> std::convertible_to<std::uint32_t>;
          },
      "priority has the wrong form: std::uint32_t priority(Published before, Published "
      "now) const");
  static_assert(!names_begin_total<P> || (!fused<P> && !complete<P>),
                "begin_total needs totals that are pulled along stored edges");
  static_assert(
      !names_begin_total<P> || BeginsAccumulator<P, First> || BeginsAccumulator<P, Second>,
      "begin_total has the wrong form: Accumulator begin_total(gas::AccumulatorOf<Kind>, "
      "Published) "
      "const, of a "
      "small total");
  static_assert(
      !names_scatter<P> || scatters<P, First, VFirst> || scatters<P, Second, VSecond>,
      "scatter has the wrong form: void scatter(Kind[&], Accumulator&, [neighbour's Published,] "
      "Edge&, auto& v) const, or (Kind[&], Accumulator&, EdgesView<Edge, Element>, auto& v) const");
}

template <class P>
concept Program = OneKind<P> || TwoKinds<P>;

}  // namespace gas
