#pragma once

#include "gas/engine/boundary/pushed_exchange.hpp"
#include "gas/engine/steps/bucket_visits.hpp"
#include "gas/engine/steps/step.hpp"

namespace gas {

/// Rounds by buckets, at staleness 0, of the vertices of a plain graph that gather changes. A
/// vertex whose published value changed waits in the bucket that priority() gives for the value. A
/// round runs the least bucket of all ranks (delta-stepping: Meyer, Sanders 2003): its vertices
/// push to their readers, each of which is applied at once, and those that now wait in the same
/// bucket push again, until this rank has none in it. A thread goes on with those that it found
/// itself before it meets the others (bucket fusion: Zhang et al. 2020). Then the ranks exchange
/// what concerns each other, as in a step. A rank runs further buckets in a round where no other
/// has a lesser one, until it changed what another one is to learn. What a bucket ends in depends
/// on neither order nor threads where values only fall, and buckets with them.
///
/// Vertices with running accumulators push once, when their bucket is due, are applied when all
/// that are due have pushed, and are not pushed to again. One that has mirrors pushes in a later
/// round than it changed, when they know its value: so all copies of a vertex push in one round,
/// and a checkpoint need not tell them apart. Where accumulators tell that they are done, a bucket
/// from which many edges leave is pulled by those that are not (direction-optimising: Beamer,
/// Asanović, Patterson 2012). If fewer leave it, but still many, readers
/// are visited after all of it has pushed.
///
/// Memory: an accumulator and a byte per vertex, and what make_readers takes.
template <class P, class K>
class BucketRounds {
  using Accumulator = AccumulatorType<K>;
  static constexpr bool once = pushes_once<K>;

 public:
  /// Before a run's rounds.
  void begin(Core<P>& core, KindRun<P, K>& kind) {
    const LocalId locals = kind.layout().locals();
    kind.make_readers(locals, core.edges);
    kind.pushed.make(*core.executor, kind.layout());
    kind.store.changed.clear();
    const bool first = visits_.waiting.resize(locals, core.workers.size());
    if (first) edges_left_ = kind.store.adjacency->offsets.back();
    if constexpr (once) {
      if (!first) return;
      kind.store.woken.clear();
      wait_but(core, kind, [](LocalId) { return false; });
    } else {
      pulls_all_ = !kind.pushed.stands;
    }
  }

  /// After them: whoever waits still pushes, so that any other round can follow.
  void end(Core<P>& core, KindRun<P, K>& kind) {
    kind.store.published.join();
    if constexpr (!once) {
      std::vector<LocalId> left;
      if (visits_.waiting.count() > 0)
        for (LocalId v = 0; v < visits_.waiting.state.size(); ++v)
          if (visits_.waiting.state[v] == Waiting<P, K>::waits) left.push_back(v);
      push(
          core, kind, left, 0, visits_.waiting.start(kind, visits_.waiting.lists[0]),
          [](LocalId) {},
          [&](LocalId v, const auto& more) {
            if (keep_more<false>(kind.pushed.kept[v], more)) kind.store.woken.add(v);
          });
      // Of no round at all nothing was gathered.
      if (!std::exchange(pulls_all_, false)) kind.pushed.stands = true;
    }
  }

  // For checkpoints of vertices that push once.

  bool has_begun() const { return !visits_.waiting.state.empty(); }
  /// Has v pushed?
  bool has_left(LocalId v) const { return visits_.waiting.state[v] == Waiting<P, K>::done; }
  /// Before the first round: all wait but `left`, who have.
  void wait_again(Core<P>& core, KindRun<P, K>& kind, const VertexSet& left) {
    kind.make_readers(kind.layout().locals(), core.edges);
    visits_.waiting.resize(kind.layout().locals(), core.workers.size());
    edges_left_ = kind.store.adjacency->offsets.back();
    wait_but(core, kind, [&](LocalId v) { return left.has(v); });
  }

  std::uint64_t waiting() const { return visits_.waiting.count(); }
  /// The least bucket in which a vertex of this rank waits; Buckets::none.
  std::uint32_t least() { return visits_.waiting.least(); }

  /// One round, where `of_all` is the least bucket of all ranks, and `of_others` that of all but
  /// this one.
  void round(Core<P>& core, KindRun<P, K>& kind, std::uint32_t of_all, std::uint32_t of_others) {
    const bool alone = core.mailbox.transport().size() == 1;
    const bool first = std::exchange(pulls_all_, false);
    if (first && !alone) {
      first_step(core, kind);
    } else {
      if (first) gather_woken(core, kind);
      visit_woken(core, kind);
    }
    core.dawdle();
    running_ = false;
    if (!alone) core.context.bucket = of_all;
    if (!core.context.step.at_rest && (alone || (!first && of_all != Buckets::none))) {
      const std::uint32_t last = alone  ? Buckets::none
                                 : once ? of_all
                                        : std::max(of_all, of_others);
      run_buckets(core, kind, std::min(last, Buckets::none - 1), alone || !once ? ahead : 1);
    }
    if (!alone && !first) {
      // A vertex that other ranks know leaves at the beginning of a round: before all of this one.
      exchange_pushed(
          core, kind, visits_.mirrors, [&](LocalId v) { return has_left(v); },
          [&](LocalId v) { visits_.waiting.lists[0].touched.push_back(v); });
      visits_.apply_all_touched(core, kind);
      if constexpr (once)
        for (const LocalId v : visits_.boundary) visits_.waiting.wait(core, kind, v);
      exchange_changed(core, kind, visits_.boundary,
                       [&](LocalId v) { visits_.waiting.wait(core, kind, v); });
    }
    for (const LocalId v : visits_.again) kind.store.woken.flags()[v] = 1;
    kind.store.woken.relist(visits_.again);
    visits_.again.clear();
  }

 private:
  using Lists = typename Waiting<P, K>::Lists;

  /// Masters and mirrors wait, but for those that have left.
  template <class Left>
  void wait_but(Core<P>& core, KindRun<P, K>& kind, Left left) {
    const auto wait = [&](LocalId v) {
      if (left(v))
        visits_.waiting.state[v] = Waiting<P, K>::done;
      else
        visits_.waiting.wait(core, kind, v);
    };
    for (LocalId v = 0; v < kind.layout().masters(); ++v) wait(v);
    for (const Peer& peer : kind.layout().peers) std::ranges::for_each(peer.value_mirrors, wait);
  }

  static constexpr unsigned ahead = 4096;  // buckets that a rank runs in a round at most

  /// All gather all once; what changed waits.
  void first_step(Core<P>& core, KindRun<P, K>& kind) {
    gathered_step(core, kind, kind, AllActive{}, core.context.step.round);
    VertexSet& changed = kind.store.changed;
    changed.relist();
    changed.for_each([&](LocalId v) { visits_.waiting.wait(core, kind, v); });
    changed.clear();
    kind.store.woken.for_each([&](LocalId v) { visits_.again.push_back(v); });
    kind.store.woken.clear();
  }

  /// The first round on one rank: woken vertices gather from all neighbours into what they keep.
  /// Nothing is published meanwhile, so that values stay in one array. (On several ranks
  /// first_step() exchanges partial accumulators, too.)
  void gather_woken(Core<P>& core, KindRun<P, K>& kind) {
    const Frontier<P, K, AllActive> frontier(kind, {});
    const auto woken = [&](LocalId v) { return kind.store.woken.has(v); };
    const auto pulled = [&](LocalId v, std::size_t w) -> decltype(auto) {
      return pull_all(core, kind, kind, v, w);
    };
    const auto keep = [&](LocalId v, const Accumulator& all, const auto&, std::size_t) {
      kind.pushed.kept[v] = all;
    };
    sweep(core, kind, kind, frontier.parts().interior, woken, pulled, keep);
  }

  void visit_woken(Core<P>& core, KindRun<P, K>& kind) {
    VertexSet& woken = kind.store.woken;
    woken.for_each([&](LocalId v) { visits_.waiting.lists[0].touched.push_back(v); });
    woken.relist({});  // their flags stay set until they are visited
    visits_.apply_all_touched(core, kind);
  }

  /// Large frontiers are shared by all threads, from the first one on.
  void run_buckets(Core<P>& core, KindRun<P, K>& kind, std::uint32_t last, unsigned left) {
    while (choose(core, kind, last, left)) {
      const bool together = core.workers.size() > 1 && is_large();
      const auto lead = [&](std::size_t w) {
        do {
          if (pulls_)
            visits_.pull_frontier(core, kind, w);
          else
            push_frontier(core, kind, w);
          for (Lists& lists : visits_.waiting.lists) lists.frontier.clear();
          visits_.apply_touched(core, kind, w);
        } while (choose(core, kind, last, left) && (together || !is_large()));
      };
      visits_.visit_all(core, kind, together ? core.workers.size() : 1, lead);
    }
    visits_.note_visits(kind);
  }

  /// Where many edges leave the frontier, readers are visited after all of it has pushed: each
  /// once, by one thread, without a lock. So are those of vertices that push once.
  void push_frontier(Core<P>& core, KindRun<P, K>& kind, std::size_t w) {
    if constexpr (!once) {
      if (!pushes_late_) return visits_.template push_frontier<false>(core, kind, w, vertices_);
    }
    if constexpr (once || TellsDone<Accumulator>)
      visits_.template push_frontier<true>(core, kind, w, vertices_);
  }

  bool is_large() const { return pulls_ || vertices_ > visits_.many; }

  /// The frontier, unless there is one: what waits in the least bucket, up to `last`, in `left`
  /// more buckets than the present one. False: nothing.
  bool choose(Core<P>& core, KindRun<P, K>& kind, std::uint32_t last, unsigned& left) {
    for (const Lists& lists : visits_.waiting.lists)
      if (!lists.frontier.empty()) return true;
    const std::uint32_t next = least();
    if (next == Buckets::none || next > last) return false;
    if (next != core.context.bucket || !running_) {
      if (running_ && visits_.concerns_others()) left = 0;
      if (left == 0) return running_ = false;
      --left;
      core.context.bucket = next;
      running_ = true;
    }
    const EdgeOffset edges = visits_.waiting.take_frontier(next, vertices_);
    if constexpr (TellsDone<Accumulator>) {
      pulls_ = !once && edges > std::max<EdgeOffset>(edges_left_ / 15, kind.layout().locals() / 4);
      pushes_late_ = edges > kind.layout().locals() / 8;
      edges_left_ -= std::min(edges_left_, edges);
    }
    return true;
  }

  BucketVisits<P, K> visits_;
  std::size_t vertices_ = 0;   // of the frontier
  EdgeOffset edges_left_ = 0;  // of vertices that were in none, about
  bool pulls_ = false;         // the frontier's edges are pulled; never if vertices push once
  bool pushes_late_ = false;   // else visits follow each push at once
  bool running_ = false;       // context.bucket is being run
  bool pulls_all_ = false;     // the next round gathers all that is published
};

}  // namespace gas
