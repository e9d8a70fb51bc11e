#pragma once

#include "gas/program/check_calls.hpp"
#include "gas/program/stands.hpp"

namespace gas::checks {

template <class T>
constexpr bool sums_floats = false;
template <std::floating_point T>
constexpr bool sums_floats<Sum<T>> = true;

/// What a program needs whose vertices name others by id, before any visit is looked into.
template <class Program, class First, class Second>
constexpr bool by_id_types() {
  using P = Program;
  GAS_REFUSE(
      "Offers belongs in the kind whose vertices are offered something: found it in the program", P,
      requires { typename P::Offers; })
  GAS_REFUSE(
      "Offers and reads are for programs of one kind, Vertex: found Data and Parameter", P,
      TwoKinds<P> && (names_reads<P> || present<OffersType<First>> || present<OffersType<Second>>))
  GAS_REFUSE(
      "Offers must be trivially copyable and default-constructible, and have += that takes another "
      "one",
      P, present<OffersType<First>> && !SmallAccumulator<OffersType<First>>)
  GAS_REFUSE(
      "Offers must not depend on the order in which they are made, as sums of floating-point "
      "numbers do: gas::Min, gas::Max, sums of integers",
      P, sums_floats<OffersType<First>>)
  GAS_REFUSE("Offers must not be running: what is offered lasts for one visit", P,
             is_running<OffersType<First>>)
  GAS_REFUSE("reads asks for the published value of a vertex, so the kind needs a Published", P,
             names_reads<P> && !present<PublishedType<First>>)
  GAS_REFUSE("reads asks for a single value, but the kind's Published is a row or a list", P,
             names_reads<P> && is_span<PublishedType<First>>)
  GAS_REFUSE(
      "Offers and reads need staleness 0, since what is offered or read must arrive within the "
      "step: remove `stands`, or declare it with bound 0 and without async",
      P, by_id<P, First> && (stands_of<P>.bound > 0 || stands_of<P>.async))
  return true;
}

/// The hook itself.
template <class Program, class Kind, class V>
constexpr bool reads() {
  using P = Program;
  GAS_REFUSE("reads must be const: gas::VertexId reads(const Kind&, const auto& v) const", P,
             !CallsReads<P, const Kind&, const V&> && CallsReadsChanging<P, const Kind&, const V&>)
  GAS_REFUSE(
      "reads changes its vertex or its visit: gas::VertexId reads(const Kind&, const auto& v) "
      "const",
      P, !CallsReads<P, const Kind&, const V&> && CallsReads<P, Kind&, V&>)
  GAS_REFUSE("reads has the wrong form: gas::VertexId reads(const Kind&, const auto& v) const", P,
             !CallsReads<P, const Kind&, const V&>)
  GAS_REFUSE(
      "reads must return gas::VertexId, the id of a vertex or gas::none", P,
      requires { requires !Exactly<std::uint32_t, CallsReadsResult<P, const Kind&, const V&>>; })
  return true;
}

}  // namespace gas::checks
