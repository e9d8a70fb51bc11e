#pragma once

#include "gas/engine/gather/pull_undone.hpp"
#include "gas/engine/schedule/waiting.hpp"
#include "gas/engine/store/publish.hpp"
#include "gas/engine/threads/crew.hpp"

namespace gas {

/// The visits of a rank's rounds by buckets: the frontier pushes, or is pulled from, by one thread
/// or all, and whoever that concerns is applied. What is to be done beyond, is noted.
template <class P, class K>
class BucketVisits {
  using Accumulator = AccumulatorType<K>;
  using Lists = typename Waiting<P, K>::Lists;
  static constexpr bool once = pushes_once<K>;

 public:
  static constexpr std::size_t many = 256;  // vertices that threads share

  /// Runs lead(worker) in one of so many tasks that visit vertices, while the others help.
  template <class Lead>
  void visit_all(Core<P>& core, KindRun<P, K>& kind, std::size_t tasks, Lead lead) {
    struct Leading {
      Crew& crew;
      ~Leading() { crew.end(); }
    };
    crew_.begin();
    core.visit_tasks(tasks, kind, [&](std::size_t, std::size_t w, Visit<P, K>& visit) {
      waiting.lists[w].visit = &visit;
      if (!crew_.leads()) return crew_.help(w);
      const Leading leading{crew_};
      lead(w);
    });
  }

  /// The frontier, of so many vertices, pushes. `late`: readers are noted for apply_touched(),
  /// else visited at once.
  template <bool late>
  void push_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t leader, std::size_t vertices) {
    if (core.workers.size() == 1 || vertices <= many) {
      for (const Lists& lists : waiting.lists)
        push_from<false, late>(core, kind, lists.frontier, leader);
      return;
    }
    for (Lists& lists : waiting.lists) lists.share_frontier();
    crew_.share(core.workers.size(), leader, [&](std::size_t, std::size_t w) {
      Lists& own = waiting.lists[w];
      for (std::size_t i = 0; i < waiting.lists.size(); ++i) {
        Lists& lists = waiting.lists[(w + i) % waiting.lists.size()];
        for (;;) {
          const std::span<const LocalId> part = lists.part(i == 0);
          if (part.empty()) break;
          push_from<true, late>(core, kind, part, w);
          if constexpr (!late) {
            while (own.buckets.take(core.context.bucket, own.next, many)) {
              push_from<true, late>(core, kind, own.next, w);
              own.next.clear();
            }
          }
        }
      }
    });
  }

  /// Those that are not done pull from the frontier.
  void pull_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    if constexpr (TellsDone<Accumulator> && !once) {
      in_frontier_.reset(kind.layout().locals());
      for (Lists& lists : waiting.lists)
        for (const LocalId v : lists.frontier)
          if (waiting.take(waiting.state[v], lists)) in_frontier_.add(v);
      pull_undone(core, kind, crew_, leader, in_frontier_, [&](LocalId v, std::size_t w) {
        Lists& lists = waiting.lists[w];
        if (!in_frontier_.has(v) && v < kind.layout().masters())
          visit(core, kind, v, lists, w, waiting.state[v]);
        else if (std::exchange(kind.store.woken.flags()[v], std::uint8_t{1}) == 0)
          lists.touched.push_back(v);  // others may read its value
      });
    }
  }

  /// All that any thread noted, whose flags are set.
  void apply_touched(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    constexpr std::size_t most = 256;
    cut(&Lists::touched, most);
    if (parts_.empty()) return;
    const auto soon = prefetch_of(kind);
    const auto apply = [&](std::size_t i, std::size_t w) {
      constexpr std::size_t ahead = 8;
      const std::span<const LocalId> part = parts_[i];
      for (std::size_t j = 0; j < part.size(); ++j) {
        if (j + ahead < part.size()) {
          __builtin_prefetch(kind.pushed.kept.data() + part[j + ahead]);
          __builtin_prefetch(waiting.state.data() + part[j + ahead]);
          soon(part[j + ahead]);
        }
        const LocalId v = part[j];
        if (v >= kind.layout().masters()) {
          waiting.lists[w].boundary.push_back(v);
          continue;
        }
        kind.store.woken.flags()[v] = 0;
        visit(core, kind, v, waiting.lists[w], w, waiting.state[v]);
      }
    };
    if (core.workers.size() > 1 && parts_.size() > waiting.lists.size() + 1)
      crew_.share(parts_.size(), leader, apply);
    else
      for (std::size_t i = 0; i < parts_.size(); ++i) apply(i, leader);
    for (Lists& lists : waiting.lists) lists.touched.clear();
  }

  /// The same, in tasks of its own.
  void apply_all_touched(Core<P>& core, KindRun<P, K>& kind) {
    const std::size_t tasks = waiting.lists[0].touched.size() > many ? core.workers.size() : 1;
    if (!waiting.lists[0].touched.empty())
      visit_all(core, kind, tasks, [&](std::size_t w) { apply_touched(core, kind, w); });
    note_visits(kind);
  }

  /// Has something changed that another rank is to learn?
  bool concerns_others() const {
    return !boundary.empty() || !mirrors.empty() ||
           std::ranges::any_of(waiting.lists, [](const Lists& l) { return !l.boundary.empty(); });
  }

  /// Takes from the threads' lists what concerns other ranks, and who asked for another visit.
  void note_visits(KindRun<P, K>& kind) {
    for (Lists& lists : waiting.lists) {
      for (const LocalId v : lists.boundary)
        (v < kind.layout().masters() ? boundary : mirrors).push_back(v);
      for (const LocalId v : lists.again)
        if (std::exchange(kind.store.again[v], std::uint8_t{0}) != 0) again.push_back(v);
      lists.boundary.clear();
      lists.again.clear();
    }
  }

  Waiting<P, K> waiting;
  std::vector<LocalId> boundary, mirrors;  // changed in what other ranks are to learn
  std::vector<LocalId> again;              // asked for another visit

 private:
  /// parts_ becomes those of all threads' lists, each of so many vertices at most.
  void cut(std::vector<LocalId> Lists::*list, std::size_t most) {
    parts_.clear();
    for (const Lists& lists : waiting.lists) {
      const std::span<const LocalId> all = lists.*list;
      for (std::size_t i = 0; i < all.size(); i += most)
        parts_.push_back(all.subspan(i, std::min(most, all.size() - i)));
    }
  }

  /// Prefetches what a visit will touch, but for what is kept and the state of waiting.
  static auto prefetch_of(const KindRun<P, K>& kind) {
    return [state = kind.store.state.data(), values = kind.store.published.data(),
            rows = kind.layout().rows.data(),
            offsets = kind.known_readers()->offsets.data()](LocalId v) {
      if constexpr (!std::is_empty_v<K>) __builtin_prefetch(state + v);
      __builtin_prefetch(values + v);
      if constexpr (TellsDone<Accumulator>) {
        __builtin_prefetch(rows + v);
        __builtin_prefetch(offsets + v);  // for the edges of who is to wait
      }
    };
  }

  template <bool shared, bool late>
  void push_from(Core<P>& core, KindRun<P, K>& kind, std::span<const LocalId> from, std::size_t w) {
    Lists& lists = waiting.lists[w];
    const auto soon = [&, visited = prefetch_of(kind)](LocalId v) {
      if constexpr (late)
        return;
      else if constexpr (!TellsDone<Accumulator>)
        visited(v);
      else if (!std::atomic_ref(kind.pushed.kept[v]).load(std::memory_order_relaxed).done())
        visited(v);
    };
    const auto receive = [&, kept = kind.pushed.kept.data()](LocalId v, const auto& more) {
      if constexpr (late)
        note<shared>(kind, v, kept[v], more, lists);
      else
        give<shared>(core, kind, v, kept[v], more, lists, w);
    };
    if constexpr (shared && !once) {
      const std::span<const LocalId> taken = waiting.take_all(kind, from, lists);
      const auto next = [value = lists.values.data()](LocalId, PublishedType<K>& its) mutable {
        its = *value++;
        return true;
      };
      push<true>(core, kind, taken, w, next, soon, receive);
    } else {
      push(core, kind, from, w, waiting.start(kind, lists), soon, receive);
    }
  }

  /// Adds `more` to what v keeps, which is visited when all have pushed.
  template <bool shared>
  void note(KindRun<P, K>& kind, LocalId v, Accumulator& kept, const Accumulator& more,
            Lists& lists) {
    if constexpr (once)
      if (waiting.state[v] == Waiting<P, K>::done) return;
    if (!keep_more<shared>(kept, more)) return;
    std::uint8_t& flag = kind.store.woken.flags()[v];
    if constexpr (shared) {
      const std::atomic_ref at(flag);
      if (at.load(std::memory_order_relaxed) == 0 && at.exchange(1, std::memory_order_relaxed) == 0)
        lists.touched.push_back(v);
    } else if (std::exchange(flag, std::uint8_t{1}) == 0) {
      lists.touched.push_back(v);
    }
  }

  /// Adds `more` to what v keeps, which is visited at once if that changes it; mirrors wait for the
  /// exchange.
  template <bool shared>
  [[gnu::always_inline]] void give(Core<P>& core, KindRun<P, K>& kind, LocalId v, Accumulator& kept,
                                   const Accumulator& more, Lists& lists, std::size_t w) {
    Accumulator after;
    const auto changes = [&] {
      if constexpr (shared)
        return adds(std::atomic_ref(kept).load(std::memory_order_relaxed), more, after);
      else
        return adds(kept, more, after);
    };
    if (!changes()) return;
    Hold<shared> held(waiting.state[v]);
    if constexpr (shared) {
      if (!changes()) return;
      std::atomic_ref(kept).store(after, std::memory_order_relaxed);
    } else {
      kept = after;
    }
    if (v < kind.layout().masters())
      visit(core, kind, v, lists, w, held.state);
    else if (std::exchange(kind.store.woken.flags()[v], std::uint8_t{1}) == 0)
      lists.boundary.push_back(v);
  }

  /// Master v is applied with what it keeps. `its`: its state, which the caller holds.
  [[gnu::always_inline]] void visit(Core<P>& core, KindRun<P, K>& kind, LocalId v, Lists& lists,
                                    std::size_t w, std::uint8_t& its) {
    Store<P, K>& store = kind.store;
    ++core.workers[w].counters.applies;
    Visit<P, K>& view = *lists.visit;
    view.at(v);
    Accumulator gathered = kind.pushed.kept[v];
    K& state = store.state[v];
    publish<P, K>(
        store, v, {}, [&] { return core.program.apply(state, gathered, view); },
        [&](const PublishedType<K>& now) {
          if (!is_published<P, K>(core.program, state, store.published[v], now)) return;
          store.published.shared()[v] = now;
          const bool mirrored = v >= kind.layout().interior;
          if (!once || !mirrored) waiting.wait(core, kind, v, lists, its);
          if (!mirrored || store.changed.has(v)) return;
          store.changed.flags()[v] = 1;
          lists.boundary.push_back(v);
        });
    if (view.asked()) lists.again.push_back(v);
  }

  std::vector<std::span<const LocalId>> parts_;
  VertexBits in_frontier_;
  Crew crew_;
};

}  // namespace gas
