#pragma once

#include "gas/engine/gather/scatter.hpp"
#include "gas/engine/schedule/push_changes.hpp"
#include "gas/engine/sweep.hpp"

namespace gas {

/// One step's exchange with the other ranks about kind K, which reads kind O: the partial
/// accumulators of mirrors go to their masters, the masters' values to their mirrors. At staleness
/// 0 it waits for what the step of each other rank sends; above it takes in what has arrived.
/// `visited(v)`: v takes part in this step.
template <class P, class K, class O, class Visited>
class Boundary {
  using Accumulator = typename KindRun<P, K>::Accumulator;

 public:
  /// `turn` numbers the message of this step: the round, or one of its parts.
  Boundary(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, std::uint64_t turn,
           Visited visited)
      : core_(core), kind_(kind), other_(other), turn_(turn), visited_(visited) {}

  /// Do masters here wait for partial accumulators of other ranks? By stages every rank does, if
  /// only to pass them on.
  bool expects() const {
    if (kind_.by_stages()) return true;
    if constexpr (has_accumulator<K>) return kind_.partials.expects();
    return false;
  }

  /// Forms the partial accumulators of mirrors.
  template <class Partial>
  void form_mirrors(const Work& mirrors, Partial partial) {
    form(mirrors, partial,
         [](auto& partials, LocalId v, auto& total) { partials.put_mirror(v, total); });
  }

  /// Forms this rank's own part of the accumulators of boundary masters.
  template <class Partial>
  void form_own(const Work& boundary, Partial partial) {
    form(boundary, partial,
         [](auto& partials, LocalId v, auto& total) { partials.put_own(v, total); });
  }

  /// By stages nothing leaves before receive_partials: what a rank sends on has others' in it.
  void send_partials() {
    if (kind_.by_stages()) return;
    if constexpr (has_accumulator<K>)
      kind_.partials.send(core_.mailbox, tag(Channel::totals), kind_.store.woken, visited_);
  }

  /// Waits for the partial accumulators of the others, and wakes the masters that got one.
  void receive_partials() {
    if (by_stages([&](auto& staged) { staged.reduce(core_.mailbox, tag(Channel::totals)); }))
      return;  // they are awake in every round
    if constexpr (has_accumulator<K>)
      kind_.partials.receive(core_.mailbox, tag(Channel::totals),
                             [&](LocalId v) { kind_.store.woken.add(v); });
  }

  void send_values() {
    if (!kind_.by_stages()) kind_.values.send(core_.mailbox, kind_.store, tag(Channel::values));
  }
  void receive_values() {
    const std::uint64_t tag = this->tag(Channel::values);
    if (!by_stages([&](auto& staged) { staged.spread(core_.mailbox, kind_.store, tag); }))
      kind_.values.receive(core_.mailbox, kind_.store, tag);
  }

  /// Visits boundary masters with the sum of all ranks' partial accumulators.
  template <class Use>
  void visit_whole(const Work& boundary, Use use) {
    if constexpr (has_accumulator<K>)
      core_.visit_tasks(boundary.chunks.size(), kind_,
                        [&](std::size_t task, std::size_t w, Visit<P, K>& visit) {
                          const Chunk chunk = boundary.chunks[task];
                          for (LocalId i = chunk.first; i < chunk.last; ++i) {
                            const LocalId v = boundary.at(i);
                            if (!visited_(v)) continue;
                            visit.at(v);
                            auto&& total = kind_.store.fresh(w);
                            if (!by_stages([&](auto& staged) { staged.sum(v, total); }))
                              kind_.partials.sum(v, total);
                            if constexpr (scatters<P, K, Visit<P, K>>)
                              put<Accumulator>(kind_.complete, v - kind_.layout().interior, total);
                            use(v, total, visit, w);
                          }
                        });
  }

  /// The complete accumulators travel back to the mirrors that gathered, and each rank scatters
  /// over its own edges.
  void scatter_mirrors() {
    const std::uint64_t tag_back = tag(Channel::complete_totals);
    kind_.partials.send_complete(core_.mailbox, tag_back, kind_.complete);
    kind_.partials.receive_complete(core_.mailbox, tag_back);
    const Work& mirrors = kind_.all.mirrors;
    core_.visit_tasks(mirrors.chunks.size(), kind_,
                      [&](std::size_t task, std::size_t w, Visit<P, K> visit) {
                        const Chunk chunk = mirrors.chunks[task];
                        for (LocalId v = chunk.first; v < chunk.last; ++v) {
                          if (!kind_.partials.gathers(v)) continue;
                          visit.at(v);
                          auto&& total = kind_.store.fresh(w);
                          kind_.partials.add_complete(v, total);
                          K elsewhere{};  // the private state stays with the master
                          scatter_edges(core_, kind_, other_, elsewhere, total, visit, v, w);
                        }
                      });
  }

 private:
  std::uint64_t tag(Channel channel) const {
    return message_tag_of(turn_, core_.context.step.kind, channel);
  }

  /// f(the exchange by stages) if there is one. → Was there?
  template <class F>
  bool by_stages([[maybe_unused]] F f) {
    if constexpr (goes_by_stages<P, K>)
      if (kind_.staged.on()) return f(kind_.staged), true;
    return false;
  }

  template <class Partial, class Put>
  void form(const Work& work, Partial partial, Put put) {
    if constexpr (has_accumulator<K>)
      sweep(core_, kind_, other_, work, visited_, partial,
            [&](LocalId v, auto& total, Visit<P, K>&, std::size_t) {
              if constexpr (gathers_changes<K> && !pushes_once<K>)
                if (!core_.waits()) {  // the message before may be replaced unread: send all since
                  kind_.pushed.kept[v] += total;
                  total = kind_.pushed.kept[v];
                }
              if (!by_stages([&](auto& staged) { staged.put(v, total); }))
                put(kind_.partials, v, total);
            });
  }

  Core<P>& core_;
  KindRun<P, K>& kind_;
  const KindRun<P, O>& other_;
  std::uint64_t turn_;
  Visited visited_;
};

/// Told the last round of another rank that has been taken in; counts by how much it lags.
template <class P>
auto lag_counter(Core<P>& core, bool counts) {
  return [&core, counts, round = core.context.step.round](std::uint64_t seen) {
    if (counts) core.staleness_seen.add(seen + 1 >= round ? 0 : round - 1 - seen);
  };
}

/// Takes in all that has arrived for a step of kind K at a bound above 0: values of mirrors of O,
/// the kind that it reads, and partial accumulators of K's masters; and wakes the vertices that
/// they concern, or pushes to those that gather changes. What the bound demands has arrived before
/// (see Records). The fused pass reads mirrors of its own kind, too.
template <class P, class K, class O>
void take_in(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, bool counts_lag) {
  const auto lag = lag_counter(core, counts_lag);
  constexpr std::uint32_t other_index = TwoKinds<P> && !std::is_same_v<O, DataType<P>> ? 1 : 0;
  constexpr std::uint32_t index = TwoKinds<P> && !std::is_same_v<K, DataType<P>> ? 1 : 0;
  const auto take_values = [&](auto& from, std::uint32_t step) {
    from.values.take(core.mailbox, from.store, step, lag, [&](LocalId v, auto update) {
      core.news = true;
      update();
      // The next pass is to push it.
      if constexpr (fused<P> &&
                    std::is_same_v<std::decay_t<decltype(from)>, KindRun<P, DataType<P>>>)
        from.store.woken.add(v);
      // Mirrors, too, gather anew where gather reads their own value.
      if constexpr (reads_own<P, O>) other.store.woken.add(v);
    });
  };
  take_values(other, other_index);
  if constexpr (fused<P> && index == 0) take_values(kind, index);
  if constexpr (has_accumulator<K>) {
    const bool news =
        kind.partials.take(core.mailbox, index, lag, [&](LocalId v, auto& from, std::size_t i) {
          if constexpr (is_running<typename KindRun<P, K>::Accumulator>) {
            auto&& kept = kind.store.running[v];
            from.add_to(kept, i);
          }
          kind.store.woken.add(v);
        });
    core.news = core.news || news;
  }
  if constexpr (gathers_changes<K>)
    if (!kind.pushed.owed && push_changes(core, kind)) return;
  if (kind.store.adjacency != nullptr) wake(core, kind, other);
}

}  // namespace gas
