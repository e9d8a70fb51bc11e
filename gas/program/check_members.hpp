#pragma once

#include <ranges>

#include "gas/program/near_misses.hpp"
#include "gas/program/stands.hpp"

namespace gas::checks {

// What a program and its kinds name beside hooks. Nothing here needs a visit.

// A name that is there, but not as an accessible type: private, or something else.
#define GAS_HIDDEN(Name)                                       \
  GAS_NAMES(Name)                                              \
  template <class T>                                           \
  constexpr bool hides_##Name = names_##Name<T> && !requires { \
    typename T::Name;                                          \
  };
GAS_HIDDEN(Vertex)
GAS_HIDDEN(Data)
GAS_HIDDEN(Parameter)
GAS_HIDDEN(Edge)
GAS_HIDDEN(Summary)
GAS_HIDDEN(Scratch)
GAS_HIDDEN(Packed)
GAS_HIDDEN(Published)
GAS_HIDDEN(Accumulator)
GAS_HIDDEN(Offers)
GAS_HIDDEN(Input)
#undef GAS_HIDDEN
#undef GAS_NAMES

template <class T>
concept PlainValue = std::is_trivially_copyable_v<T> && std::default_initializable<T>;
template <class T>
concept HasEquals = requires(const T& a) {
  { a == a } -> std::convertible_to<bool>;
};
template <class T>
concept FlagsActivity = std::is_same_v<decltype(&T::activity), const Active*>;
template <class T>
concept FlagsWhole = std::is_same_v<decltype(&T::whole), const bool*>;
template <class T>
concept FlagsAlong = std::is_same_v<decltype(&T::gathers_along), const Along*>;
template <class T>
concept FlagsChanges = std::is_same_v<decltype(&T::gathers_changes), const bool*>;
template <class T>
concept FlagsIdempotent = std::is_same_v<decltype(&T::idempotent), const bool*>;
template <class T>
concept FlagsRunning = std::is_same_v<decltype(&T::running), const bool*>;
template <class T>
concept FlagsStands = std::is_same_v<decltype(&T::stands), const Stands*>;
template <class T>
concept HasElement = requires {
  typename T::Element;
};
/// A bool, or rows or lists of it: no array of them lends references.
template <class T>
constexpr bool is_bool = std::is_same_v<T, bool>;
template <HasElement T>
constexpr bool is_bool<T> = std::is_same_v<typename T::Element, bool>;

/// The program object is of a type that can be looked into.
template <class Program>
constexpr bool program_type() {
  GAS_REFUSE("a program is a struct: this is not a class type", Program, !std::is_class_v<Program>)
  GAS_REFUSE(
      "the program is `final`: remove it, since hooks are found by deriving from the program",
      Program, std::is_final_v<Program>)
  GAS_REFUSE(
      "a program must be copyable: found a member that is not, such as a std::atomic, a std::mutex "
      "or a std::unique_ptr",
      Program, !std::is_copy_constructible_v<Program>)
  GAS_REFUSE("a program must be assignable: found a member that is const, or a reference", Program,
             !std::is_copy_assignable_v<Program>)
  GAS_REFUSE("Vertex, Data or Parameter is private, or is not a type: write `struct`, or `public:`",
             Program, hides_Vertex<Program> || hides_Data<Program> || hides_Parameter<Program>)
  GAS_REFUSE(
      "found `Vertices`, `Vertice`, `vertex` or `Node`: name the kind, as in using Vertex = Node",
      Program,
      !requires { typename Program::Vertex; } && !requires { typename Program::Data; } &&
          !requires { typename Program::Parameter; } &&
          (
              requires { typename Program::Vertices; } || requires { typename Program::Vertice; } ||
              requires { typename Program::vertex; } || requires { typename Program::Node; }))
  GAS_REFUSE("found Data without Parameter: a program names Vertex, or Data and Parameter", Program,
             present<DataType<Program>> && !present<ParameterType<Program>>)
  GAS_REFUSE("found Parameter without Data: a program names Vertex, or Data and Parameter", Program,
             !present<DataType<Program>> && present<ParameterType<Program>>)
  GAS_REFUSE("missing: a kind. A program names Vertex, or Data and Parameter", Program,
             !OneKind<Program> && !TwoKinds<Program>)
  GAS_REFUSE("found Vertex beside Data and Parameter: a program has one kind or these two", Program,
             OneKind<Program> && TwoKinds<Program>)
  GAS_REFUSE("Data and Parameter are one type: give each kind a struct of its own", Program,
             TwoKinds<Program> && std::is_same_v<DataType<Program>, ParameterType<Program>>)
  GAS_REFUSE("Edge, Summary, Scratch or Packed is private, or is not a type", Program,
             hides_Edge<Program> || hides_Summary<Program> || hides_Scratch<Program> ||
                 hides_Packed<Program>)
  return true;
}

/// What kind Kind names.
template <class Kind>
constexpr bool kind_type() {
  using Published = PublishedType<Kind>;
  using Accumulator = AccumulatorType<Kind>;
  GAS_REFUSE("a kind is a struct: this is not a class type", Kind, !std::is_class_v<Kind>)
  GAS_REFUSE("the kind is `final`: remove it, since names are found by deriving from the kind",
             Kind, std::is_final_v<Kind>)
  GAS_REFUSE("a kind must be a plain struct: default-constructible and copyable", Kind,
             !std::is_default_constructible_v<Kind> || !std::is_copy_assignable_v<Kind> ||
                 !std::is_copy_constructible_v<Kind>)
  GAS_REFUSE(
      "the kind's Published, Accumulator, Offers or Input is private, or is not a type", Kind,
      hides_Published<Kind> || hides_Accumulator<Kind> || hides_Offers<Kind> || hides_Input<Kind>)
  GAS_REFUSE(
      "Edge, Summary, Scratch and Packed belong in the program: found one in a kind", Kind,
      requires { typename Kind::Edge; } || requires { typename Kind::Summary; } ||
          requires { typename Kind::Scratch; } || requires { typename Kind::Packed; })
  GAS_REFUSE(
      "stands belongs in the program: found it in a kind", Kind, requires { Kind::stands; })
  GAS_REFUSE(
      "activity has the wrong form: static constexpr auto activity = gas::Active::every_round or "
      "gas::Active::changed",
      Kind, requires { Kind::activity; } && !FlagsActivity<Kind>)
  GAS_REFUSE(
      "gathers_along has the wrong form: static constexpr auto gathers_along = gas::Along::in, out "
      "or both",
      Kind, requires { Kind::gathers_along; } && !FlagsAlong<Kind>)
  GAS_REFUSE(
      "whole has the wrong form: static constexpr bool whole = true", Kind,
      requires { Kind::whole; } && !FlagsWhole<Kind>)
  GAS_REFUSE(
      "gathers_changes has the wrong form: static constexpr bool gathers_changes = true", Kind,
      requires { Kind::gathers_changes; } && !FlagsChanges<Kind>)
  GAS_REFUSE("found bool in Published or Accumulator, expected std::uint8_t for it", Kind,
             is_bool<Published> || is_bool<Accumulator>)
  GAS_REFUSE("found a pointer as Published or Accumulator: it means nothing on another rank", Kind,
             std::is_pointer_v<Published> || std::is_pointer_v<Accumulator>)
  GAS_REFUSE(
      "found a view, such as std::string_view, as Published: it means nothing on another rank",
      Kind, present<Published> && !is_span<Published> && std::ranges::view<Published>)
  GAS_REFUSE(
      "Published must be trivially copyable, or gas::RowOf<T> for a row of numbers whose width is "
      "known at run time, or gas::ListOf<T> for a list (found a type that owns memory, is not "
      "default-constructible, or is a std::pair or std::tuple: use a struct)",
      Kind, present<Published> && !is_span<Published> && !PlainValue<Published>)
  GAS_REFUSE(
      "Published must be comparable with ==: add bool operator==(const Published&) const = default",
      Kind, present<Published> && !is_span<Published> && !HasEquals<Published>)
  GAS_REFUSE(
      "found an Accumulator that is not trivially copyable and default-constructible, as one that "
      "owns memory, or gas::Sum of what is no number; expected a struct with +=, or, for a length "
      "known at run time, gas::VectorSum<T>, gas::Histogram, gas::List<T> or gas::Counts<T>",
      Kind, present<Accumulator> && !HasElement<Accumulator> && !PlainValue<Accumulator>)
  GAS_REFUSE("Accumulator has no operator+= that takes another one", Kind,
             present<Accumulator> && !HasElement<Accumulator> && !AnyAccumulator<Accumulator>)
  GAS_REFUSE(
      "Accumulator must be trivially copyable with +=; or a row (Element, constructor from "
      "std::span<Element>, elements(), static combine(Element&, Element)); or a list (Element, "
      "elements() const, add(std::span<const Element>), clear())",
      Kind, present<Accumulator> && !AnyAccumulator<Accumulator>)
  GAS_REFUSE("the elements of a published list must be comparable with ==", Kind, [] {
    if constexpr (is_list<Published>) return !HasEquals<typename Published::Element>;
    return false;
  }())
  GAS_REFUSE("a list Accumulator cannot be running: lists have no differences", Kind,
             ListAccumulator<Accumulator> && is_running<Accumulator>)
  GAS_REFUSE(
      "running has the wrong form: static constexpr bool running = true", Kind,
      requires { Accumulator::running; } && !FlagsRunning<Accumulator>)
  GAS_REFUSE(
      "idempotent has the wrong form: static constexpr bool idempotent = true", Kind,
      requires { Accumulator::idempotent; } && !FlagsIdempotent<Accumulator>)
  GAS_REFUSE(
      "found `runing` or `is_running` in an Accumulator: the flag is named running", Kind,
      requires { Accumulator::runing; } || requires { Accumulator::is_running; })
  GAS_REFUSE("Input must be gas::RowOf<float> or gas::RowOf<double>", Kind,
             present<InputType<Kind>> && !std::is_same_v<InputType<Kind>, RowOf<float>> &&
                 !std::is_same_v<InputType<Kind>, RowOf<double>>)
  return near_kind_types<Kind>() && near_kind_flags<Kind>();
}

/// What the program names beside its kinds.
template <class Program>
constexpr bool program_members() {
  using Summary = SummaryType<Program>;
  using First = FirstKind<Program>;
  using Second = std::conditional_t<TwoKinds<Program>, ParameterType<Program>, First>;
  GAS_REFUSE(
      "Published belongs in a kind: found it in the program, and in no kind", Program, requires {
        typename Program::Published;
      } && !present<PublishedType<First>> && !present<PublishedType<Second>>)
  GAS_REFUSE(
      "Accumulator belongs in a kind: found it in the program, and in no kind", Program, requires {
        typename Program::Accumulator;
      } && !has_accumulator<First> && !has_accumulator<Second>)
  GAS_REFUSE(
      "activity, gathers_along, whole and gathers_changes belong in a kind: found one in the "
      "program",
      Program,
      requires { Program::activity; } || requires { Program::whole; } ||
          requires { Program::gathers_along; } || requires { Program::gathers_changes; })
  GAS_REFUSE(
      "stands has the wrong form: static constexpr gas::Stands stands{.bound = 2}, or stands = "
      "gas::any_staleness",
      Program, requires { Program::stands; } && !FlagsStands<Program>)
  GAS_REFUSE(
      "gathers_along is for programs with one kind, Vertex: Data and Parameter always gather along "
      "all of their edges",
      Program,
      TwoKinds<Program> &&
          (
              requires { First::gathers_along; } || requires { Second::gathers_along; }))
  GAS_REFUSE(
      "with scatter, gathers_along must be in or out: with both, the two ends would change an edge "
      "at the same time",
      Program, names_scatter<Program> && along_of<First> == Along::both)
  GAS_REFUSE("found bool as Edge, expected std::uint8_t for it", Program,
             is_bool<EdgeType<Program>>)
  GAS_REFUSE("Edge must be trivially copyable and default-constructible, as float is", Program,
             !PlainValue<EdgeType<Program>>)
  GAS_REFUSE(
      "found gas::RowOf as Summary, expected a type with +=: for a row of sums, gas::VectorSum<T>",
      Program, is_row<Summary>)
  GAS_REFUSE(
      "Summary must be trivially copyable and default-constructible with +=, or a view of a row: "
      "gas::VectorSum<T> or gas::Histogram (found a type that owns memory)",
      Program,
      present<Summary> &&
          (ListAccumulator<Summary> || (!HasElement<Summary> && !PlainValue<Summary>)))
  GAS_REFUSE("Summary has no operator+= that takes another one", Program,
             present<Summary> && !AnyAccumulator<Summary> && !is_number_array<Summary>)
  GAS_REFUSE("Summary must not be running: it is added up anew in every step", Program,
             is_running<Summary>)
  GAS_REFUSE("Scratch must be default-constructible", Program,
             !std::is_default_constructible_v<ScratchType<Program>>)
  return near_program_types<Program>() && near_program_flags<Program>() &&
         no_hook_in_a_kind<Program, First, Second>() && near_hooks<Program>();
}

template <class Program>
constexpr bool kind_types() {
  if constexpr (TwoKinds<Program>) {
    if constexpr (!kind_type<DataType<Program>>())
      return false;
    else
      return kind_type<ParameterType<Program>>();
  } else {
    return kind_type<VertexType<Program>>();
  }
}

/// All of the above, in an order in which each needs only what is right so far.
template <class Program>
constexpr bool check_members() {
  if constexpr (!program_type<Program>())
    return false;
  else if constexpr (!kind_types<Program>())
    return false;
  else
    return program_members<Program>();
}

}  // namespace gas::checks
