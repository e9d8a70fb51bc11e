#pragma once

#include "gas/engine/run_options.hpp"
#include "gas/engine/schedule/async_visits.hpp"
#include "gas/program/stands.hpp"

namespace gas {

/// Can the vertices of P, of the one kind K, be visited colour by colour?
template <class P, class K>
constexpr bool can_be_coloured =
    OneKind<P>&& gathers_values<P, K> && !names_scatter<P> && !by_id<P, K>;

/// What decides which settings a program allows.
struct ProgramFacts {
  Stands stands;
  bool declares_stands = false;
  bool visits_in_place = false;  // in async
  bool names_priority = false;
  bool names_converged = false;
  bool visits_by_bucket = false;
  bool pushes_once = false;
  bool by_id = false;
  bool two_kinds = false;
  bool can_be_coloured = false;
};
template <class P>
constexpr bool declares_stands = requires {
  P::stands;
};
template <class P, class K>
constexpr ProgramFacts facts_of{.stands = stands_of<P>,
                                .declares_stands = declares_stands<P>,
                                .visits_in_place = visits_async<P, K>,
                                .names_priority = names_priority<P>,
                                .names_converged = names_converged<P>,
                                .visits_by_bucket = visits_by_bucket<P, K>,
                                .pushes_once = pushes_once<K>,
                                .by_id = by_id<P, K>,
                                .two_kinds = TwoKinds<P>,
                                .can_be_coloured = can_be_coloured<P, K>};

/// Throws UsageError at settings that the program does not allow, with the reason. Local.
void check_options(const RunOptions& options, const ProgramFacts& program);

}  // namespace gas
