#pragma once

#include "gas/engine/store/store.hpp"
#include "gas/program/sums_pushes.hpp"

namespace gas {

/// Changes of boundary vertices that nobody watches are found by comparing the two arrays of a
/// snapshot kind, all at once, before they are sent.
template <class P, class K>
constexpr bool compares_late =
    OneKind<P> && !watches_changes<P, K> && !is_span<PublishedType<K>> && present<PublishedType<K>>;

/// Is the change from `before` to `now` one that others learn of? By the program's publishes(),
/// else if they differ.
template <class P, class K>
bool is_published(const P& program, const K& state, PublishedRead<K> before, PublishedRead<K> now) {
  if constexpr (requires { program.publishes(state, before, now); }) {
    return program.publishes(state, before, now);
  } else if constexpr (requires { program.publishes(before, now); }) {
    return program.publishes(before, now);
  } else if constexpr (is_span<PublishedType<K>>) {
    return !std::ranges::equal(before, now);
  } else {
    return !(before == now);
  }
}

/// The only place where a vertex gets a value: runs `hook` (init or apply; for rows `hook(out)`)
/// for v, checks what it gives for NaN, and hands it to `keep`.
template <class P, class K, class Hook, class Keep>
[[gnu::always_inline]] inline void publish(Store<P, K>& store, LocalId v, Out<PublishedType<K>> out,
                                           Hook hook, Keep keep) {
  if constexpr (!present<PublishedType<K>>) {
    hook();
  } else if constexpr (is_span<PublishedType<K>>) {
    hook(out);
    if (is_nan(out)) store.throw_nan(v);
    keep(PublishedRead<K>(out));
  } else {
    const auto now = static_cast<PublishedType<K>>(hook());
    if (is_nan(now)) store.throw_nan(v);
    keep(now);
  }
}

/// keep: stored, and marked if it is a change. A snapshot kind's value is compared with what its
/// readers still see.
template <class P, class K, class Now>
[[gnu::always_inline]] inline void keep_change(const P& program, Store<P, K>& store, LocalId v,
                                               const Now& now) {
  const bool differs = is_published<P, K>(program, store.state[v], store.published[v], now);
  store.changed.flags()[v] = differs;
  if (differs)
    store.published.set(v, now);
  else
    store.published.keep(v);
}

/// Applies v and publishes what it gives to all readers. Vertices whose changes nobody watches are
/// not compared, and write their rows in place.
template <class P, class K, class Accumulator, class V>
[[gnu::always_inline]] inline void apply_and_publish(const P& program, Store<P, K>& store,
                                                     LocalId v, Accumulator& total, V& visit,
                                                     std::size_t w) {
  K& state = store.state[v];
  if constexpr (!present<PublishedType<K>>) {
    publish<P, K>(
        store, v, {}, [&] { program.apply(state, total, visit); }, 0);
  } else {
    const bool watched =
        watches_changes<P, K> || (!compares_late<P, K> && v >= store.layout().interior);
    const auto keep = [&](const auto& now) {
      if (watched)
        keep_change(program, store, v, now);
      else if constexpr (!is_span<PublishedType<K>>)
        store.published.set(v, now);
    };
    if constexpr (is_span<PublishedType<K>>) {
      Out<PublishedType<K>> out = watched ? store.out_row(w) : store.published.next(v);
      if (watched || Store<P, K>::snapshot)
        write_out(store.published[v], out);  // what apply leaves alone stays
      publish<P, K>(
          store, v, out, [&](auto&& row) { program.apply(state, total, row, visit); }, keep);
    } else {
      publish<P, K>(
          store, v, {}, [&] { return applied(program, state, total, visit); }, keep);
    }
  }
}

}  // namespace gas
