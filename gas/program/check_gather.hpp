#pragma once

#include "gas/program/check_calls.hpp"
#include "gas/program/stands.hpp"

namespace gas::checks {

/// Does gather take an accumulator that is not the caller's? Of a view of a row a copy does as
/// well.
template <class P, class T, class... A>
concept GathersCopy = !RowAccumulator<T> && CallsGather<P, T&, A...> && CallsGather<P, T, A...> &&
                      !CallsGather<P, Opaque&, A...>;

/// Is a number X, which gather gets behind arguments Before, converted to one of another type?
template <class P, class T, class... Before>
struct GatherArgument {
  template <class X, class... After>
  static constexpr bool converted =
      std::is_arithmetic_v<X> && !CallsGather<P, T&, Before..., Just<X>, After...> &&
      CallsGather<P, T&, Before..., Another<X>, After...>;
};
/// A gather that can be called gets numbers of the types that they have, and changes none of them.
template <class Program, class Kind, class Accumulator, class NeighboursPublished, class Edge>
constexpr bool gather_arguments() {
  using P = Program;
  using T = Accumulator;
  using N = NeighboursPublished;
  using E = Edge;
  using O = Own<PublishedType<Kind>>;
  using Pushes = OwnPushes<AccumulatorType<OppositeOf<P, Kind>>>;
  constexpr bool reads = present<PublishedType<OppositeOf<P, Kind>>>, has_edge = present<Edge>;
  constexpr bool value = reads && GathersNeighbour<P, Kind>;
  constexpr bool value_edge = reads && has_edge && GathersNeighbourAndEdge<P, Kind>;
  constexpr bool own = reads && GathersOwn<P, Kind>;
  constexpr bool own_edge = reads && GathersOwnAndEdge<P, Kind>;
  constexpr bool in_place = reads && has_edge && GathersInPlace<P, Kind>;
  constexpr bool edge = gathers_edges_only<P, Kind>;
  GAS_REFUSE("gather gets no visit: void gather(Accumulator&, neighbour's Published[, Edge]) const",
             P, own_edge && CallsGather<P, T&, N, E, const Opaque&>)
  GAS_REFUSE(
      "gather could change the neighbour's Published or its Edge: it takes them by value or const&",
      P,
      (value && !CallsGather<P, T&, const N&>) ||
          (value_edge && !CallsGather<P, T&, const N&, const E&>) ||
          (own && !CallsGather<P, T&, const N&, const O&>) ||
          (own_edge && !CallsGather<P, T&, const N&, const E&, const O&>) ||
          (in_place && !CallsGather<P, T&, const N&, const Pushes&, const E&>) ||
          (edge && !CallsGather<P, T&, const E&>))
  GAS_REFUSE(
      "gather's second argument is a number of another type than the neighbour's Published, which "
      "would be converted: take that type itself, or auto",
      P,
      (value && GatherArgument<P, T>::template converted<N>) ||
          (value_edge && GatherArgument<P, T>::template converted<N, E>) ||
          (own && GatherArgument<P, T>::template converted<N, O>) ||
          (own_edge && GatherArgument<P, T>::template converted<N, E, O>) ||
          (in_place && GatherArgument<P, T>::template converted<N, const Pushes&, E>))
  GAS_REFUSE(
      "gather takes its edge as a number of another type than the program's Edge, which would be "
      "converted: take that type itself, or auto",
      P,
      (value_edge && GatherArgument<P, T, N>::template converted<E>) ||
          (own_edge && GatherArgument<P, T, N>::template converted<E, O>) ||
          (in_place && GatherArgument<P, T, N, const Pushes&>::template converted<E>) ||
          (edge && GatherArgument<P, T>::template converted<E>))
  return true;
}

/// Does gather take the neighbour's row or list as one that it could change?
template <class P, class T, class Published, class Edge, class O>
constexpr bool gathers_to_change = [] {
  if constexpr (is_span<Published>) {
    using W = std::span<typename Published::Element>;
    return CallsGather<P, T&, W&> || CallsGather<P, T&, W&, Edge> || CallsGather<P, T&, W&, O&> ||
           CallsGather<P, T&, W&, Edge, O&>;
  }
  return false;
}();

/// Says what is wrong with a gather that cannot be called.
template <class Program, class Kind, class Accumulator, class NeighboursPublished, class Edge>
constexpr bool gather_form() {
  using P = Program;
  using T = Accumulator;
  using N = NeighboursPublished;
  using Other = OppositeOf<P, Kind>;
  using O = Own<PublishedType<Kind>>;
  constexpr bool reads = present<PublishedType<Other>>, has_edge = present<Edge>;
  GAS_REFUSE(
      "missing: void gather(Accumulator&, neighbour's Published[, Edge]) const, or void "
      "gather(Accumulator&, Edge) const, in the program (found `gather` in a kind)",
      P, !names_gather<P> && requires { &Kind::gather; })
  GAS_REFUSE(
      "missing: void gather(Accumulator&, neighbour's Published[, Edge]) const, or void "
      "gather(Accumulator&, Edge) const",
      P, !names_gather<P>)
  GAS_REFUSE("gather must be const: void gather(Accumulator&, neighbour's Published[, Edge]) const",
             P,
             (CallsGatherChanging<P, T&, N> && !CallsGather<P, T&, N>) ||
                 (CallsGatherChanging<P, T&, N, Edge> && !CallsGather<P, T&, N, Edge>))
  GAS_REFUSE(
      "gas::Own is of another type than the kind's own Published: gas::Own<Published> as the last "
      "argument, by value or const&",
      P,
      (reads && CallsGather<P, T&, N, AnyOwn> && !CallsGather<P, T&, N, O&>) ||
          (reads && CallsGather<P, T&, N, Edge, AnyOwn> && !CallsGather<P, T&, N, Edge, O&>))
  GAS_REFUSE(
      "gather gets no visit: void gather(Accumulator&, neighbour's Published[, Edge]) const", P,
      (reads && !has_edge && CallsGather<P, T&, N, Opaque&>) ||
          (has_edge && (CallsGather<P, T&, N, Edge, Opaque&> || CallsGather<P, T&, Edge, Opaque&>)))
  GAS_REFUSE(
      "gather has a third argument, but the program has no Edge: declare using Edge = float, or "
      "give that argument the type gas::Own<Published>",
      P, reads && !has_edge && CallsGather<P, T&, N, const detail::NotOwn&>)
  GAS_REFUSE(
      "found gather(Accumulator&, neighbour's Published, an edge), and the program names no "
      "Edge: add, for example, using Edge = float",
      P, reads && !has_edge && CallsGather<P, T&, N, Any&>)
  GAS_REFUSE(
      "found gather(Accumulator&, neighbour's Published[, Edge]), and the kind at the other "
      "end has no Published: add, for example, using Published = double",
      P, !reads && (CallsGather<P, T&, Any&> || CallsGather<P, T&, Any&, Edge>))
  GAS_REFUSE(
      "gather takes a vertex where it must take the neighbour's Published: neighbours see "
      "published values only",
      P,
      CallsGather<P, T&, Other&> || CallsGather<P, T&, Other&, Edge> ||
          CallsGather<P, T&, Other*> || CallsGather<P, T&, Kind&> ||
          CallsGather<P, T&, Kind&, Edge>)
  GAS_REFUSE(
      "gather returns what it should add: void gather(Accumulator&, neighbour's Published[, "
      "Edge]) const adds to its first argument",
      P, CallsGather<P, N> || (has_edge && CallsGather<P, N, Edge>))
  GAS_REFUSE(
      "gas::Own has the wrong form: it is the last argument, gather(Accumulator&, neighbour's "
      "Published[, Edge], gas::Own<Published>), by value or const&, of the kind's own Published",
      P,
      CallsGather<P, T&, N, AnyOwn> || CallsGather<P, T&, N, Edge, AnyOwn> ||
          CallsGather<P, T&, N, AnyOwn, Edge> || CallsGather<P, T&, AnyOwn, N> ||
          CallsGather<P, T&, AnyOwn> || CallsGather<P, T&, Edge, AnyOwn>)
  GAS_REFUSE("the neighbour publishes a row: gather must take it as gas::RowView<const T>", P,
             is_row<PublishedType<Other>> && gathers_to_change<P, T, PublishedType<Other>, Edge, O>)
  GAS_REFUSE(
      "the neighbour publishes a list: gather must take it as std::span<const T>", P,
      is_list<PublishedType<Other>> && gathers_to_change<P, T, PublishedType<Other>, Edge, O>)
  GAS_REFUSE("gather's second argument is not the neighbour's Published", P,
             CallsGather<P, T&, Any&> || CallsGather<P, T&, Any&, Edge>)
  GAS_REFUSE("gather's third argument is not the program's Edge", P, CallsGather<P, T&, N, Any&>)
  GAS_REFUSE("no gather takes this kind's Accumulator& as its first argument", P,
             CallsGather<P, Any&, N> || (has_edge && CallsGather<P, Any&, N, Edge>) ||
                 (has_edge && CallsGather<P, Any&, Edge>) || CallsGather<P, Any&, Any&, Edge>)
  GAS_REFUSE(
      "gather has the wrong form: void gather(Accumulator&, neighbour's Published[, "
      "Edge][, gas::Own<Published>]) const, or void gather(Accumulator&, Edge) const",
      P, true)
  return true;
}

/// What a kind that gathers changes needs besides.
template <class Program, class Kind, class Accumulator>
constexpr bool changes() {
  using P = Program;
  using T = Accumulator;
  GAS_REFUSE("gathers_changes needs one kind, Vertex, that gathers what its neighbours publish", P,
             !OneKind<P> || !gathers_values<P, Kind>)
  GAS_REFUSE("gathers_changes needs single values, but the kind's Published is a row or a list", P,
             is_span<PublishedType<Kind>>)
  GAS_REFUSE(
      "gathers_changes needs an Accumulator with static constexpr bool idempotent = true (adding a "
      "value twice changes nothing), such as gas::Min; or a running one together with priority()",
      P, is_idempotent<T> == is_running<T> || (is_running<T> && !names_priority<P>))
  GAS_REFUSE(
      "gathers_changes needs an Accumulator of 4 or 8 bytes, which threads can update atomically",
      P, !SmallAccumulator<T> || (sizeof(T) != 4 && sizeof(T) != 8))
  GAS_REFUSE(
      "gathers_changes needs an Accumulator that is aligned to its size, for atomic updates: write "
      "struct alignas(8) for one of 8 bytes",
      P, (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) < sizeof(T))
  GAS_REFUSE(
      "gathers_changes cannot be combined with scatter, gas::Own, Active::every_round, "
      "gathers_along, Offers or reads: these need the values of all neighbours in every step",
      P,
      names_scatter<P> || reads_own<P, Kind> || always_active<P, Kind> || by_id<P, Kind> ||
          along_of<Kind> != Along::in)
  GAS_REFUSE(
      "a kind with gathers_changes and a running Accumulator starts with all vertices waiting, at "
      "staleness 0: remove initially_active and stands",
      P,
      is_running<T> && (names_initially_active<P> || stands_of<P>.bound > 0 || stands_of<P>.async))
  return true;
}

template <class Program, class Kind, class Accumulator, class NeighboursPublished, class Edge>
constexpr bool gather() {
  using P = Program;
  using T = Accumulator;
  using N = NeighboursPublished;
  constexpr bool reads = present<PublishedType<OppositeOf<P, Kind>>>, has_edge = present<Edge>;
  if constexpr (!gathers<P, Kind>) {
    return gather_form<Program, Kind, Accumulator, NeighboursPublished, Edge>();
  } else
    GAS_REFUSE(
        "gather has two forms for one kind, with and without Edge or gas::Own: keep only one", P,
        reads && (GathersNeighbour<P, Kind> +
                  (has_edge && GathersNeighbourAndEdge<P, Kind>)+GathersOwn<P, Kind> +
                  GathersOwnAndEdge<P, Kind>) > 1)
  GAS_REFUSE(
      "gather(Accumulator&, x) may take the neighbour's Published or the edge, which scatter "
      "writes: they are of one type, so make Edge a struct of its own",
      P,
      reads && has_edge && names_scatter<P> && std::is_same_v<std::remove_cvref_t<N>, Edge> &&
          GathersNeighbour<P, Kind>)
  GAS_REFUSE(
      "gather takes its accumulator by value or const, so that what it adds is lost: "
      "Accumulator&",
      P,
      (reads && (GathersCopy<P, T, N> || (has_edge && GathersCopy<P, T, N, Edge>) ||
                 (present<PublishedType<Kind>> &&
                  (GathersCopy<P, T, N, Own<PublishedType<Kind>>> ||
                   (has_edge && GathersCopy<P, T, N, Edge, Own<PublishedType<Kind>>>))))) ||
          (gathers_edges_only<P, Kind> && GathersCopy<P, T, Edge>))
  GAS_REFUSE(
      "a running Accumulator (RunningSum, RunningRowSum) takes differences only, but this gather "
      "reads all neighbours in every round: use one that is not running, such as gas::Sum",
      P,
      is_running<T> && !gathers_changes<Kind> &&
          !(fused<P> && std::is_same_v<Kind, ParameterType<P>>))
  GAS_REFUSE(
      "found publishes beside Parameters with a running Accumulator: what a Data vertex did not "
      "publish would be added to it again. Leave publishes out, or use an Accumulator that is not "
      "running",
      P, is_running<T> && fused<P> && names_publishes<P>)
  if constexpr (!gather_arguments<Program, Kind, Accumulator, NeighboursPublished, Edge>())
    return false;
  else if constexpr (gathers_changes<Kind>)
    return changes<Program, Kind, Accumulator>();
  return true;
}

/// Is there a scatter for this kind, of whatever form?
template <class P, class K>
concept ScatterNames = CallsScatterChanging<P, K&, Any&> ||
    CallsScatterChanging<P, K&, Any&, Any&> || CallsScatterChanging<P, K&, Any&, Any&, Any&> ||
    CallsScatterChanging<P, K&, Any&, Any&, Any&, Any&>;
template <class P, class K, class T, class V, class E, class... N>
concept ScattersCopy = CallsScatter<P, K&, T&, N..., E&, V&> &&
    CallsScatter<P, K&, T&, N..., E, V&> && !CallsScatter<P, K&, T&, N..., Opaque&, V&>;

template <class Program, class Kind, class Accumulator, class NeighboursPublished, class Edge,
          class V>
constexpr bool scatter() {
  using P = Program;
  using T = Accumulator;
  using N = NeighboursPublished;
  GAS_REFUSE(
      "scatter changes edges, but the program has no Edge; if it is only to make neighbours "
      "active, remove it: a changed Published does that",
      P, !present<Edge>)
  GAS_REFUSE("scatter gets what was gathered, and the kind names no Accumulator", P, [] {
    if constexpr (!has_accumulator<Kind>) return ScatterNames<P, Kind>;
    return false;
  }())
  GAS_REFUSE(
      "scatter has the wrong form: void scatter(Kind[&], Accumulator&, [neighbour's "
      "Published,] Edge&, auto& v) const, or (Kind[&], Accumulator&, gas::EdgesView<Edge, "
      "Element>, auto& v) const where neighbours publish rows",
      P, [] {
        if constexpr (!scatters<P, Kind, V>) return ScatterNames<P, Kind>;
        return false;
      }())
  GAS_REFUSE("scatter takes its edge by value or const, so that what it changes is lost: Edge&", P,
             ScattersCopy<P, Kind, T, V, Edge> || ScattersCopy<P, Kind, T, V, Edge, N>)
  GAS_REFUSE(
      "scatter takes the neighbour's Published as a number of another type, which would be "
      "converted: take that type itself, or auto",
      P,
      std::is_arithmetic_v<N> && !CallsScatter<P, Kind&, T&, Just<N>, Edge&, V&> &&
          CallsScatter<P, Kind&, T&, Another<N>, Edge&, V&>)
  return true;
}

}  // namespace gas::checks
