#pragma once

#include "gas/program/check.hpp"
#include "gas/program/hooks.hpp"

namespace gas::checks {

// Names that are nearly those of hooks, member types and flags, of which the compiler can say what
// was meant: misspellings, and words that other systems use for the same. A data member may have
// any of them. A type, a flag or a word may, too, where the right one is there beside it.

// Of functions these are misspellings, which are never meant,
#define GAS_MISSPELT_HOOKS(X)              \
  X(inits, init)                           \
  X(init_, init)                           \
  X(intit, init)                           \
  X(inti, init)                            \
  X(initialy_active, initially_active)     \
  X(initial_active, initially_active)      \
  X(intially_active, initially_active)     \
  X(is_initially_active, initially_active) \
  X(before_steps, before_step)             \
  X(beforestep, before_step)               \
  X(befor_step, before_step)               \
  X(gater, gather)                         \
  X(gathr, gather)                         \
  X(gahter, gather)                        \
  X(gather_, gather)                       \
  X(gather_blocks, gather_block)           \
  X(gatherblock, gather_block)             \
  X(block_gather, gather_block)            \
  X(gather_bloc, gather_block)             \
  X(aply, apply)                           \
  X(appply, apply)                         \
  X(appy, apply)                           \
  X(apply_, apply)                         \
  X(scater, scatter)                       \
  X(scattter, scatter)                     \
  X(scatter_, scatter)                     \
  X(push_, push)                           \
  X(publised, publishes)                   \
  X(publishs, publishes)                   \
  X(publises, publishes)                   \
  X(convergd, converged)                   \
  X(priorty, priority)                     \
  X(read_, reads)                          \
  X(width_, width)                         \
  X(widht, width)                          \
  X(witdh, width)                          \
  X(Init, init)                            \
  X(initiallyActive, initially_active)     \
  X(InitiallyActive, initially_active)     \
  X(beforeStep, before_step)               \
  X(BeforeStep, before_step)               \
  X(Gather, gather)                        \
  X(gatherBlock, gather_block)             \
  X(GatherBlock, gather_block)             \
  X(Apply, apply)                          \
  X(Scatter, scatter)                      \
  X(Push, push)                            \
  X(Publishes, publishes)                  \
  X(Converged, converged)                  \
  X(hasConverged, converged)               \
  X(Priority, priority)                    \
  X(Reads, reads)                          \
  X(Width, width)

// and these are words, which a program may have for itself beside the hook.
#define GAS_OTHER_HOOK_WORDS(X)      \
  X(start, init)                     \
  X(initialise, init)                \
  X(initialize, init)                \
  X(starts, initially_active)        \
  X(starts_active, initially_active) \
  X(prepare, before_step)            \
  X(before_round, before_step)       \
  X(gathers, gather)                 \
  X(applies, apply)                  \
  X(scatters, scatter)               \
  X(pushes, push)                    \
  X(significant, publishes)          \
  X(is_significant, publishes)       \
  X(publish, publishes)              \
  X(should_publish, publishes)       \
  X(converge, converged)             \
  X(converges, converged)            \
  X(has_converged, converged)        \
  X(is_converged, converged)         \
  X(prioritise, priority)            \
  X(prioritize, priority)            \
  X(priorities, priority)            \
  X(read, reads)                     \
  X(reading, reads)                  \
  X(widths, width)

#define GAS_NEAR_HOOKS(X) GAS_MISSPELT_HOOKS(X) GAS_OTHER_HOOK_WORDS(X)

#define GAS_NEAR_PROGRAM_TYPES(X) \
  X(Edges, Edge)                  \
  X(EdgeData, Edge)               \
  X(EdgeType, Edge)               \
  X(Egde, Edge)                   \
  X(edge, Edge)                   \
  X(Summery, Summary)             \
  X(Sumary, Summary)              \
  X(Summaries, Summary)           \
  X(summary, Summary)             \
  X(Scrach, Scratch)              \
  X(scratch, Scratch)             \
  X(Pack, Packed)                 \
  X(packed, Packed)

#define GAS_NEAR_KIND_TYPES(X) \
  X(Publish, Published)        \
  X(Publishes, Published)      \
  X(Publised, Published)       \
  X(Publishd, Published)       \
  X(Pubished, Published)       \
  X(published, Published)      \
  X(Total, Accumulator)        \
  X(Totals, Accumulator)       \
  X(Acumulator, Accumulator)   \
  X(Accumulater, Accumulator)  \
  X(Accummulator, Accumulator) \
  X(Accumulators, Accumulator) \
  X(Accumulated, Accumulator)  \
  X(accumulator, Accumulator)  \
  X(Offer, Offers)             \
  X(Offered, Offers)           \
  X(offers, Offers)            \
  X(Inputs, Input)             \
  X(input, Input)

#define GAS_NEAR_PROGRAM_FLAGS(X) \
  X(stand, stands)                \
  X(stands_, stands)              \
  X(Stands, stands)

#define GAS_NEAR_KIND_FLAGS(X)        \
  X(active, activity)                 \
  X(activ, activity)                  \
  X(actvity, activity)                \
  X(activities, activity)             \
  X(always_active, activity)          \
  X(gather_along, gathers_along)      \
  X(gathers, gathers_along)           \
  X(along, gathers_along)             \
  X(gather_changes, gathers_changes)  \
  X(gathers_change, gathers_changes)  \
  X(gathers_changed, gathers_changes) \
  X(unsplit, whole)                   \
  X(wholly, whole)                    \
  X(is_whole, whole)                  \
  X(hole, whole)                      \
  X(Activity, activity)               \
  X(gathersAlong, gathers_along)      \
  X(gathersChanges, gathers_changes)

struct NearHooks {
#define GAS_NEAR(found, meant) int found;
  GAS_NEAR_HOOKS(GAS_NEAR)
#undef GAS_NEAR
};
template <class P>
struct NearHooksProbe : P, NearHooks {};

// As data, or as a type.
#define GAS_HOLDS(name)                                                      \
  template <class P>                                                         \
  concept Holds_##name = requires {                                          \
    requires !std::is_function_v<std::remove_pointer_t<decltype(&P::name)>>; \
    requires !std::is_member_function_pointer_v<decltype(&P::name)>;         \
  }                                                                          \
  || requires { typename P::name; };

#define GAS_NEAR(found, meant)       \
  template <class P>                 \
  concept Lacks_##found = requires { \
    &NearHooksProbe<P>::found;       \
  };                                 \
  GAS_HOLDS(found)
GAS_NEAR_HOOKS(GAS_NEAR)
#undef GAS_NEAR

/// No function of the program is named nearly as a hook.
template <class Program>
constexpr bool near_hooks() {
#define GAS_NEAR(found, meant)                                         \
  GAS_REFUSE("found `" #found "`: the hook is named " #meant, Program, \
             !Lacks_##found<Program> && !Holds_##found<Program>)
  GAS_MISSPELT_HOOKS(GAS_NEAR)
#undef GAS_NEAR
#define GAS_NEAR(found, meant)                                         \
  GAS_REFUSE("found `" #found "`: the hook is named " #meant, Program, \
             !names_##meant<Program> && !Lacks_##found<Program> && !Holds_##found<Program>)
  GAS_OTHER_HOOK_WORDS(GAS_NEAR)
#undef GAS_NEAR
  return true;
}

// Hooks that every program may leave out: where one stands in a kind, nothing else would tell.
#define GAS_PROGRAM_HOOKS(X) \
  X(init)                    \
  X(initially_active)        \
  X(before_step)             \
  X(scatter)                 \
  X(publishes)               \
  X(converged)               \
  X(priority)                \
  X(reads)

#define GAS_MISPLACED(hook) \
  GAS_HOLDS(hook)           \
  template <class K>        \
  constexpr bool misplaces_##hook = names_##hook<K> && !Holds_##hook<K>;
GAS_PROGRAM_HOOKS(GAS_MISPLACED)
#undef GAS_MISPLACED
#undef GAS_HOLDS

/// No function of a kind is named as a hook that the program lacks.
template <class Program, class First, class Second>
constexpr bool no_hook_in_a_kind() {
#define GAS_MISPLACED(hook)                                                              \
  GAS_REFUSE("the hook `" #hook "` belongs in the program: found it in a kind", Program, \
             !names_##hook<Program> && (misplaces_##hook<First> || misplaces_##hook<Second>))
  GAS_PROGRAM_HOOKS(GAS_MISPLACED)
#undef GAS_MISPLACED
  return true;
}
#undef GAS_PROGRAM_HOOKS

#define GAS_NEAR(found, meant)                            \
  GAS_REFUSE(                                             \
      "found `" #found "`: the type is named " #meant, T, \
      requires { typename T::found; } && !requires { typename T::meant; })

/// No type of the program is named nearly as one that the engine looks for.
template <class T>
constexpr bool near_program_types() {
  GAS_NEAR_PROGRAM_TYPES(GAS_NEAR)
  return true;
}
/// The same of a kind.
template <class T>
constexpr bool near_kind_types() {
  GAS_NEAR_KIND_TYPES(GAS_NEAR)
  return true;
}
#undef GAS_NEAR

/// The same of its flags.
template <class T>
constexpr bool near_kind_flags() {
#define GAS_NEAR(found, meant)                                                 \
  GAS_REFUSE(                                                                  \
      "found `" #found "`: the flag is named " #meant, T,                      \
      requires {                                                               \
        requires std::is_object_v<std::remove_pointer_t<decltype(&T::found)>>; \
        requires std::is_pointer_v<decltype(&T::found)>;                       \
      } && !requires { T::meant; })
  GAS_NEAR_KIND_FLAGS(GAS_NEAR)
  return true;
}
/// The same of the program's.
template <class T>
constexpr bool near_program_flags() {
  GAS_NEAR_PROGRAM_FLAGS(GAS_NEAR)
#undef GAS_NEAR
  return true;
}

#undef GAS_NEAR_HOOKS
#undef GAS_MISSPELT_HOOKS
#undef GAS_OTHER_HOOK_WORDS
#undef GAS_NEAR_PROGRAM_TYPES
#undef GAS_NEAR_KIND_TYPES
#undef GAS_NEAR_KIND_FLAGS
#undef GAS_NEAR_PROGRAM_FLAGS

}  // namespace gas::checks
