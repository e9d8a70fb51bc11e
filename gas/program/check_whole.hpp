#pragma once

#include "gas/program/check_calls.hpp"

namespace gas::checks {

template <class>
constexpr bool of_published = false;
template <class K>
constexpr bool of_published<PublishedOf<K>> = true;

/// The width of rows that `What` names.
template <class Program, class What>
constexpr bool width() {
  using P = Program;
  constexpr bool missing = !names_width<P> || !CallsWidthChanging<P, What>;
  GAS_REFUSE(
      "missing: std::size_t width(gas::PublishedOf<Kind>) const, the length of the rows that this "
      "kind publishes",
      P, missing && of_published<What>)
  GAS_REFUSE("missing: std::size_t width(gas::SummaryOf) const, the length of the Summary's row", P,
             missing && std::is_same_v<What, SummaryOf>)
  GAS_REFUSE(
      "missing: std::size_t width(gas::AccumulatorOf<Kind>) const, the length of this kind's "
      "Accumulator",
      P, missing)
  GAS_REFUSE("width must be const: std::size_t width(gas::PublishedOf<Kind>) const", P,
             !CallsWidth<P, What>)
  GAS_REFUSE(
      "width must return std::size_t", P,
      requires { requires !std::unsigned_integral<CallsWidthResult<P, What>>; })
  return true;
}

/// Dense: what gather_block and push need of both kinds.
template <class Program, class Data, class Parameter>
constexpr bool dense_types() {
  using P = Program;
  GAS_REFUSE(
      "gather_block is for the complete bipartite topology: it needs Data and Parameter, and "
      "no gather",
      P, names_gather<P>)
  GAS_REFUSE("gather_block and scatter or Edge exclude each other: no edges are stored", P,
             names_scatter<P> || present<EdgeType<P>>)
  GAS_REFUSE("gather_block needs Data::Input: gas::RowOf<float> or gas::RowOf<double>", P,
             !present<InputType<Data>>)
  GAS_REFUSE(
      "with gather_block Data publishes the parameter that it belongs to: using Published = "
      "std::uint32_t",
      P, !std::is_same_v<PublishedType<Data>, std::uint32_t>)
  GAS_REFUSE("with gather_block Data's Accumulator must be small: trivially copyable with +=", P,
             !SmallAccumulator<AccumulatorType<Data>>)
  GAS_REFUSE("with gather_block Parameter publishes rows: using Published = gas::RowOf<float>", P,
             !is_row<PublishedType<Parameter>>)
  GAS_REFUSE(
      "with gather_block Parameter's Accumulator must be running: static constexpr bool "
      "running = true, as gas::RunningRowSum",
      P, !is_running<AccumulatorType<Parameter>>)
  GAS_REFUSE(
      "missing: void push(auto& to, gas::RowView<const T> input, std::uint32_t before, "
      "std::uint32_t now) const",
      P, !names_push<P>)
  return true;
}

template <class Program, class Data, class Points, class Parameters, class Accumulators,
          class States, class Targets, class VertexId, class V>
constexpr bool dense_hooks() {
  using P = Program;
  constexpr bool four = CallsGatherBlock<P, Points, const Parameters&, Accumulators, V&>;
  constexpr bool five = CallsGatherBlock<P, Points, const Parameters&, Accumulators, V&, States>;
  GAS_REFUSE("gather_block must be const", P,
             !four && !five &&
                 (CallsGatherBlockChanging<P, Points, const Parameters&, Accumulators, V&> ||
                  CallsGatherBlockChanging<P, Points, const Parameters&, Accumulators, V&, States>))
  GAS_REFUSE(
      "gather_block has the wrong form: void gather_block(gas::RowsView<T> points, const "
      "gas::ParameterBlock<T>& (or const Packed&), std::span<Data::Accumulator>, auto& v[, "
      "std::span<Data> states]) const",
      P, !four && !five)
  GAS_REFUSE(
      "push has the wrong form: void push(auto& to, gas::RowView<const T> input, "
      "std::uint32_t before, std::uint32_t now) const",
      P, !CallsPush<P, Targets&, VertexId, std::uint32_t, std::uint32_t>)
  return true;
}

/// Hooks and types that stand or fall together.
template <class Program>
constexpr bool topology() {
  using P = Program;
  GAS_REFUSE("gather_block needs two kinds, Data and Parameter", P,
             names_gather_block<P> && !TwoKinds<P>)
  GAS_REFUSE("found push, and no gather_block, to which it belongs", P,
             names_push<P> && !names_gather_block<P>)
  GAS_REFUSE(
      "found Input, which belongs to Data in a program with gather_block", P,
      !complete<P> && (present<InputType<VertexType<P>>> || present<InputType<DataType<P>>> ||
                       present<InputType<ParameterType<P>>>))
  GAS_REFUSE("found Packed, and no gather_block, which would get it", P,
             !complete<P> && present<PackedType<P>>)
  GAS_REFUSE(
      "found gather, and no kind names an Accumulator: add, for example, using Accumulator = "
      "gas::Sum<double>",
      P,
      names_gather<P> && !has_accumulator<VertexType<P>> && !has_accumulator<DataType<P>> &&
          !has_accumulator<ParameterType<P>>)
  GAS_REFUSE(
      "found gas::Own and gas::OwnPushes in one program, expected at most one of them: remove one",
      P, [] {
        if constexpr (TwoKinds<P> && present<EdgeType<P>>)
          return GathersInPlace<P, DataType<P>> && reads_own<P, ParameterType<P>>;
        return false;
      }())
  GAS_REFUSE(
      "found scatter and gas::OwnPushes in one program, expected at most one of them: remove one",
      P, [] {
        if constexpr (TwoKinds<P> && present<EdgeType<P>>)
          return names_scatter<P> && GathersInPlace<P, DataType<P>>;
        return false;
      }())
  return true;
}

/// Does gather of this kind take the edge?
template <class P, class K>
constexpr bool gathers_edge = gathers_edges_only<P, K> || GathersOwnAndEdge<P, K> ||
                              (present<PublishedType<OppositeOf<P, K>>> &&
                               (GathersNeighbourAndEdge<P, K> || GathersInPlace<P, K>));

/// Hooks that not every kind needs have the right form for one.
template <class Program, template <class, class> class Visit, class... Kinds>
constexpr bool some_kind() {
  using P = Program;
  GAS_REFUSE(
      "init has the wrong form: Published init(Kind&, auto& v) const, or for rows void "
      "init(Kind&, gas::RowView<T> out, auto& v) const",
      P, names_init<P> && !(inits_values<P, Kinds, Visit<P, Kinds>> || ...))
  GAS_REFUSE(
      "scatter has the wrong form: void scatter(Kind[&], Accumulator&, [neighbour's "
      "Published,] Edge&, auto& v) const, or (Kind[&], Accumulator&, gas::EdgesView<Edge, "
      "Element>, auto& v) const where neighbours publish rows",
      P, names_scatter<P> && !(scatters<P, Kinds, Visit<P, Kinds>> || ...))
  GAS_REFUSE("found publishes, which compares published values, but no kind has a Published", P,
             names_publishes<P> && !(present<PublishedType<Kinds>> || ...))
  GAS_REFUSE(
      "the program names an Edge, and no hook takes it: void gather(Accumulator&, neighbour's "
      "Published, Edge) const, or leave Edge out",
      P,
      std::is_arithmetic_v<EdgeType<P>> && !complete<P> && !names_scatter<P> &&
          !(gathers_edge<P, Kinds> || ...))
  return true;
}

/// Would priority get one of its two numbers N converted to another type?
template <class P, class N>
constexpr bool priority_converted =
    std::is_arithmetic_v<N> && !CallsPriorityTaking<P, std::uint32_t, N, N> &&
    ((!CallsPriority<P, Just<N>, N> && CallsPriority<P, Another<N>, N>) ||
     (!CallsPriority<P, N, Just<N>> && CallsPriority<P, N, Another<N>>));

/// Hooks that are called once for all vertices.
template <class Program, class First, class Second, class Step, class Last>
constexpr bool once() {
  using P = Program;
  using N = PublishedRead<First>;
  GAS_REFUSE("before_step has the wrong form: void before_step(gas::Step, const auto& last)", P,
             names_before_step<P> && !CallsBeforeStepChanging<P, Step, const Last&>)
  GAS_REFUSE("converged must be const: bool converged(const auto& last) const", P,
             names_converged<P> && !CallsConverged<P, const Last&> &&
                 CallsConvergedChanging<P, const Last&>)
  GAS_REFUSE("converged has the wrong form: bool converged(const auto& last) const", P,
             names_converged<P> && !CallsConverged<P, const Last&>)
  GAS_REFUSE(
      "converged must return bool", P,
      requires { requires !Exactly<bool, CallsConvergedResult<P, const Last&>>; })
  GAS_REFUSE(
      "priority has the wrong form: std::uint32_t priority(Published before, Published now) "
      "const",
      P, names_priority<P> && (!present<PublishedType<First>> || !CallsPriority<P, N, N>))
  GAS_REFUSE(
      "priority takes a number of another type than the kind's Published, which would be "
      "converted: take that type itself, or auto",
      P, names_priority<P> && priority_converted<P, N>)
  GAS_REFUSE(
      "priority must return std::uint32_t", P,
      requires { requires !Exactly<std::uint32_t, CallsPriorityResult<P, N, N>>; })
  GAS_REFUSE(
      "width has the wrong form: std::size_t width(gas::PublishedOf<Kind>), "
      "(gas::AccumulatorOf<Kind>) or (gas::SummaryOf) const",
      P,
      (CallsWidth<P> || CallsWidth<P, Any&>)&&!CallsWidth<P, PublishedOf<First>> &&
          !CallsWidth<P, AccumulatorOf<First>> && !CallsWidth<P, PublishedOf<Second>> &&
          !CallsWidth<P, AccumulatorOf<Second>> && !CallsWidth<P, SummaryOf>)
  return true;
}

}  // namespace gas::checks
