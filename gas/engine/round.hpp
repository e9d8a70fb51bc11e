#pragma once

#include "gas/engine/boundary/records.hpp"
#include "gas/engine/checks/check_options.hpp"
#include "gas/engine/colouring.hpp"
#include "gas/engine/rank_state.hpp"
#include "gas/engine/schedule/async_visits.hpp"
#include "gas/engine/steps/bucket_rounds.hpp"
#include "gas/engine/steps/dense.hpp"
#include "gas/engine/steps/fused.hpp"

namespace gas {

/// One round of a program on one rank. How many rounds are run, and when which rank waits for
/// which, is for Running to say.
template <class P>
class Round {
  using First = typename RankState<P>::First;
  using Second = typename RankState<P>::Second;
  static constexpr bool two = RankState<P>::two;

 public:
  static constexpr bool can_colour = can_be_coloured<P, First>;
  static constexpr bool visits_in_place = visits_async<P, First>;
  static constexpr bool has_buckets = visits_by_bucket<P, First>;
  static constexpr bool always_active =
      KindRun<P, First>::every_round || (two && KindRun<P, Second>::every_round);
  static constexpr std::uint32_t last_kind = two ? 1 : 0;

  explicit Round(RankState<P>& state) : state_(state) {
    for (std::size_t kind = 0; kind < 2; ++kind) complete_.box(kind).resize(core_.summary_width);
    if constexpr (fused<P>) fused_gather.set_up(core_, first_, second_);
    if constexpr (complete<P>) dense_gather.set_up(core_, first_, second_);
  }

  void start() {
    const auto init = [&](auto& kind, std::uint32_t index) {
      init_kind(core_, kind, index);
      if constexpr (present<SummaryType<P>>) {
        records.send(core_, {});
        records.collect(core_, core_.context.step, core_.context.last);
      }
    };
    init(first_, 0);
    if constexpr (two) init(second_, 1);
    if constexpr (!fused<P> && !complete<P>)
      state_.each_kind([&](auto& kind, auto& other, std::uint32_t index) {
        init_partials(core_, kind, other, index);
      });
  }

  /// Everything of earlier rounds has been taken in, on every rank.
  void begin(Staleness staleness) {
    if (core_.mailbox.transport().size() == 1 && staleness.bound != Staleness::async)
      staleness.bound = 0;
    core_.staleness = staleness;
    if (staleness.bound == 0) return;
    if constexpr (gathers_changes<First>) {
      first_.pushed.make(*core_.executor, first_.layout());
      first_.pushed.stands = false;
      first_.pushed.owed = true;
    }
    records.queues.begin_at(core_.mailbox, core_.context.step.round);
    state_.each_kind([&]<class K>(KindRun<P, K>& kind, auto&, std::uint32_t) {
      kind.values.begin_at(core_.context.step.round);
      kind.store.published.keep_all();
      if constexpr (has_accumulator<K>) kind.partials.begin_at(core_.context.step.round);
    });
  }

  void run_round(const std::function<bool()>& interrupted) {
    const bool stale = !core_.waits();
    Timeline& timeline = core_.mailbox.timeline();
    core_.context.step.kind = 0;
    const Timeline::Span whole(timeline, Activity::computing, Trace::What::round,
                               core_.tag_of_step());
    std::optional<Timeline::Span> step;
    const auto next_step = [&] {
      step.emplace(timeline, Activity::computing, Trace::What::step, core_.tag_of_step());
    };
    core_.visited = 0;
    core_.news = false;
    state_.each_kind([&](auto& kind, auto&, std::uint32_t) { forget_again(kind); });
    if (stale) records.local_refresh(core_);
    before_step(0);
    next_step();
    core_.begin_step();
    if (stale) take_in_first(true);
    if constexpr (complete<P>) {
      dense_gather.data_step(core_, first_, second_);
    } else if constexpr (fused<P>) {
      fused_gather.data_step(core_, first_, second_);
    } else if constexpr (two) {
      pulled_step(core_, first_, second_, AllActive{}, core_.context.step.round);
    } else if constexpr (can_colour) {
      one_kind_round();
    } else {
      pulled_step(core_, first_, first_, AllActive{}, core_.context.step.round);
    }
    if constexpr (two) {
      if constexpr (present<SummaryType<P>>) {
        records.send(core_, {});
        if (!stale) records.collect(core_, core_.context.step, core_.context.last);
      }
      if (stale) records.local_refresh(core_);
      step.reset();
      before_step(1);
      next_step();
      core_.begin_step();
      if (stale) take_in(core_, second_, first_, true);
      if constexpr (complete<P>) {
        dense_gather.parameter_step(core_, first_, second_);
      } else if constexpr (fused<P>) {
        fused_gather.parameter_step(core_, first_, second_);
      } else {
        pulled_step(core_, second_, first_, AllActive{}, core_.context.step.round);
      }
    }
    step.reset();
    own_least_ = least_here();
    records.send(core_, {stale ? core_.visited : local_active(),
                         interrupted && interrupted() ? 1U : 0U, own_least_});
  }

  /// Edge consistency: no vertex is applied while another one gathers from it. Vertices are
  /// coloured so that none has the colour of one it gathers from, and a round has a step per
  /// colour, which reads what those before it published. So a round equals visiting its vertices
  /// one after the other. Memory: 4 bytes per vertex. Collective, before a hook may fail on a rank.
  void colour(bool wanted) requires can_colour {
    coloured = wanted;
    if (!wanted || colours_ > 0) return;
    Transport& transport = core_.mailbox.transport();
    colour_ = colour_vertices(transport, *core_.executor, state_.graph, core_.context.seed);
    colours_ = all_max(transport, colour_.empty() ? 0 : *std::ranges::max_element(colour_)) + 1;
  }

  /// Vertices that push once still wait where they did after the last round.
  void begin_buckets(bool wanted) {
    bucketed_ = wanted;
    if (!pushes_once<First>) least_ = others_least_ = Buckets::none;
    if constexpr (has_buckets)
      if (bucketed_) buckets.begin(core_, first_);
  }
  void end_buckets() {
    if constexpr (has_buckets)
      if (bucketed_) buckets.end(core_, first_);
    bucketed_ = false;
  }

  /// What has arrived for any step.
  void take_in_all() {
    take_in_first(false);
    if constexpr (two) take_in(core_, second_, first_, false);
  }

  /// After a run at a bound above 0, when all is here that was sent. True: no vertex is active.
  bool take_in_rest() {
    records.local_refresh(core_);
    take_in_all();
    const std::uint32_t active = local_active() > 0 ? 1 : 0;
    const std::uint64_t tag = message_tag_of(core_.context.step.round, 0, Channel::rest);
    return core_.mailbox.sum(tag, {&active, 1})[0] == 0;
  }

  /// In async: is a vertex active? Where all are in every round: may a visit change something, or
  /// has another rank run more rounds? (It tells what all have run.)
  bool has_work() {
    if constexpr (visits_in_place && !always_active)
      return visits.has_work(first_);
    else if constexpr (!always_active)
      return local_active() > 0;
    else
      return (local_active() > 0 && (!settled() || core_.news)) ||
             core_.context.step.round < records.queues.newest_round(last_kind);
  }

  /// What has arrived of the next round to tell of.
  void local_collect() {
    if constexpr (two && present<SummaryType<P>>) records.local_collect(core_, 0, known());
    records.local_collect(core_, two ? 1U : 0U, known());
  }

  /// Waits for the records of a round: `known()` then tells of it.
  RecordSums collect(std::uint64_t round) {
    if constexpr (two && present<SummaryType<P>>)
      if (!core_.waits()) records.collect(core_, {round, 0}, known());
    const auto sums = records.collect(core_, {round, two ? 1U : 0U}, known());
    least_ = static_cast<std::uint32_t>(sums.least);
    others_least_ = static_cast<std::uint32_t>(own_least_ == sums.least ? sums.next : sums.least);
    return sums;
  }

  /// The Summaries of the last round that every rank has run.
  Summaries<P>& known() { return !core_.waits() ? complete_ : core_.context.last; }

  void before_step(std::uint32_t kind) {
    core_.context.step.kind = kind;
    if constexpr (names_before_step<P>)
      core_.program.before_step(core_.context.step, core_.context.last);
  }

  std::uint64_t local_active() const {
    std::uint64_t active = state_.local_active();
    if constexpr (has_buckets) active += buckets.waiting();
    return active;
  }

  /// Goes on after a round whose Summaries are in the context.
  void go_on() { complete_ = core_.context.last; }

  // Ways to gather and schedules that the program has:
  std::conditional_t<fused<P>, FusedGather<P>, NoType> fused_gather;
  std::conditional_t<complete<P>, DenseGather<P>, NoType> dense_gather;
  std::conditional_t<visits_in_place, AsyncVisits<P, First>, NoType> visits;
  std::conditional_t<has_buckets, BucketRounds<P, First>, NoType> buckets;
  Records<P> records;
  bool coloured = false;  // rounds of this run have a step per colour

 private:
  /// In async a rank whose vertices are always active rests unless the last round's asked again.
  template <class K>
  void forget_again(KindRun<P, K>& kind) {
    if constexpr (KindRun<P, K>::every_round)
      if (core_.staleness.bound == Staleness::async)
        std::ranges::fill(kind.store.again, std::uint8_t{0});
  }

  void one_kind_round() requires can_colour {
    if constexpr (has_buckets) {
      if (bucketed_ || pushes_once<First>)
        return buckets.round(core_, first_, least_, others_least_);
    }
    if constexpr (!pushes_once<First>) stepped_round();
  }

  void stepped_round() requires can_colour {
    if constexpr (visits_in_place) {
      if (core_.staleness.bound == Staleness::async) return visits.round(core_, first_);
    }
    const std::uint64_t round = core_.context.step.round;
    if (!coloured) return pulled_step(core_, first_, first_, AllActive{}, round);
    for (std::uint32_t colour = 0; colour < colours_; ++colour)
      pulled_step(core_, first_, first_, OfColour{colour_.data(), colour},
                  round * colours_ + colour);
  }

  void take_in_first(bool counts_lag) {
    if constexpr (visits_in_place) {
      if (core_.staleness.bound == Staleness::async) {
        visits.take_in(core_, first_, lag_counter(core_, counts_lag));
        return;
      }
    }
    if constexpr (two)
      take_in(core_, first_, second_, counts_lag);
    else
      take_in(core_, first_, first_, counts_lag);
  }

  /// Did the last round change nothing that a vertex publishes and no sum, where changes are
  /// watched and nothing else lasts, and did no vertex ask for another visit? Then another round
  /// would change nothing either, until something arrives.
  bool settled() const {
    const auto unchanged = [](const auto& kind) {
      const auto& store = kind.store;
      return store.changed.empty() && std::ranges::find(store.again, 1) == store.again.end() &&
             (kind.every_round || store.woken.empty());
    };
    constexpr bool watched =
        !names_scatter<P> && watches_changes<P, First> && present<PublishedType<First>> &&
        (!two || (watches_changes<P, Second> && present<PublishedType<Second>>));
    if constexpr (visits_in_place)
      return records.queues.repeated() && !visits.changed() &&
             std::ranges::find(first_.store.again, 1) == first_.store.again.end();
    else if constexpr (watched && two)
      return records.queues.repeated() && unchanged(first_) && unchanged(second_);
    else
      return watched && records.queues.repeated() && unchanged(first_);
  }

  std::uint64_t least_here() {
    if constexpr (has_buckets) {
      if (const std::uint32_t least = buckets.least(); least != Buckets::none) return least;
    }
    return ~std::uint64_t{0};
  }

  RankState<P>& state_;
  Core<P>& core_ = state_.core;
  KindRun<P, First>& first_ = state_.first;
  decltype(state_.second)& second_ = state_.second;
  std::uint64_t own_least_ = 0;  // bucket of this rank, as the last record told
  std::uint32_t least_ = Buckets::none, others_least_ = Buckets::none;  // of all ranks
  bool bucketed_ = false;              // rounds of this run are by buckets
  std::vector<std::uint32_t> colour_;  // by local id; edge consistency only
  std::uint32_t colours_ = 0;
  Summaries<P> complete_;  // at bounds above 0
};

}  // namespace gas
