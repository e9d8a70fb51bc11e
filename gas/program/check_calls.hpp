#pragma once

#include "gas/program/check.hpp"
#include "gas/program/hooks.hpp"

namespace gas::checks {

// The forms of hooks, for a program whose members are right. Where a hook has none of the forms
// that the engine calls, it is called in ways that are wrong, to find what to say. What the
// template parameters of these functions are is in the compiler's message: the types that were
// looked for.

/// Stands for an argument of any type.
struct Any {
  template <class T>
  operator T&() const;
};
/// Stands for an Own of any type.
struct AnyOwn {
  template <class T>
  operator Own<T>&() const;
};
using detail::Just;
/// Stands for a number of any type but T.
template <class T>
struct Another {
  template <class U>
  requires(std::is_arithmetic_v<U> && !std::same_as<U, T>) operator U() const;
};
/// No conversion, no copy: only `auto&` and its like take it.
struct Opaque {
  Opaque(const Opaque&) = delete;
};

template <class T, class R>
concept Exactly = std::same_as<std::remove_cvref_t<R>, T>;

#define GAS_CALLS(Concept, hook)                                                    \
  template <class P, class... A>                                                    \
  concept Concept = requires(const P& p, std::remove_reference_t<A>&... a) {        \
    p.hook(static_cast<A>(a)...);                                                   \
  };                                                                                \
  template <class P, class... A>                                                    \
  concept Concept##Changing = requires(P & p, std::remove_reference_t<A> & ... a) { \
    p.hook(static_cast<A>(a)...);                                                   \
  };                                                                                \
  /* A member function with exactly these parameters. */                            \
  template <class P, class R, class... A>                                           \
  concept Concept##Taking = requires {                                              \
    static_cast<R (P::*)(A...) const>(&P::hook);                                    \
  }                                                                                 \
  || requires { static_cast<R (*)(A...)>(&P::hook); };                              \
  template <class P, class... A>                                                    \
  using Concept##Result = decltype(std::declval<const P&>().hook(std::declval<A>()...));
GAS_CALLS(CallsInit, init)
GAS_CALLS(CallsInitiallyActive, initially_active)
GAS_CALLS(CallsGather, gather)
GAS_CALLS(CallsGatherBlock, gather_block)
GAS_CALLS(CallsApply, apply)
GAS_CALLS(CallsScatter, scatter)
GAS_CALLS(CallsPush, push)
GAS_CALLS(CallsPublishes, publishes)
GAS_CALLS(CallsPriority, priority)
GAS_CALLS(CallsConverged, converged)
GAS_CALLS(CallsBeforeStep, before_step)
GAS_CALLS(CallsWidth, width)
GAS_CALLS(CallsReads, reads)
#undef GAS_CALLS

}  // namespace gas::checks
