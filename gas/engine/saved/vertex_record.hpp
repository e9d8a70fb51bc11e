#pragma once

#include "gas/checkpoint/archive.hpp"
#include "gas/engine/core.hpp"

namespace gas {

/// Are the running accumulators of kind K's masters part of its state?
template <class K>
constexpr bool saves_running = [] {
  if constexpr (has_accumulator<K>) return is_running<AccumulatorType<K>> && !gathers_changes<K>;
  return false;
}();
/// Are its published values? Those of fused data vertices are formed anew in every round, but rows
/// from what they were.
template <class P, class K>
constexpr bool saves_published = present<PublishedType<K>> &&
                                 (!fused<P> || !std::is_same_v<K, FirstKind<P>> ||
                                  names_publishes<P> || is_row<PublishedType<K>>);

/// What the flags of a vertex say: it is to be visited; it published a change in the last step; it
/// asked for another visit.
enum VertexFlag : std::uint8_t { is_woken = 1, has_changed = 2, asked_again = 4 };

template <class P, class K>
std::uint8_t flags_of(const Store<P, K>& store, LocalId v) {
  return static_cast<std::uint8_t>((store.woken.has(v) ? is_woken : 0) |
                                   (store.changed.has(v) ? has_changed : 0) |
                                   (store.again[v] != 0 ? asked_again : 0));
}
template <class P, class K>
void add_flags(Store<P, K>& store, LocalId v, std::uint8_t flags) {
  if ((flags & is_woken) != 0) store.woken.flags()[v] = 1;
  if ((flags & has_changed) != 0) store.changed.flags()[v] = 1;
  if ((flags & asked_again) != 0) store.again[v] = 1;
}

namespace detail {

template <class A, class P, class K>
void published_value(A& archive, Store<P, K>& store, LocalId v) {
  using Published = PublishedType<K>;
  if constexpr (is_list<Published>) {
    std::vector<typename Published::Element> list;
    if constexpr (!A::loads) list.assign(store.published[v].begin(), store.published[v].end());
    archive& list;
    if constexpr (A::loads) store.published.set(v, list);
  } else if constexpr (is_row<Published>) {
    if constexpr (A::loads) {
      archive& store.published.next(v);
    } else {
      std::span<const typename Published::Element> row = store.published[v];
      archive& row;
    }
  } else {
    Published value = store.published[v];
    archive.bytes(&value, sizeof value);
    if constexpr (A::loads) store.published.set(v, value);
  }
}

template <class A, class Accumulator>
void accumulator(A& archive, AccumulatorArray<Accumulator>& from, LocalId v) {
  if constexpr (SmallAccumulator<Accumulator>)
    archive& from[v];
  else if constexpr (ListAccumulator<Accumulator>)
    archive& from.row(v);
  else
    archive& std::span(from.row(v));
}

}  // namespace detail

/// What a checkpoint holds of one master of either kind, whatever rank it is on.
template <class A, class P, class K>
void vertex_record(A& archive, KindRun<P, K>& kind, LocalId v) {
  Store<P, K>& store = kind.store;
  if constexpr (can_be_saved<K>) archive& store.state[v];  // else nothing is saved at all
  if constexpr (saves_published<P, K>) detail::published_value(archive, store, v);
  if constexpr (saves_running<K>) detail::accumulator(archive, store.running, v);
  std::uint8_t flags = A::loads ? 0 : flags_of(store, v);
  archive& flags;
  if constexpr (A::loads) {
    store.woken.flags()[v] = store.changed.flags()[v] = store.again[v] = 0;
    add_flags(store, v, flags);
  }
}

}  // namespace gas
