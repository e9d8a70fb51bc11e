#pragma once

#include "gas/engine/boundary/records.hpp"
#include "gas/engine/colouring.hpp"
#include "gas/engine/rank_state.hpp"
#include "gas/engine/run/rounds.hpp"
#include "gas/engine/schedule/async_visits.hpp"
#include "gas/engine/steps/bucket_rounds.hpp"
#include "gas/engine/steps/dense.hpp"
#include "gas/engine/steps/fused.hpp"

namespace gas {

/// One round of a program on one rank. How many rounds are run, and when which rank waits for
/// which, is for Running to say.
template <class P>
class Round final : public Rounds {
  using First = typename RankState<P>::First;
  using Second = typename RankState<P>::Second;
  static constexpr bool two = RankState<P>::two;

 public:
  static constexpr bool can_colour = can_be_coloured<P, First>;
  static constexpr bool in_place = visits_async<P, First>;
  static constexpr bool has_buckets = visits_by_bucket<P, First>;
  static constexpr bool always_active =
      KindRun<P, First>::every_round || (two && KindRun<P, Second>::every_round);
  static constexpr std::uint32_t last_kind = two ? 1 : 0;

  explicit Round(RankState<P>& state) : state_(state) {
    for (std::size_t kind = 0; kind < 2; ++kind) complete_.box(kind).resize(core_.summary_width);
    if constexpr (fused<P>) fused_gather.set_up(core_, first_, second_);
    if constexpr (complete<P>) dense_gather.set_up(core_, first_, second_);
  }

  void local_check(const RunOptions& options) const override { state_.check(options); }
  void local_prepare(Topology topology, Staleness staleness) override {
    state_.check_widths();
    state_.choose_topology(topology, staleness);
  }

  void start() override {
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

  /// Vertices that push once still wait where they did after the last round.
  void begin_run(const RunOptions& options) override {
    if constexpr (can_colour)
      if (coloured_) first_.store.published.keep_all();
    begin_buckets(options.order == Order::priority && options.staleness.bound == 0);
  }
  void end_run() override {
    if constexpr (has_buckets)
      if (bucketed_) buckets.end(core_, first_);
    bucketed_ = false;
  }
  void begin_at_rest() override {
    coloured_ = false;
    begin_buckets(pushes_once<First>);
  }
  void local_wake_all() override { state_.wake_all(); }

  void begin(Staleness staleness) override {
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

  void run_round(const std::function<bool()>& interrupted) override {
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
    state_.forget_again();
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

  void colour(bool wanted) override {
    if constexpr (can_colour)
      if (coloured_ = wanted; wanted && colours_.count == 0)
        colours_ = colour_vertices(core_.mailbox.transport(), *core_.executor, state_.graph,
                                   core_.context.seed);
  }

  void local_take_in() override {
    records.local_refresh(core_);
    take_in_first(false);
    if constexpr (two) take_in(core_, second_, first_, false);
  }

  void local_end_lag() override {
    if constexpr (gathers_changes<First>) first_.pushed.stands = false;
  }

  bool visits_in_place() const override { return in_place; }
  void local_begin_visits([[maybe_unused]] Order order) override {
    if constexpr (in_place) visits.begin(core_, first_, order);
  }
  void local_end_visits() override {
    if constexpr (in_place) visits.end(first_);
  }
  bool local_has_work() override {
    if constexpr (in_place && !always_active)
      return visits.has_work(first_);
    else if constexpr (!always_active)
      return local_active() > 0;
    else
      return (local_active() > 0 && (!settled() || core_.news)) ||
             core_.context.step.round < records.queues.newest_round(last_kind);
  }

  bool local_all_told() const override { return records.queues.all_arrived(last_kind); }
  std::uint64_t local_arrived() const override {
    return records.queues.arrived(last_kind, core_.mailbox.transport().rank());
  }
  void local_collect() override {
    if constexpr (two && present<SummaryType<P>>) records.local_collect(core_, 0, known());
    records.local_collect(core_, two ? 1U : 0U, known());
  }

  RecordSums collect(std::uint64_t round) override {
    if constexpr (two && present<SummaryType<P>>)
      if (!core_.waits()) records.collect(core_, {round, 0}, known());
    const auto sums = records.collect(core_, {round, two ? 1U : 0U}, known());
    least_ = static_cast<std::uint32_t>(sums.least);
    others_least_ = static_cast<std::uint32_t>(own_least_ == sums.least ? sums.next : sums.least);
    return sums;
  }

  bool converged() override {
    if constexpr (names_converged<P>) return core_.program.converged(known());
    return false;
  }

  /// The Summaries of the last round that every rank has run.
  Summaries<P>& known() { return !core_.waits() ? complete_ : core_.context.last; }

  void before_step(std::uint32_t kind) {
    core_.context.step.kind = kind;
    if constexpr (names_before_step<P>)
      core_.program.before_step(core_.context.step, core_.context.last);
  }

  std::uint64_t local_active() const override {
    std::uint64_t active = state_.local_active();
    if constexpr (has_buckets) active += buckets.waiting();
    return active;
  }

  /// Goes on after a round whose Summaries are in the context.
  void go_on() { complete_ = core_.context.last; }

  // Ways to gather and schedules that the program has:
  std::conditional_t<fused<P>, FusedGather<P>, NoType> fused_gather;
  std::conditional_t<complete<P>, DenseGather<P>, NoType> dense_gather;
  std::conditional_t<in_place, AsyncVisits<P, First>, NoType> visits;
  std::conditional_t<has_buckets, BucketRounds<P, First>, NoType> buckets;
  Records<P> records;

 private:
  void begin_buckets(bool wanted) {
    bucketed_ = wanted;
    if (!pushes_once<First>) least_ = others_least_ = Buckets::none;
    if constexpr (has_buckets)
      if (bucketed_) buckets.begin(core_, first_);
  }

  void one_kind_round() requires can_colour {
    if constexpr (has_buckets) {
      if (bucketed_ || pushes_once<First>)
        return buckets.round(core_, first_, least_, others_least_);
    }
    if constexpr (!pushes_once<First>) stepped_round();
  }

  void stepped_round() requires can_colour {
    if constexpr (in_place) {
      if (core_.staleness.bound == Staleness::async) return visits.round(core_, first_);
    }
    const std::uint64_t round = core_.context.step.round;
    if (!coloured_) return pulled_step(core_, first_, first_, AllActive{}, round);
    for (std::uint32_t colour = 0; colour < colours_.count; ++colour)
      pulled_step(core_, first_, first_, OfColour{colours_.of.data(), colour},
                  round * colours_.count + colour);
  }

  void take_in_first(bool counts_lag) {
    if constexpr (in_place) {
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

  /// Did the last round change nothing that lasts? Then another one would change nothing either,
  /// until something arrives.
  bool settled() const {
    if (!records.queues.repeated()) return false;
    if constexpr (in_place)
      return !visits.changed() && !first_.store.asks_again();
    else
      return state_.local_unchanged();
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
  bool bucketed_ = false;  // rounds of this run are by buckets
  bool coloured_ = false;  // they have a step per colour
  Colours colours_;        // edge consistency only
  Summaries<P> complete_;  // at bounds above 0
};

}  // namespace gas
