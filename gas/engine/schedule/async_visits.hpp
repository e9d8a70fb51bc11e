#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <type_traits>

#include "gas/engine/gather/pull.hpp"
#include "gas/engine/schedule/active_units.hpp"
#include "gas/engine/schedule/async_notes.hpp"
#include "gas/engine/schedule/async_pushes.hpp"

namespace gas {

/// Published values that other threads write meanwhile: each is read whole.
template <class T>
struct SharedValues {
  T* values;
  T operator[](LocalId v) const {
    return std::atomic_ref<T>(values[v]).load(std::memory_order_relaxed);
  }
};

template <class T>
constexpr bool can_be_shared = false;
template <class T>
requires std::is_trivially_copyable_v<T> &&(sizeof(T) <= 8) &&
    (!is_span<T>)constexpr bool can_be_shared<T> =
    std::atomic_ref<T>::is_always_lock_free && alignof(T) >= std::atomic_ref<T>::required_alignment;

/// Can a round of P visit its vertices asynchronously: each reads what its neighbours publish as
/// soon as they do?
template <class P, class K>
constexpr bool visits_async = OneKind<P>&& gathers_values<P, K> && !names_scatter<P> &&
                              !by_id<P, K> && can_be_shared<PublishedType<K>>;

/// Asynchronous rounds of a plain graph on one rank: no barrier within a round. Once a unit of
/// vertices has been visited, the readers of those that published a change are activated. Vertices
/// that gather changes are pushed to during the visit; then only those are activated whose
/// accumulator that changed. A round ends when none is active, or after as many visits as there are
/// vertices, so that ranks hear from each other. Where every vertex is active in every round, a
/// round is one visit of each.
///
/// Memory: 3 bytes per vertex more than synchronous runs, what make_readers takes, for vertices
/// that gather changes what is pushed to them, and each thread's notes.
template <class P, class K>
class AsyncVisits {
 public:
  using Value = PublishedType<K>;

  /// Vertices woken so far are active. The kind's values must stand in both of its arrays.
  void begin(Core<P>& core, KindRun<P, K>& kind, Order order) {
    order_ = order;
    notes_.begin(core, kind);
    const LocalId locals = kind.layout().locals();
    touched_.resize(locals);
    touched_.unlist();
    kind.store.changed.clear();
    kind.store.changed.unlist();  // visits set flags
    units_.reset(locals, core.workers.size(), order == Order::priority ? priorities : 1);
    if constexpr (!always_active)
      for (LocalId v = 0; v < locals; ++v)
        if (kind.store.woken.has(v)) units_.activate(v, 0);
  }

  /// Vertices that are active still are woken.
  void end(KindRun<P, K>& kind) {
    if constexpr (!always_active) {
      kind.store.woken.clear();
      if (!units_.queue.finished())
        for (LocalId v = 0; v < kind.layout().locals(); ++v)
          if (units_.wanted(v)) kind.store.woken.add(v);
    }
    kind.store.published.keep_all();
  }

  /// Is there something to visit? Takes over what asked for another visit.
  bool has_work(KindRun<P, K>& kind) requires(!KindRun<P, K>::every_round) {
    std::uint8_t* const again = kind.store.again.data();
    std::uint8_t* const end = again + kind.layout().masters();
    for (std::uint8_t* asked = again; asked != end; ++asked) {
      const auto left = static_cast<std::size_t>(end - asked);
      asked = static_cast<std::uint8_t*>(std::memchr(asked, 1, left));
      if (asked == nullptr) break;
      *asked = 0;
      units_.activate(static_cast<LocalId>(asked - again), 0);
    }
    return !units_.queue.finished();
  }

  /// Did a visit of the last round change what a vertex publishes?
  bool changed() const { return changed_.load(std::memory_order_relaxed); }

  /// Takes in what has arrived of other ranks and activates those whom it concerns.
  template <class Lag>
  void take_in(Core<P>& core, KindRun<P, K>& kind, Lag lag) {
    kind.values.take(core.mailbox, kind.store, 0, lag, [&](LocalId v, auto update) {
      const Value before = kind.store.published[v];
      core.news = true;
      update();
      kind.store.changed.flags()[v] = 0;
      if constexpr (!always_active) {
        const Value now = kind.store.published[v];
        const std::uint32_t bucket = bucket_of(core, before, now);
        notes_.note(core, kind, v, now, bucket, 0);
        notes_.give(0, [&](std::span<const LocalId> concerned, std::uint32_t by) {
          for (const LocalId other : concerned) units_.activate(other, by);
        });
      }
    });
    if constexpr (has_accumulator<K>) {
      const bool news =
          kind.partials.take(core.mailbox, 0, lag, [&](LocalId v, auto&, std::size_t) {
            if constexpr (!always_active) units_.activate(v, 0);
          });
      core.news = core.news || news;
    }
  }

  /// One round; sends what changed.
  void round(Core<P>& core, KindRun<P, K>& kind) {
    if constexpr (always_active)
      for (LocalId v = 0; v < kind.layout().locals(); ++v) units_.activate(v, 0);
    changed_ = false;
    visits_ = 0;
    failed_ = false;
    const std::thread::id main = std::this_thread::get_id();
    core.visit_tasks(core.workers.size(), kind,
                     [&](std::size_t, std::size_t w, Visit<P, K>& visit) {
                       try {
                         work(core, kind, visit, w, std::this_thread::get_id() == main);
                       } catch (...) {
                         failed_ = true;  // or the others would wait for what is not done
                         units_.queue.wake();
                         throw;
                       }
                     });
    core.dawdle();
    const Step step = core.context.step;
    const auto tag = [&](Channel channel) { return message_tag_of(step.round, 0, channel); };
    kind.partials.send(core.mailbox, tag(Channel::totals), touched_, [](LocalId) { return true; });
    Store<P, K>& store = kind.store;
    for (LocalId v = kind.layout().interior; v < kind.layout().masters(); ++v)
      if (store.changed.has(v)) store.published.keep(v);
    kind.values.send(core.mailbox, store, tag(Channel::values));
    std::fill(store.changed.flags() + kind.layout().interior,
              store.changed.flags() + kind.layout().locals(), std::uint8_t{0});
    touched_.clear();
    touched_.unlist();
  }

 private:
  static constexpr bool always_active = KindRun<P, K>::every_round;
  static constexpr bool pushes = AsyncNotes<P, K>::pushes;
  static constexpr std::uint32_t priorities = 1024;
  static constexpr std::size_t ahead = 8;  // whose edges are prefetched

  std::uint32_t bucket_of(const Core<P>& core, const Value& before, const Value& now) const {
    if constexpr (names_priority<P>) {
      if (order_ == Order::priority)
        return std::min<std::uint32_t>(core.program.priority(before, now), priorities - 1);
    }
    return 0;
  }

  void work(Core<P>& core, KindRun<P, K>& kind, Visit<P, K>& visit, std::size_t w, bool main) {
    const std::uint64_t enough = kind.layout().locals();
    unsigned in_vain = 0;
    for (;;) {
      // Noted first: who ends the round says so, then raises the signals.
      const std::uint32_t signals = units_.queue.signals();
      if (failed_.load(std::memory_order_relaxed) ||
          (!always_active && visits_.load(std::memory_order_relaxed) >= enough))
        break;
      WorkQueue::Item item;
      if (units_.queue.pop(w, item)) {
        in_vain = 0;
        if (units_.enter(item)) {
          visit_unit(core, kind, item, visit, w);
          units_.leave(item.unit, w);
        }
        units_.queue.done();
      } else if (units_.queue.finished()) {
        return;
      } else if (!main) {
        units_.queue.wait(signals);
      } else if (++in_vain < 64) {  // messages must move on
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      if (main) core.mailbox.local_progress();
    }
    units_.queue.wake();  // the round is over for those who wait, too
  }

  void visit_unit(Core<P>& core, KindRun<P, K>& kind, WorkQueue::Item item, Visit<P, K>& visit,
                  std::size_t w) {
    std::array<LocalId, ActiveUnits::size> active;
    const std::size_t count = units_.take(item, active);
    visits_.fetch_add(count, std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; i += ahead) prefetch(kind, active[i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) prefetch_edges(kind, active[i + ahead]);
      visit_vertex(core, kind, active[i], visit, w);
      if constexpr (!always_active)
        if (i + 1 == count || notes_.many(w))
          units_.activate([&](auto want) { notes_.give(w, want); }, w);
    }
  }

  /// Along which v gathers or, where vertices are pushed to, pushes.
  void prefetch_edges(const KindRun<P, K>& kind, LocalId v) const {
    if constexpr (pushes)
      notes_.prefetch_edges(v);
    else
      __builtin_prefetch(kind.store.adjacency->neighbours.data() +
                         kind.store.adjacency->offsets[v]);
  }

  /// What visits of v and of some behind it read.
  void prefetch(const KindRun<P, K>& kind, LocalId v) const {
    if constexpr (!pushes) __builtin_prefetch(kind.store.adjacency->offsets.data() + v);
    if constexpr (!always_active) notes_.prefetch(v);
    __builtin_prefetch(kind.layout().rows.data() + v);
    __builtin_prefetch(kind.store.published.data() + v);
  }

  void visit_vertex(Core<P>& core, KindRun<P, K>& kind, LocalId v, Visit<P, K>& visit,
                    std::size_t w) {
    const VertexLayout& layout = kind.layout();
    const Adjacency& a = *kind.store.adjacency;
    const SharedValues<Value> values{kind.store.published.shared()};
    auto&& total = [&]() -> decltype(auto) {
      if constexpr (pushes)
        return AsyncPushes<P, K>::kept(kind, v);
      else
        return pull_from(core, kind, values, v, a.offsets[v], a.offsets[v + 1], w);
    }();
    if (v >= layout.masters()) {
      kind.partials.put_mirror(v, total);
      touched_.flags()[v] = 1;
      return;
    }
    visit.at(v);
    if (v >= layout.interior && kind.partials.expects()) {
      kind.partials.put_own(v, total);
      auto&& whole = kind.store.fresh(w);
      kind.partials.sum(v, whole);
      apply(core, kind, v, whole, visit, w);
    } else {
      apply(core, kind, v, total, visit, w);
    }
  }

  template <class Accumulator>
  void apply(Core<P>& core, KindRun<P, K>& kind, LocalId v, Accumulator& total, Visit<P, K>& visit,
             std::size_t w) {
    ++core.workers[w].counters.applies;
    const std::atomic_ref<Value> published(kind.store.published.shared()[v]);
    const Value before = published.load(std::memory_order_relaxed);
    K& state = kind.store.state[v];
    publish<P, K>(
        kind.store, v, {}, [&] { return applied(core.program, state, total, visit); },
        [&](const Value& now) {
          if (!is_published<P, K>(core.program, state, before, now)) return;
          if (!changed()) changed_.store(true, std::memory_order_relaxed);
          published.store(now, std::memory_order_relaxed);
          kind.store.changed.flags()[v] = 1;
          if constexpr (!always_active)
            notes_.note(core, kind, v, now, bucket_of(core, before, now), w);
        });
  }

  AsyncNotes<P, K> notes_;
  Order order_ = Order::sweep;
  VertexSet touched_;  // mirrors whose partial accumulators were formed anew
  ActiveUnits units_;
  std::atomic<std::uint64_t> visits_{0};  // in this round
  std::atomic<bool> changed_{false};
  std::atomic<bool> failed_{false};  // a visit threw
};

}  // namespace gas
