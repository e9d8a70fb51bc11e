#pragma once

#include "gas/engine/gather/push.hpp"

namespace gas {

/// What was pushed to `mirrors`, which are woken, goes to their masters, and what comes is kept:
/// touched(v) for each master that got something, whose flag is set. For those that have_left(v)
/// nothing is kept. `mirrors` is empty then, and not woken. Running accumulators go as what was
/// added since.
template <class P, class K, class HaveLeft, class Touched>
void exchange_pushed(Core<P>& core, KindRun<P, K>& kind, std::vector<LocalId>& mirrors,
                     HaveLeft have_left, Touched touched) {
  const std::uint64_t tag = message_tag_of(core.context.step.round, 0, Channel::totals);
  auto& kept = kind.pushed.kept;
  std::uint8_t* const flags = kind.store.woken.flags();
  VertexSet& woken = kind.store.woken;
  woken.relist(mirrors);
  woken.sort();
  woken.for_each([&](LocalId v) {
    kind.partials.put_mirror(v, kept[v]);
    if constexpr (pushes_once<K>) kept[v] = {};
  });
  kind.partials.send(core.mailbox, tag, woken, [](LocalId) { return true; });
  for (const LocalId v : mirrors) flags[v] = 0;
  mirrors.clear();
  std::vector<LocalId> got;
  kind.partials.receive(core.mailbox, tag, [&](LocalId v) {
    if (std::exchange(flags[v], std::uint8_t{1}) == 0) got.push_back(v);
  });
  for (const LocalId v : got) {
    AccumulatorType<K> sum{};
    kind.partials.sum(v, sum);
    if (have_left(v)) {
      flags[v] = 0;
      continue;
    }
    keep_more<false>(kept[v], sum);
    touched(v);
  }
}

/// What the masters `changed` publish goes to their mirrors; heard(v) for each mirror whose value
/// came. `changed` is empty then, and nothing marked as changed.
template <class P, class K, class Heard>
void exchange_changed(Core<P>& core, KindRun<P, K>& kind, std::vector<LocalId>& changed,
                      Heard heard) {
  const std::uint64_t tag = message_tag_of(core.context.step.round, 0, Channel::values);
  Store<P, K>& store = kind.store;
  store.changed.relist(changed);
  store.changed.sort();
  for (const LocalId v : changed) store.published.keep(v);
  kind.values.send(core.mailbox, store, tag);
  for (const LocalId v : changed) store.changed.flags()[v] = 0;
  changed.clear();
  store.changed.relist({});
  kind.values.receive(core.mailbox, store, tag);
  store.changed.for_each([&](LocalId v) {
    store.published.show(v);
    heard(v);
  });
  store.changed.clear();
}

}  // namespace gas
