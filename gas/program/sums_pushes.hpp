#pragma once

#include "gas/program/check_calls.hpp"

namespace gas {

/// Has the program an apply that takes this kind, be it of a wrong form?
template <class P, class K, class V>
concept NamesApplyOf = applies<P, K, V> || checks::CallsApply<P, K&, checks::Any&> ||
    checks::CallsApply<P, K&, checks::Any&, checks::Any&> ||
    checks::CallsApply<P, K&, checks::Any&, checks::Any&, checks::Any&> ||
    checks::CallsApplyChanging<P, K&, checks::Any&, checks::Any&> ||
    checks::CallsApplyChanging<P, K&, checks::Any&, checks::Any&, checks::Any&>;

/// Does the accumulator hold what the kind publishes?
template <class K>
concept HoldsPublished = is_running<AccumulatorType<K>> && requires(AccumulatorType<K>& total) {
  { total.value } -> std::same_as<PublishedType<K>&>;
};

/// A parameter kind without apply, as a parameter server keeps: data vertices push differences to
/// it, and what they pull is the sum of all of them. Its accumulator is a running one that holds
/// what the kind publishes.
template <class P, class K, class V>
constexpr bool sums_pushes = [] {
  if constexpr (fused<P> && HoldsPublished<K> && names_apply<P>)
    return std::same_as<K, ParameterType<P>> && !NamesApplyOf<P, K, V>;
  return false;
}();

/// apply, or what stands for it where a parameter kind has none.
template <class P, class K, class Accumulator, class V>
[[gnu::always_inline]] inline decltype(auto) applied(const P& program, K& state, Accumulator& total,
                                                     V& visit) {
  if constexpr (sums_pushes<P, K, V>)
    return total.value;
  else
    return program.apply(state, total, visit);
}

}  // namespace gas
