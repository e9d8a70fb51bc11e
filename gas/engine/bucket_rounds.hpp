#pragma once

#include "gas/engine/boundary/pushed_exchange.hpp"
#include "gas/engine/gather/pull_undone.hpp"
#include "gas/engine/schedule/waiting.hpp"
#include "gas/engine/steps/step.hpp"

namespace gas {

/// Rounds by buckets, at staleness 0, of the vertices of a plain graph that gather changes. A
/// vertex whose published value changed waits in the bucket that priority() gives for the value. A
/// round runs the least bucket of all ranks (delta-stepping: Meyer, Sanders 2003): its vertices
/// push to their readers, each of which is applied at once, and those that now wait in the same
/// bucket push again, until this rank has none in it. A thread goes on with those that it found
/// itself before it meets the others (bucket fusion: Zhang et al. 2020). Then the ranks exchange
/// what concerns each other, as in a step. A rank alone runs many buckets in a round. What a bucket
/// ends in depends on neither order nor threads where values only fall, and buckets with them.
///
/// Vertices with running accumulators push once, when their bucket is due, are applied when all
/// that are due have pushed, and are not pushed to again. Where accumulators tell that they are
/// done, a bucket from which many edges leave is pulled by those that are not
/// (direction-optimising: Beamer, Asanović, Patterson 2012).
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
    const bool first = waiting_.resize(locals, core.workers.size());
    if (first) edges_left_ = kind.store.adjacency->offsets.back();
    if constexpr (once) {
      if (!first) return;
      kind.store.woken.clear();
      for (LocalId v = 0; v < kind.layout().masters(); ++v) waiting_.wait(core, kind, v);
      for (const Peer& peer : kind.layout().peers)
        for (const LocalId v : peer.value_mirrors) waiting_.wait(core, kind, v);
    } else {
      pulls_all_ = !kind.pushed.stands;
    }
  }

  /// After them: whoever waits still pushes, so that any other round can follow.
  void end(Core<P>& core, KindRun<P, K>& kind) {
    apart_ = true;
    if constexpr (!once) {
      std::vector<LocalId> left;
      if (waiting_.count() > 0)
        for (LocalId v = 0; v < waiting_.state.size(); ++v)
          if (waiting_.state[v] == Waiting<P, K>::waits) left.push_back(v);
      push(core, kind, left, 0, waiting_.template start<false>(kind, waiting_.lists[0]),
           [&](LocalId v, const auto& more) {
             if (keep_more<false>(kind.pushed.kept[v], more)) kind.store.woken.add(v);
           });
      kind.pushed.stands = true;
    }
  }

  /// Before other rounds than these: what is published stands in both of its arrays.
  void settle(KindRun<P, K>& kind) {
    if (std::exchange(apart_, false)) kind.store.published.keep_all();
  }

  std::uint64_t waiting() const { return waiting_.count(); }
  /// The least bucket in which a vertex of this rank waits; Buckets::none.
  std::uint32_t least() { return waiting_.least(); }

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
      exchange_pushed(core, kind, mirrors_,
                      [&](LocalId v) { waiting_.lists[0].touched.push_back(v); });
      apply_all_touched(core, kind);
      exchange_changed(core, kind, boundary_, [&](LocalId v) { waiting_.wait(core, kind, v); });
    }
    for (const LocalId v : again_) kind.store.woken.flags()[v] = 1;
    kind.store.woken.relist(again_);
    again_.clear();
  }

 private:
  using Lists = typename Waiting<P, K>::Lists;
  static constexpr unsigned ahead = 4096;   // buckets that a rank alone runs in a round
  static constexpr std::size_t many = 256;  // vertices that threads share

  /// All gather all once; what changed waits.
  void first_step(Core<P>& core, KindRun<P, K>& kind) {
    gathered_step(core, kind, kind, AllActive{}, core.context.step.round);
    VertexSet& changed = kind.store.changed;
    changed.relist();
    changed.for_each([&](LocalId v) { waiting_.wait(core, kind, v); });
    changed.clear();
    kind.store.woken.for_each([&](LocalId v) { again_.push_back(v); });
    kind.store.woken.clear();
  }

  void visit_woken(Core<P>& core, KindRun<P, K>& kind) {
    VertexSet& woken = kind.store.woken;
    woken.for_each([&](LocalId v) { waiting_.lists[0].touched.push_back(v); });
    woken.relist({});  // the flags stand until they are visited
    apply_all_touched(core, kind);
  }

  void apply_all_touched(Core<P>& core, KindRun<P, K>& kind) {
    const std::size_t tasks = waiting_.lists[0].touched.size() > many ? core.workers.size() : 1;
    if (!waiting_.lists[0].touched.empty())
      visit_all(core, kind, tasks, [&](std::size_t w) { apply_touched(core, kind, w); });
    note_visits(kind);
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
          for (Lists& lists : waiting_.lists) lists.frontier.clear();
          apply_touched(core, kind, w);
        } while (choose(core, kind, last, left) && (together || !is_large()));
      };
      visit_all(core, kind, together ? core.workers.size() : 1, lead);
    }
    note_visits(kind);
  }

  bool is_large() const { return pulls_ || vertices_ > many; }

  /// Runs lead(worker) in one of so many tasks that visit vertices, while the others help.
  template <class Lead>
  void visit_all(Core<P>& core, KindRun<P, K>& kind, std::size_t tasks, Lead lead) {
    struct Leading {
      Crew& crew;
      ~Leading() { crew.end(); }
    };
    crew_.begin();
    core.visit_tasks(tasks, kind, [&](std::size_t, std::size_t w, Visit<P, K>& visit) {
      waiting_.lists[w].visit = &visit;
      if (!crew_.leads()) return crew_.help(w);
      const Leading leading{crew_};
      lead(w);
    });
  }

  /// The frontier, unless there is one: what waits in the least bucket, up to `last`, in `left`
  /// more buckets than the present one. False: nothing.
  bool choose(Core<P>& core, KindRun<P, K>& kind, std::uint32_t last, unsigned& left) {
    for (const Lists& lists : waiting_.lists)
      if (!lists.frontier.empty()) return true;
    const std::uint32_t next = least();
    if (next == Buckets::none || next > last) return false;
    if (next != core.context.bucket || !running_) {
      if (left == 0) return running_ = false;
      --left;
      core.context.bucket = next;
      running_ = true;
    }
    const EdgeOffset edges = waiting_.take_frontier(next, vertices_);
    if constexpr (TellsDone<Accumulator>) {
      pulls_ = edges > std::max<EdgeOffset>(edges_left_ / 15, kind.layout().locals() / 4);
      edges_left_ -= std::min(edges_left_, edges);
    }
    return true;
  }

  /// parts_ becomes those of all threads' lists, each of so many vertices at most.
  void cut(std::vector<LocalId> Lists::*list, std::size_t most) {
    parts_.clear();
    for (const Lists& lists : waiting_.lists) {
      const std::span<const LocalId> all = lists.*list;
      for (std::size_t i = 0; i < all.size(); i += most)
        parts_.push_back(all.subspan(i, std::min(most, all.size() - i)));
    }
  }

  void push_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    if (core.workers.size() == 1 || vertices_ <= many) {
      for (const Lists& lists : waiting_.lists)
        push_from<false>(core, kind, lists.frontier, leader);
      return;
    }
    for (Lists& lists : waiting_.lists) lists.share_frontier();
    crew_.share(core.workers.size(), leader, [&](std::size_t, std::size_t w) {
      Lists& own = waiting_.lists[w];
      for (std::size_t i = 0; i < waiting_.lists.size(); ++i) {
        Lists& lists = waiting_.lists[(w + i) % waiting_.lists.size()];
        for (;;) {
          const std::span<const LocalId> part = lists.part(i == 0);
          if (part.empty()) break;
          push_from<true>(core, kind, part, w);
          if constexpr (!once) {
            while (own.buckets.take(core.context.bucket, own.next, many)) {
              push_from<true>(core, kind, own.next, w);
              own.next.clear();
            }
          }
        }
      }
    });
  }

  template <bool shared>
  void push_from(Core<P>& core, KindRun<P, K>& kind, std::span<const LocalId> from, std::size_t w) {
    Lists& lists = waiting_.lists[w];
    push(core, kind, from, w, waiting_.template start<shared>(kind, lists),
         [&](LocalId v, const auto& more) {
           if constexpr (once)
             note<shared>(kind, v, more, lists);
           else
             give<shared>(core, kind, v, more, lists, w);
         });
  }

  /// Adds `more` to what v keeps, which is visited when all have pushed.
  template <bool shared>
  void note(KindRun<P, K>& kind, LocalId v, const Accumulator& more, Lists& lists) {
    if (v < kind.layout().masters() && waiting_.state[v] == Waiting<P, K>::done) return;
    if (!keep_more<shared>(kind.pushed.kept[v], more)) return;
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
  [[gnu::always_inline]] void give(Core<P>& core, KindRun<P, K>& kind, LocalId v,
                                   const Accumulator& more, Lists& lists, std::size_t w) {
    Accumulator& kept = kind.pushed.kept[v];
    Accumulator after;
    const auto changes = [&] {
      if constexpr (shared)
        return adds(std::atomic_ref(kept).load(std::memory_order_relaxed), more, after);
      else
        return adds(kept, more, after);
    };
    if (!changes()) return;
    Hold<shared> held(waiting_.state[v]);
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

  void pull_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    if constexpr (TellsDone<Accumulator>) {
      in_frontier_.reset(kind.layout().locals());
      for (Lists& lists : waiting_.lists)
        for (const LocalId v : lists.frontier)
          if (once || waiting_.take(waiting_.state[v], lists)) in_frontier_.add(v);
      pull_undone(core, kind, crew_, leader, in_frontier_, [&](LocalId v, std::size_t w) {
        Lists& lists = waiting_.lists[w];
        if (in_frontier_.has(v) || v >= kind.layout().masters())
          lists.touched.push_back(v);  // others may read its value
        else
          visit(core, kind, v, lists, w, waiting_.state[v]);
      });
    }
  }

  /// All that any thread noted.
  void apply_touched(Core<P>& core, KindRun<P, K>& kind, std::size_t leader) {
    constexpr std::size_t most = 256;
    cut(&Lists::touched, most);
    if (parts_.empty()) return;
    const auto apply = [&](std::size_t i, std::size_t w) {
      for (const LocalId v : parts_[i]) {
        const bool is_master = v < kind.layout().masters();
        kind.store.woken.flags()[v] = is_master ? 0 : 1;
        if (is_master)
          visit(core, kind, v, waiting_.lists[w], w, waiting_.state[v]);
        else
          waiting_.lists[w].boundary.push_back(v);
      }
    };
    if (core.workers.size() > 1 && parts_.size() > waiting_.lists.size() + 1)
      crew_.share(parts_.size(), leader, apply);
    else
      for (std::size_t i = 0; i < parts_.size(); ++i) apply(i, leader);
    for (Lists& lists : waiting_.lists) lists.touched.clear();
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
          waiting_.wait(core, kind, v, lists, its);
          if (v < kind.layout().interior || store.changed.has(v)) return;
          store.changed.flags()[v] = 1;
          lists.boundary.push_back(v);
        });
    if (view.asked()) lists.again.push_back(v);
  }

  /// Takes from the threads' lists what concerns other ranks, and who asked for another visit.
  void note_visits(KindRun<P, K>& kind) {
    for (Lists& lists : waiting_.lists) {
      for (const LocalId v : lists.boundary)
        (v < kind.layout().masters() ? boundary_ : mirrors_).push_back(v);
      for (const LocalId v : lists.again)
        if (std::exchange(kind.store.again[v], std::uint8_t{0}) != 0) again_.push_back(v);
      lists.boundary.clear();
      lists.again.clear();
    }
  }

  Waiting<P, K> waiting_;
  std::size_t vertices_ = 0;   // of the frontier
  EdgeOffset edges_left_ = 0;  // of vertices that were in none, about
  bool pulls_ = false;         // the frontier's edges are pulled
  bool running_ = false;       // context.bucket is being run
  bool pulls_all_ = false;     // the next round gathers all that is published
  bool apart_ = false;         // values stand in one array only
  std::vector<std::span<const LocalId>> parts_;
  std::vector<LocalId> boundary_, mirrors_, again_;
  VertexBits in_frontier_;
  Crew crew_;
};

}  // namespace gas
