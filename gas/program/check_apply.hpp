#pragma once

#include "gas/program/sums_pushes.hpp"

namespace gas::checks {

template <class P, class R, class K, class V, class... A>
concept AppliesToCopy = CallsApplyTaking<P, R, K, A..., V&> ||
    CallsApplyTaking<P, R, K, A..., const V&> || CallsApplyTaking<P, R, K, A..., V>;
template <class P, class R, class K, class V, class... A>
concept AppliesInCopy =
    CallsApplyTaking<P, R, K&, A..., V> || CallsApplyTaking<P, R, const K&, A..., V>;
template <class P, class R, class K, class V, class T, class... Out>
constexpr bool applies_to_copy =
    AppliesToCopy<P, R, K, V, T&, Out...> || AppliesToCopy<P, R, K, V, const T&, Out...> ||
    AppliesToCopy<P, R, K, V, T, Out...>;
template <class P, class R, class K, class V, class T, class... Out>
constexpr bool applies_in_copy =
    AppliesInCopy<P, R, K, V, T&, Out...> || AppliesInCopy<P, R, K, V, const T&, Out...> ||
    AppliesInCopy<P, R, K, V, T, Out...>;

/// Converts to a vector, and to no span of one.
template <class T>
struct AsVector {
  operator std::vector<T>&() const;
};
/// A vector converts to a span. A hook that takes one has no `std::vector<T>&` for its list.
template <class P, class T, class K, class V, class A>
concept AppliesToSpan =
    CallsApply<P, K&, A&, std::span<T>, V&> && !CallsApply<P, K&, A&, AsVector<T>&, V&>;
template <class P, class T, class K, class V>
concept InitsSpan = CallsInit<P, K&, std::span<T>, V&> && !CallsInit<P, K&, AsVector<T>&, V&>;

/// Says what is wrong with an apply that cannot be called. `Out`: where a row is written; NoType
/// where Published is none.
template <class Program, class Kind, class Accumulator, class Published, class Out, class V>
constexpr bool apply_form() {
  using P = Program;
  using T = Accumulator;
  constexpr bool row = is_span<Published>;
  GAS_REFUSE(
      "missing: Published apply(Kind&, Accumulator&, auto& v) const, in the program (found "
      "`apply` in a kind)",
      P, !names_apply<P> && requires { &Kind::apply; })
  GAS_REFUSE(
      "missing: Published apply(Kind&, Accumulator&, auto& v) const, or for rows void "
      "apply(Kind&, Accumulator&, gas::RowView<T> out, auto& v) const",
      P, !names_apply<P>)
  GAS_REFUSE(
      "apply of a kind without Accumulator has a placeholder for it: Published apply(Kind&, const "
      "auto&, auto& v) const",
      P, !has_accumulator<Kind> && (CallsApply<P, Kind&, V&> || CallsApply<P, Kind&, Out, V&>))
  GAS_REFUSE(
      "apply has nothing to write to: if Published is a row, void apply(Kind&, Accumulator&, "
      "gas::RowView<T> out, auto& v) const; if it is a list, with std::vector<T>& out",
      P, row && CallsApply<P, Kind&, T&, V&>)
  GAS_REFUSE(
      "apply returns nothing, and the kind has a Published: Published apply(Kind&, "
      "Accumulator&, auto& v) const",
      P, requires { requires std::is_void_v<CallsApplyResult<P, Kind&, T&, V&>>; })
  GAS_REFUSE("apply returns another type than the kind's Published", P,
             CallsApply<P, Kind&, T&, V&>)
  GAS_REFUSE("apply must be const: Published apply(Kind&, Accumulator&, auto& v) const", P,
             CallsApplyChanging<P, Kind&, T&, V&> || CallsApplyChanging<P, Kind&, T&, Out, V&>)
  GAS_REFUSE("apply takes no visit: Published apply(Kind&, Accumulator&, auto& v) const", P,
             CallsApply<P, Kind&, T&> || CallsApply<P, Kind&, T&, Out>)
  GAS_REFUSE(
      "apply writes a row, but the kind's Published is no row: Published apply(Kind&, "
      "Accumulator&, auto& v) const",
      P, !row && CallsApply<P, Kind&, T&, Any&, V&>)
  GAS_REFUSE("apply writes to a row of another type than Published's", P,
             row && CallsApply<P, Kind&, T&, Any&, V&>)
  GAS_REFUSE("apply's second argument is not the kind's Accumulator&", P,
             CallsApply<P, Kind&, Any&, V&> || CallsApply<P, Kind&, Any&, Out, V&>)
  GAS_REFUSE(
      "no apply takes this kind as its first argument: Published apply(Kind&, Accumulator&, "
      "auto& v) const",
      P,
      !CallsApply<P, Kind&, Any&, Any&, V&> &&
          (CallsApply<P, Any&, Any&, V&> || CallsApply<P, Any&, Any&, Any&, V&>))
  GAS_REFUSE(
      "apply has the wrong form: Published apply(Kind&, Accumulator&, auto& v) const, or for "
      "rows void apply(Kind&, Accumulator&, gas::RowView<T> out, auto& v) const (lists: "
      "std::vector<T>& out)",
      P, true)
  return true;
}

template <class Program, class Kind, class Accumulator, class Published, class Out, class V>
constexpr bool apply() {
  using P = Program;
  using T = Accumulator;
  constexpr bool row = is_span<Published>, value = present<Published> && !row;
  if constexpr (sums_pushes<P, Kind, V>) {
    return true;
  } else if constexpr (!applies<P, Kind, V>) {
    return apply_form<Program, Kind, Accumulator, Published, Out, V>();
  } else
    GAS_REFUSE(
        "apply returns another type than the kind's Published", P,
        value && requires { requires !Exactly<Published, CallsApplyResult<P, Kind&, T&, V&>>; })
  GAS_REFUSE(
      "apply returns a value, and the kind has no Published: add using Published = …", P,
      !present<Published> &&
          requires { requires !std::is_void_v<CallsApplyResult<P, Kind&, T&, V&>>; })
  GAS_REFUSE(
      "apply returns a value, but publishes what it writes to `out`: make it return void", P,
      row && requires { requires !std::is_void_v<CallsApplyResult<P, Kind&, T&, Out, V&>>; })
  GAS_REFUSE(
      "apply takes the vertex by value, so that what it changes is lost: Kind&", P,
      !std::is_empty_v<Kind> && [] {
        if constexpr (row)
          return applies_to_copy<P, void, Kind, V, T, Out>;
        else
          return applies_to_copy<P, CallsApplyResult<P, Kind&, T&, V&>, Kind, V, T>;
      }())
  GAS_REFUSE("apply takes its list by value, so that what it writes is lost: std::vector<T>& out",
             P, [] {
               if constexpr (is_list<Published>) {
                 using Copy = std::remove_cvref_t<Out>;
                 return CallsApplyTaking<P, void, Kind&, T&, Copy, V&> ||
                        CallsApplyTaking<P, void, Kind&, const T&, Copy, V&> ||
                        CallsApplyTaking<P, void, Kind&, T&, Copy, const V&> ||
                        CallsApplyTaking<P, void, Kind&, const T&, Copy, const V&>;
               }
               return false;
             }())
  GAS_REFUSE(
      "apply takes the published list as a span, which cannot change its length: std::vector<T>& "
      "out",
      P, [] {
        if constexpr (is_list<Published>)
          return AppliesToSpan<P, typename Published::Element, Kind, V, T>;
        return false;
      }())
  GAS_REFUSE("apply takes its visit by value: auto& v", P, [] {
    if constexpr (row)
      return applies_in_copy<P, void, Kind, V, T, Out>;
    else
      return applies_in_copy<P, CallsApplyResult<P, Kind&, T&, V&>, Kind, V, T>;
  }())
  return true;
}

/// Is there an init for this kind, of whatever form?
template <class P, class K, class V>
concept InitNames = CallsInitChanging<P, K&> || CallsInitChanging<P, K&, Any&> ||
    CallsInitChanging<P, K&, Any&, Any&> || CallsInitChanging<P, K&, Any&, V&>;
template <class P, class R, class K, class V, class... Out>
concept InitsCopy = CallsInitTaking<P, R, K, Out..., V&> ||
    CallsInitTaking<P, R, K, Out..., const V&> || CallsInitTaking<P, R, K, Out..., V>;

/// Says what is wrong with an init that cannot be called.
template <class Program, class Kind, class Published, class Out, class V>
constexpr bool init_form() {
  using P = Program;
  GAS_REFUSE(
      "init has nothing to write to: if Published is a row, void init(Kind&, gas::RowView<T> out, "
      "auto& v) const; if it is a list, with std::vector<T>& out",
      P, is_span<Published> && CallsInit<P, Kind&, V&>)
  GAS_REFUSE("init returns another type than the kind's Published", P, CallsInit<P, Kind&, V&>)
  GAS_REFUSE("init must be const: Published init(Kind&, auto& v) const", P,
             CallsInitChanging<P, Kind&, V&> || CallsInitChanging<P, Kind&, Out, V&>)
  GAS_REFUSE("init takes no visit: Published init(Kind&, auto& v) const", P,
             CallsInit<P, Kind&> || CallsInit<P, Kind&, Out>)
  GAS_REFUSE(
      "init exists for the other kind only: add Published init(Kind&, auto& v) const, or for rows "
      "void init(Kind&, gas::RowView<T> out, auto& v) const (lists: std::vector<T>& out)",
      P, TwoKinds<P> && present<Published> && !InitNames<P, Kind, V>)
  GAS_REFUSE(
      "init has the wrong form: Published init(Kind&, auto& v) const, or for rows void "
      "init(Kind&, gas::RowView<T> out, auto& v) const (lists: std::vector<T>& out)",
      P, present<Published> || InitNames<P, Kind, V>)
  return true;
}

template <class Program, class Kind, class Published, class Out, class V>
constexpr bool init() {
  using P = Program;
  constexpr bool row = is_span<Published>, value = present<Published> && !row;
  if constexpr (!inits_values<P, Kind, V>) {
    return init_form<Program, Kind, Published, Out, V>();
  } else
    GAS_REFUSE(
        "init returns another type than the kind's Published", P,
        value && requires { requires !Exactly<Published, CallsInitResult<P, Kind&, V&>>; })
  GAS_REFUSE(
      "init returns a value, and the kind has no Published: void init(Kind&, auto& v) const", P,
      !present<Published> && requires { requires !std::is_void_v<CallsInitResult<P, Kind&, V&>>; })
  GAS_REFUSE(
      "init takes the vertex by value, so that what it changes is lost: Kind&", P,
      !std::is_empty_v<Kind> && [] {
        if constexpr (row)
          return InitsCopy<P, void, Kind, V, Out>;
        else
          return InitsCopy<P, CallsInitResult<P, Kind&, V&>, Kind, V>;
      }())
  GAS_REFUSE("init takes its list by value, so that what it writes is lost: std::vector<T>& out", P,
             [] {
               if constexpr (is_list<Published>)
                 return CallsInitTaking<P, void, Kind&, std::remove_cvref_t<Out>, V&> ||
                        CallsInitTaking<P, void, Kind&, std::remove_cvref_t<Out>, const V&>;
               return false;
             }())
  GAS_REFUSE(
      "init takes the published list as a span, which cannot change its length: std::vector<T>& "
      "out",
      P, [] {
        if constexpr (is_list<Published>) return InitsSpan<P, typename Published::Element, Kind, V>;
        return false;
      }())
  return true;
}

template <class Program, class Kind, class Published, class V>
constexpr bool activity() {
  using P = Program;
  GAS_REFUSE(
      "this kind gathers no published value, has no Offers and no reads, so nothing makes its "
      "vertices active: add static constexpr auto activity = gas::Active::every_round",
      P, !always_active<P, Kind> && (!gathers_values<P, Kind> || complete<P>)&&!by_id<P, Kind>)
  GAS_REFUSE(
      "initially_active takes its vertex by non-const reference: bool initially_active(const "
      "Kind&, auto& v) const",
      P,
      names_initially_active<P> && !CallsInitiallyActive<P, const Kind&, V&> &&
          CallsInitiallyActive<P, Kind&, V&>)
  GAS_REFUSE(
      "initially_active has the wrong form: bool initially_active(const Kind&, auto& v) const", P,
      names_initially_active<P> && !CallsInitiallyActive<P, const Kind&, V&>)
  GAS_REFUSE("initially_active must return bool", P, [] {
    if constexpr (names_initially_active<P>)
      return !Exactly<bool, CallsInitiallyActiveResult<P, const Kind&, V&>>;
    return false;
  }())
  return true;
}

/// Would publishes get one of its two numbers N converted to another type?
template <class P, class N, class... Before>
constexpr bool publishes_converted =
    std::is_arithmetic_v<N> && !CallsPublishesTaking<P, bool, Before..., N, N> &&
    ((!CallsPublishes<P, Before..., Just<N>, N> && CallsPublishes<P, Before..., Another<N>, N>) ||
     (!CallsPublishes<P, Before..., N, Just<N>> && CallsPublishes<P, Before..., N, Another<N>>));

template <class Program, class Kind, class Published>
constexpr bool publishes() {
  using P = Program;
  using N = Published;
  constexpr bool of_vertex = CallsPublishes<P, const Kind&, N, N>;
  GAS_REFUSE(
      "publishes must be const: bool publishes(const Kind&, Published before, Published now) "
      "const",
      P,
      !of_vertex && !CallsPublishes<P, N, N> &&
          (CallsPublishesChanging<P, const Kind&, N, N> || CallsPublishesChanging<P, N, N>))
  GAS_REFUSE(
      "publishes has the wrong form: bool publishes([const Kind&,] Published before, "
      "Published now) const",
      P, !of_vertex && !CallsPublishes<P, N, N>)
  GAS_REFUSE(
      "publishes takes a number of another type than the kind's Published, which would be "
      "converted: take that type itself, or auto",
      P, of_vertex ? publishes_converted<P, N, const Kind&> : publishes_converted<P, N>)
  GAS_REFUSE("publishes must return bool", P, [] {
    if constexpr (of_vertex)
      return !Exactly<bool, CallsPublishesResult<P, const Kind&, N, N>>;
    else
      return !Exactly<bool, CallsPublishesResult<P, N, N>>;
  }())
  return true;
}

}  // namespace gas::checks
