#pragma once

#include "gas/engine/core.hpp"
#include "gas/engine/gather/gather.hpp"

namespace gas {

/// The partial accumulator of edges [first, last) of vertex `v` of kind K, pulled from `values` of
/// the other ends; for a row or list accumulator worker `w`'s own.
template <class P, class K, class Values>
[[gnu::always_inline]] inline decltype(auto) pull_from(Core<P>& core, KindRun<P, K>& kind,
                                                       const Values& values, LocalId v,
                                                       EdgeOffset first, EdgeOffset last,
                                                       std::size_t w) {
  using Accumulator = AppliedAccumulator<K>;
  if constexpr (!gathers<P, K>)
    return Accumulator{};
  else {
    core.workers[w].counters.gathers += last - first;
    constexpr bool indexed =
        (TwoKinds<P> && std::is_same_v<K, ParameterType<P>>) || along_of<K> != Along::in;
    const Adjacency& a = *kind.store.adjacency;
    const LocalId* neighbours = nullptr;
    if constexpr (!gathers_edges_only<P, K>) neighbours = a.neighbours.data() + first;
    const LocalId* const index = indexed ? a.edges.data() + first : nullptr;
    const EdgeType<P>* data = core.edges;
    if constexpr (!indexed && present<EdgeType<P>>) data += data == nullptr ? 0 : first;
    const auto gathered = [&](const auto&... own) -> decltype(auto) {
      if constexpr (!SmallAccumulator<Accumulator>) {
        using Ref = typename WorkingAccumulator<Accumulator>::Ref;
        Ref total = kind.store.fresh(w);
        gather_row<P, K, indexed>(core.program, total, values, neighbours, index, data,
                                  last - first, own...);
        return static_cast<Ref>(total);
      } else {
        return gather_small<P, K, indexed>(core.program, values, neighbours, index, data,
                                           last - first, own...);
      }
    };
    if constexpr (reads_own<P, K>)
      return gathered(Own<PublishedType<K>>{kind.store.published[v]});
    else
      return gathered();
  }
}

/// The accumulator of all edges of v here, pulled from kind O's published values.
template <class P, class K, class O>
[[gnu::always_inline]] inline decltype(auto) pull_all(Core<P>& core, KindRun<P, K>& kind,
                                                      const KindRun<P, O>& other, LocalId v,
                                                      std::size_t w) {
  const Adjacency* a = kind.store.adjacency;
  return pull_from(core, kind, values_of<P, O>(other.store.published), v, a ? a->offsets[v] : 0,
                   a ? a->offsets[v + 1] : 0, w);
}

}  // namespace gas
