#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "gas/engine/gather/pull.hpp"
#include "gas/engine/schedule/work_queue.hpp"
#include "gas/engine/store/shared_values.hpp"

namespace gas {

/// Can a round of P visit its vertices asynchronously: each reads what its neighbours publish as
/// soon as they do?
template <class P, class K>
constexpr bool visits_async = OneKind<P>&& gathers_values<P, K> && !names_scatter<P> &&
                              !by_id<P, K> && can_be_shared<PublishedType<K>>;

/// Asynchronous rounds of a plain graph on one rank: no barrier within a round. Vertices are
/// visited by units of 64; a unit waits in the queue while one of its vertices is active, and one
/// thread at a time visits it. A vertex that publishes a change activates its readers
/// at once. A round ends when none is active, or after as many visits as there are vertices, so
/// that ranks hear from each other. Where every vertex is active in every round, a round is one
/// visit of each.
///
/// Every vertex sees the last published values: it stores its value, then the readers' flags, then
/// looks at their units; a thread that takes a unit marks it, then takes flags, then reads values;
/// and looks at the flags again when it has left it. Between the parts of each stand sequentially
/// consistent fences, so that of a thread that changes something and one that looks for changes at
/// least one sees the other.
///
/// Memory: 4 bytes per edge and 3 per vertex more than synchronous runs.
template <class P, class K>
class AsyncVisits {
 public:
  using Value = PublishedType<K>;

  /// Vertices woken so far are active. The kind's values must stand in both of its arrays.
  void begin(Core<P>& core, KindRun<P, K>& kind, Order order) {
    readers_ = &kind.make_readers(kind.layout().locals(), core.edges);
    order_ = order;
    const LocalId locals = kind.layout().locals();
    wanted_.assign(locals, 0);
    touched_.resize(locals);
    touched_.unlist();
    kind.store.changed.clear();
    kind.store.changed.unlist();  // visits set flags
    states_ = std::vector<std::atomic<std::uint32_t>>((locals + unit_size - 1) / unit_size);
    queue_.reset(core.workers.size(), order == Order::priority ? priorities : 1);
    if constexpr (!always_active)
      for (LocalId v = 0; v < locals; ++v)
        if (kind.store.woken.has(v)) activate(v, 0);
  }

  /// Vertices that are active still are woken.
  void end(KindRun<P, K>& kind) {
    if constexpr (!always_active) {
      kind.store.woken.clear();
      for (LocalId v = 0; v < kind.layout().locals(); ++v)
        if (wanted_[v] != 0) kind.store.woken.add(v);
    }
    kind.store.published.keep_all();
  }

  /// Is there something to visit? Takes over what asked for another visit.
  bool has_work(KindRun<P, K>& kind) requires(!KindRun<P, K>::every_round) {
    for (LocalId v = 0; v < kind.layout().masters(); ++v)
      if (std::exchange(kind.store.again[v], std::uint8_t{0}) != 0) activate(v, 0);
    return !queue_.finished();
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
        const std::uint32_t bucket = bucket_of(core, before, kind.store.published[v]);
        for (const LocalId reader : readers(v)) activate(reader, bucket);
        if constexpr (reads_own<P, K>) activate(v, bucket);
      }
    });
    if constexpr (has_accumulator<K>) {
      const bool news =
          kind.partials.take(core.mailbox, 0, lag, [&](LocalId v, auto&, std::size_t) {
            if constexpr (!always_active) activate(v, 0);
          });
      core.news = core.news || news;
    }
  }

  /// One round; sends what changed.
  void round(Core<P>& core, KindRun<P, K>& kind) {
    if constexpr (always_active)
      for (LocalId v = 0; v < kind.layout().locals(); ++v) activate(v, 0);
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
                         queue_.wake();
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
  static constexpr LocalId unit_size = 64;
  static constexpr std::uint32_t priorities = 1024;
  // What a unit is: idle, being visited, or queued in bucket state − queued.
  static constexpr std::uint32_t idle = 0, visited = 1, queued = 2;

  std::span<const LocalId> readers(LocalId v) const {
    return std::span(readers_->neighbours)
        .subspan(readers_->offsets[v], readers_->offsets[v + 1] - readers_->offsets[v]);
  }

  std::uint32_t bucket_of(const Core<P>& core, const Value& before, const Value& now) const {
    if constexpr (names_priority<P>) {
      if (order_ == Order::priority)
        return std::min<std::uint32_t>(core.program.priority(before, now), priorities - 1);
    }
    return 0;
  }

  /// Between rounds, by the main thread.
  void activate(LocalId v, std::uint32_t bucket) {
    want(v, bucket);
    queue_unit(v / unit_size, bucket, v / (16 * unit_size) % queue_.workers());
  }

  void want(LocalId v, std::uint32_t bucket) {
    const std::atomic_ref<std::uint16_t> flag(wanted_[v]);
    const std::uint16_t before = flag.load(std::memory_order_relaxed);
    if (before == 0 || before > bucket + 1)
      flag.store(static_cast<std::uint16_t>(bucket + 1), std::memory_order_relaxed);
  }

  void queue_unit(std::uint32_t unit, std::uint32_t bucket, std::size_t w) {
    std::uint32_t state = states_[unit].load(std::memory_order_relaxed);
    while (state == idle || state > queued + bucket)
      if (states_[unit].compare_exchange_weak(state, queued + bucket, std::memory_order_acq_rel)) {
        queue_.push(w, {unit, bucket});
        return;
      }
  }

  void work(Core<P>& core, KindRun<P, K>& kind, Visit<P, K>& visit, std::size_t w, bool main) {
    const std::uint64_t enough = kind.layout().locals();
    unsigned in_vain = 0;
    while (!failed_.load(std::memory_order_relaxed) &&
           (always_active || visits_.load(std::memory_order_relaxed) < enough)) {
      WorkQueue::Item item;
      const std::uint32_t signals = queue_.signals();
      if (queue_.pop(w, item)) {
        in_vain = 0;
        std::uint32_t expected = queued + item.bucket;  // else it was taken in a lesser bucket
        if (states_[item.unit].compare_exchange_strong(expected, visited,
                                                       std::memory_order_acq_rel)) {
          visit_unit(core, kind, item, visit, w);
          leave(kind, item.unit, w);
        }
        queue_.done();
      } else if (queue_.finished()) {
        return;
      } else if (!main) {
        queue_.wait(signals);
      } else if (++in_vain < 64) {  // messages must move on
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      if (main) core.mailbox.local_progress();
    }
    queue_.wake();  // the round is over for those who wait, too
  }

  void visit_unit(Core<P>& core, KindRun<P, K>& kind, WorkQueue::Item item, Visit<P, K>& visit,
                  std::size_t w) {
    const LocalId first = item.unit * unit_size;
    const LocalId last = std::min(first + unit_size, kind.layout().locals());
    std::array<LocalId, unit_size> active;
    std::size_t count = 0;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (LocalId v = first; v < last; ++v) {
      const std::atomic_ref<std::uint16_t> flag(wanted_[v]);
      const std::uint16_t wanted = flag.load(std::memory_order_relaxed);
      if (wanted == 0 || wanted > item.bucket + 1) continue;
      flag.exchange(0, std::memory_order_relaxed);
      active[count++] = v;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    visits_.fetch_add(count, std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) visit_vertex(core, kind, active[i], visit, w);
  }

  /// The unit may be visited by others; by whom, if it is active again, is up to the queue.
  void leave(const KindRun<P, K>& kind, std::uint32_t unit, std::size_t w) {
    states_[unit].store(idle, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const LocalId first = unit * unit_size;
    const LocalId last = std::min(first + unit_size, kind.layout().locals());
    std::uint32_t least = 0;
    for (LocalId v = first; v < last; ++v) {
      const std::uint32_t wanted =
          std::atomic_ref<std::uint16_t>(wanted_[v]).load(std::memory_order_relaxed);
      if (wanted != 0 && (least == 0 || wanted < least)) least = wanted;
    }
    if (least != 0) queue_unit(unit, least - 1, w);
  }

  void visit_vertex(Core<P>& core, KindRun<P, K>& kind, LocalId v, Visit<P, K>& visit,
                    std::size_t w) {
    const VertexLayout& layout = kind.layout();
    const Adjacency& a = *kind.store.adjacency;
    const SharedValues<Value> values{kind.store.published.shared()};
    auto&& total = pull_from(core, kind, values, v, a.offsets[v], a.offsets[v + 1], w);
    if (v >= layout.masters()) {
      kind.partials.put_mirror(v, total);
      touched_.flags()[v] = 1;
      return;
    }
    visit.at(v);
    if (v >= layout.interior && kind.partials.expects()) {
      kind.partials.put_own(v, total);
      auto& working = kind.store.working[w];
      working.clear();
      auto&& whole = working.get();
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
          if constexpr (!always_active) wake_readers(v, bucket_of(core, before, now), w);
        });
  }

  void wake_readers(LocalId v, std::uint32_t bucket, std::size_t w) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (const LocalId reader : readers(v)) want(reader, bucket);
    if constexpr (reads_own<P, K>) want(v, bucket);  // of its own unit, which is looked at again
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::uint32_t last = ~std::uint32_t{0};
    for (const LocalId reader : readers(v))
      if (reader / unit_size != last) queue_unit(last = reader / unit_size, bucket, w);
  }

  const Adjacency* readers_ = nullptr;  // who gathers from whom, by local id
  Order order_ = Order::sweep;
  std::vector<std::uint16_t> wanted_;  // by local id: 0, or the bucket that wants it and 1
  VertexSet touched_;                  // mirrors whose partial accumulators were formed anew
  std::vector<std::atomic<std::uint32_t>> states_;  // by unit
  WorkQueue queue_;
  std::atomic<std::uint64_t> visits_{0};  // in this round
  std::atomic<bool> changed_{false};
  std::atomic<bool> failed_{false};  // a visit threw
};

}  // namespace gas
