#pragma once

#include "gas/engine/boundary/pushed_exchange.hpp"
#include "gas/engine/gather/pull_undone.hpp"
#include "gas/engine/schedule/buckets.hpp"
#include "gas/engine/steps/step.hpp"

namespace gas {

/// Rounds by buckets, at staleness 0, of the vertices of a plain graph that gather changes. A
/// vertex whose published value changed waits in the bucket that priority() gives for the value. A
/// round runs the least bucket of all ranks (delta-stepping: Meyer, Sanders 2003): its vertices
/// push to their readers, which are applied, and those that now wait in the same bucket push again,
/// until this rank has none in it. Then the ranks exchange what concerns each other, as in a step.
/// A rank alone runs many buckets in a round. What a bucket ends in depends on neither order nor
/// threads where values only fall, and buckets with them.
///
/// Vertices with running accumulators push once, when their bucket is due, and are not pushed to
/// again. Where accumulators tell that they are done, a bucket from which many edges leave is
/// pulled by those that are not (direction-optimising: Beamer, Asanović, Patterson 2012).
///
/// Memory: an accumulator and a byte per vertex.
template <class P, class K>
class BucketRounds {
  using Accumulator = AccumulatorType<K>;
  static constexpr bool once = pushes_once<K>;

 public:
  /// Before a run's rounds.
  void begin(Core<P>& core, KindRun<P, K>& kind) {
    const LocalId locals = kind.layout().locals();
    kind.make_readers(locals, core.edges);
    kind.pushed.make(kind.layout());
    kind.store.changed.clear();
    lists_.resize(core.workers.size());
    const bool first = state_.size() != locals;
    if (first) {
      state_.assign(locals, idle);
      edges_left_ = kind.store.adjacency->offsets.back();
    }
    if constexpr (once) {
      if (!first) return;
      kind.store.woken.clear();
      for (LocalId v = 0; v < kind.layout().masters(); ++v) wait(core, kind, v, lists_[0]);
      for (const Peer& peer : kind.layout().peers)
        for (const LocalId v : peer.value_mirrors) wait(core, kind, v, lists_[0]);
    } else {
      pulls_all_ = !kind.pushed.stands;
    }
  }

  /// After them: whoever waits still pushes, so that any other round can follow.
  void end(Core<P>& core, KindRun<P, K>& kind) {
    apart_ = true;
    if constexpr (!once) {
      std::vector<LocalId> left;
      if (waiting() > 0)
        for (LocalId v = 0; v < state_.size(); ++v)
          if (state_[v] == waits) left.push_back(v);
      VertexSet& woken = kind.store.woken;
      push<false>(
          core, kind, left, 0, [&](LocalId v) { return take<false>(v, lists_[0]); },
          [](LocalId) { return true; }, [&](LocalId v) { woken.add(v); });
      kind.pushed.stands = true;
    }
  }

  /// Before other rounds than these: what is published stands in both of its arrays.
  void settle(KindRun<P, K>& kind) {
    if (std::exchange(apart_, false)) kind.store.published.keep_all();
  }

  std::uint64_t waiting() const {
    std::int64_t sum = 0;
    for (const Lists& lists : lists_) sum += lists.waiting;
    return static_cast<std::uint64_t>(sum);
  }
  /// The least bucket in which a vertex of this rank waits; Buckets::none.
  std::uint32_t least() {
    std::uint32_t least = Buckets::none;
    for (Lists& lists : lists_)
      least = std::min(least, lists.buckets.least([&](LocalId v) { return state_[v] == waits; }));
    return least;
  }

  /// One round, where `of_all` is the least bucket of all ranks.
  void round(Core<P>& core, KindRun<P, K>& kind, std::uint32_t of_all) {
    const bool alone = core.mailbox.transport().size() == 1;
    const bool first = std::exchange(pulls_all_, false);
    if (first)
      first_step(core, kind);
    else
      visit_woken(core, kind);
    core.dawdle();
    running_ = false;
    if (!alone) core.context.bucket = of_all;
    if (!core.context.step.at_rest && (alone || (!first && of_all != Buckets::none)))
      run_buckets(core, kind, alone ? Buckets::none - 1 : of_all, alone ? ahead : 1);
    if (!alone && !first) {
      exchange_pushed(core, kind, mirrors_, [&](LocalId v) { lists_[0].touched.push_back(v); });
      apply_all_touched(core, kind);
      exchange_changed(core, kind, boundary_, [&](LocalId v) { wait(core, kind, v, lists_[0]); });
    }
    for (const LocalId v : again_) kind.store.woken.flags()[v] = 1;
    kind.store.woken.relist(again_);
    again_.clear();
  }

 private:
  enum State : std::uint8_t { idle, waits, done };
  static constexpr unsigned ahead = 4096;            // buckets that a rank alone runs in a round
  static constexpr EdgeOffset parallel = 1U << 13U;  // edges that threads share

  /// A thread's own, cache lines apart from the others'.
  struct alignas(128) Lists {
    Buckets buckets;
    std::int64_t waiting = 0;  // came to wait, less those that no longer do: over all threads
    std::vector<LocalId> frontier, touched, boundary, again;
    Visit<P, K>* visit = nullptr;  // of the task that the thread runs
  };

  /// All gather all once; what changed waits.
  void first_step(Core<P>& core, KindRun<P, K>& kind) {
    gathered_step(core, kind, kind, AllActive{}, core.context.step.round);
    VertexSet& changed = kind.store.changed;
    changed.relist();
    changed.for_each([&](LocalId v) { wait(core, kind, v, lists_[0]); });
    changed.clear();
    kind.store.woken.for_each([&](LocalId v) { again_.push_back(v); });
    kind.store.woken.clear();
  }

  void visit_woken(Core<P>& core, KindRun<P, K>& kind) {
    VertexSet& woken = kind.store.woken;
    woken.for_each([&](LocalId v) { lists_[0].touched.push_back(v); });
    woken.relist({});  // the flags stand until they are visited
    apply_all_touched(core, kind);
  }

  void apply_all_touched(Core<P>& core, KindRun<P, K>& kind) {
    const std::size_t tasks = lists_[0].touched.size() > parallel ? core.workers.size() : 1;
    if (!lists_[0].touched.empty())
      visit_all(core, kind, tasks, [&](std::size_t w) { apply_touched(core, kind, w); });
  }

  void wait(Core<P>& core, KindRun<P, K>& kind, LocalId v, Lists& lists) {
    if (state_[v] == done) return;
    if (state_[v] == idle) ++lists.waiting;
    state_[v] = waits;
    const auto value = kind.store.published[v];
    lists.buckets.add(v, std::min(core.program.priority(value, value), Buckets::none - 1),
                      kind.known_readers()->degree(v));
  }

  /// True: v waited, and does no longer.
  template <bool shared>
  bool take(LocalId v, Lists& lists) {
    constexpr std::uint8_t then = once ? done : idle;
    if (state_[v] != waits) return false;
    if constexpr (shared) {
      if (std::atomic_ref(state_[v]).exchange(then, std::memory_order_relaxed) != waits)
        return false;
    } else {
      state_[v] = then;
    }
    --lists.waiting;
    return true;
  }

  /// Large frontiers are shared by all threads, from the first one on.
  void run_buckets(Core<P>& core, KindRun<P, K>& kind, std::uint32_t last, unsigned left) {
    while (choose(core, kind, last, left)) {
      const bool together = core.workers.size() > 1 && is_large();
      const auto lead = [&](std::size_t w) {
        do {
          if (pulls_)
            pull_frontier(core, kind, w);
          else
            push_frontier(core, kind, w);
          for (Lists& lists : lists_) lists.frontier.clear();
          apply_touched(core, kind, w);
        } while (choose(core, kind, last, left) && (together || !is_large()));
      };
      visit_all(core, kind, together ? core.workers.size() : 1, lead);
    }
  }

  bool is_large() const { return pulls_ || edges_ > parallel; }

  /// Runs lead(worker) in one of so many tasks that visit vertices, while the others help.
  template <class Lead>
  void visit_all(Core<P>& core, KindRun<P, K>& kind, std::size_t tasks, Lead lead) {
    struct Leading {
      Crew& crew;
      ~Leading() { crew.end(); }
    };
    crew_.begin();
    core.visit_tasks(tasks, kind, [&](std::size_t, std::size_t w, Visit<P, K>& visit) {
      lists_[w].visit = &visit;
      if (!crew_.leads()) return crew_.help(w);
      const Leading leading{crew_};
      lead(w);
    });
  }

  /// The frontier, unless there is one: what waits in the least bucket, up to `last`, in `left`
  /// more buckets than the present one. False: nothing.
  bool choose(Core<P>& core, KindRun<P, K>& kind, std::uint32_t last, unsigned& left) {
    for (const Lists& lists : lists_)
      if (!lists.frontier.empty()) return true;
    const std::uint32_t next = least();
    if (next == Buckets::none || next > last) return false;
    if (next != core.context.bucket || !running_) {
      if (left == 0) return running_ = false;
      --left;
      core.context.bucket = next;
      running_ = true;
    }
    edges_ = 0;
    for (Lists& lists : lists_) {
      edges_ += lists.buckets.take(next, lists.frontier) + lists.frontier.size();
      if constexpr (once)  // before any of them pushes to another
        std::erase_if(lists.frontier, [&](LocalId v) { return !take<false>(v, lists); });
    }
    if constexpr (TellsDone<Accumulator>) {
      pulls_ = edges_ > std::max<EdgeOffset>(edges_left_ / 15, kind.layout().locals() / 4);
      edges_left_ -= std::min(edges_left_, edges_);
    }
    return true;
  }

  /// parts_ becomes those of all threads' lists, each of so many vertices at most.
  void cut(std::vector<LocalId> Lists::*list, std::size_t most) {
    parts_.clear();
    for (const Lists& lists : lists_) {
      const std::span<const LocalId> all = lists.*list;
      for (std::size_t i = 0; i < all.size(); i += most)
        parts_.push_back(all.subspan(i, std::min(most, all.size() - i)));
    }
  }

  void push_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    std::uint8_t* const flags = kind.store.woken.flags();
    const LocalId masters = kind.layout().masters();
    const auto takes = [&](LocalId v) { return !once || v >= masters || state_[v] != done; };
    if (core.workers.size() == 1 || edges_ <= parallel) {
      Lists& own = lists_[leader];
      for (const Lists& lists : lists_)
        push<false>(
            core, kind, lists.frontier, leader,
            [&](LocalId v) { return once || take<false>(v, own); }, takes,
            [&](LocalId v) {
              if (flags[v] != 0) return;
              flags[v] = 1;
              own.touched.push_back(v);
            });
      return;
    }
    cut(&Lists::frontier, 128);
    crew_.share(parts_.size(), leader, [&](std::size_t i, std::size_t w) {
      Lists& own = lists_[w];
      push<true>(
          core, kind, parts_[i], w, [&](LocalId v) { return once || take<true>(v, own); }, takes,
          [&](LocalId v) {
            const std::atomic_ref<std::uint8_t> flag(flags[v]);
            if (flag.load(std::memory_order_relaxed) == 0 &&
                flag.exchange(1, std::memory_order_relaxed) == 0)
              own.touched.push_back(v);
          });
    });
  }

  void pull_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    if constexpr (TellsDone<Accumulator>) {
      in_frontier_.reset(kind.layout().locals());
      for (const Lists& lists : lists_)
        for (const LocalId v : lists.frontier)
          if (once || take<false>(v, lists_[leader])) in_frontier_.add(v);
      std::uint8_t* const flags = kind.store.woken.flags();
      pull_undone(core, kind, crew_, leader, in_frontier_, [&](LocalId v, std::size_t w) {
        flags[v] = 1;
        lists_[w].touched.push_back(v);
      });
    }
  }

  /// All that any thread noted.
  void apply_touched(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    constexpr std::size_t most = 256;
    cut(&Lists::touched, most);
    const auto apply = [&](std::size_t i, std::size_t w) {
      for (const LocalId v : parts_[i]) visit_touched(core, kind, v, lists_[w], w);
    };
    if (core.workers.size() > 1 && parts_.size() > lists_.size() + 1)
      crew_.share(parts_.size(), leader, apply);
    else
      for (std::size_t i = 0; i < parts_.size(); ++i) apply(i, leader);
    for (Lists& lists : lists_) {
      lists.touched.clear();
      for (const LocalId v : lists.boundary)
        (v < kind.layout().masters() ? boundary_ : mirrors_).push_back(v);
      for (const LocalId v : lists.again)
        if (std::exchange(kind.store.again[v], std::uint8_t{0}) != 0) again_.push_back(v);
      lists.boundary.clear();
      lists.again.clear();
    }
  }

  /// Masters are applied with what they keep; mirrors wait for the exchange.
  void visit_touched(Core<P>& core, KindRun<P, K>& kind, LocalId v, Lists& lists, std::size_t w) {
    Store<P, K>& store = kind.store;
    const VertexLayout& layout = kind.layout();
    if (v >= layout.masters()) {
      lists.boundary.push_back(v);
      return;
    }
    store.woken.flags()[v] = 0;
    ++core.workers[w].counters.applies;
    Visit<P, K>& visit = *lists.visit;
    visit.at(v);
    Accumulator gathered = kind.pushed.kept[v];
    K& state = store.state[v];
    publish<P, K>(
        store, v, {}, [&] { return core.program.apply(state, gathered, visit); },
        [&](const PublishedType<K>& now) {
          if (!is_published<P, K>(core.program, state, store.published[v], now)) return;
          store.published.shared()[v] = now;
          wait(core, kind, v, lists);
          if (v < layout.interior || store.changed.has(v)) return;
          store.changed.flags()[v] = 1;
          lists.boundary.push_back(v);
        });
    if (store.again[v] != 0) lists.again.push_back(v);
  }

  std::vector<std::uint8_t> state_;  // by local id
  std::vector<Lists> lists_;         // by worker; their frontiers are who pushes next
  EdgeOffset edges_ = 0;             // of the frontier, about
  EdgeOffset edges_left_ = 0;        // of vertices that were in none, about
  bool pulls_ = false;               // the frontier's edges are pulled
  bool running_ = false;             // context.bucket is being run
  bool pulls_all_ = false;           // the next round gathers all that is published
  bool apart_ = false;               // values stand in one array only
  std::vector<std::span<const LocalId>> parts_;
  std::vector<LocalId> boundary_, mirrors_, again_;
  VertexBits in_frontier_;
  Crew crew_;
};

}  // namespace gas
