#pragma once

#include <memory>

#include "gas/engine/boundary/records.hpp"
#include "gas/engine/bucket_rounds.hpp"
#include "gas/engine/check_options.hpp"
#include "gas/engine/colouring.hpp"
#include "gas/engine/schedule/async_visits.hpp"
#include "gas/engine/set_up.hpp"
#include "gas/engine/steps/dense.hpp"
#include "gas/engine/steps/fused.hpp"
#include "gas/engine/store/along.hpp"

namespace gas {

/// What one rank holds of a program and its graph, and one round of it. How many rounds are run,
/// and when which rank waits for which, is Engine's business, whose part this is.
template <class P>
class Round {
 protected:
  using First = FirstKind<P>;
  using Second = std::conditional_t<TwoKinds<P>, ParameterType<P>, NoType>;
  using Edge = EdgeType<P>;
  static constexpr bool two = TwoKinds<P>;
  /// Edges are the graph's own values, where they are of this type, unless the program changes them
  /// or has another type.
  static constexpr bool owns_edges =
      present<Edge> &&
      ((!std::is_same_v<Edge, float> && !std::is_same_v<Edge, double>) || names_scatter<P>);
  static constexpr bool can_colour = can_be_coloured<P, First>;
  static constexpr bool visits_in_place = visits_async<P, First>;
  static constexpr bool turned = along_of<First> != Along::in;
  static constexpr bool has_buckets = visits_by_bucket<P, First>;
  static constexpr bool always_active =
      KindRun<P, First>::every_round || (two && KindRun<P, Second>::every_round);
  static constexpr std::uint32_t last_kind = two ? 1 : 0;
  static constexpr bool reverse_side =
      two && !complete<P> &&
      (gathers_edges_only<P, Second> || (gathers_values<P, Second> && !fused<P>) ||
       scatters<P, Second, Visit<P, Second>>);

  Round(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> graph,
        P program, std::uint64_t seed)
      : graph_(std::move(graph)), core_(std::move(program), transport, executor) {
    core_.context.seed = seed;
    core_.context.counts[0] = graph_->home.count;
    core_.context.counts[1] = graph_->parameter.count;
    core_.summary_width = width_of(core_.program, SummaryOf{});
    core_.workers.resize(executor.workers());
    for (Worker<P>& worker : core_.workers) worker.summary.resize(core_.summary_width);
    for (std::size_t kind = 0; kind < 2; ++kind) {
      core_.context.last.box(kind).resize(core_.summary_width);
      complete_.box(kind).resize(core_.summary_width);
    }
    set_up_edges();
    if constexpr (turned) layout_ = layout_along(graph_->home, along_of<First>);
    set_up_kind(core_, first_, turned ? layout_ : graph_->home, adjacency_of<First>());
    first_.symmetric = graph_->symmetric && !turned;
    if constexpr (two) {
      set_up_kind(core_, second_, graph_->parameter, adjacency_of<Second>());
      fused_.set_up(core_, first_, second_);
      dense_.set_up(core_, first_, second_);
    }
  }
  template <class K>
  auto& run_of() {
    static_assert(is_kind<P, K>, "local_…<Kind> takes a kind of the program");
    if constexpr (std::is_same_v<K, First>)
      return first_;
    else
      return second_;
  }
  template <class K>
  const auto& run_of() const {
    static_assert(is_kind<P, K>, "local_…<Kind> takes a kind of the program");
    if constexpr (std::is_same_v<K, First>)
      return first_;
    else
      return second_;
  }

  template <class K>
  const Adjacency* adjacency_of() const {
    if constexpr (complete<P>)
      return nullptr;
    else if constexpr (std::is_same_v<K, First>)
      return turned ? &other_side_ : &graph_->adjacency;
    else if constexpr (reverse_side)
      return &other_side_;
    else
      return nullptr;
  }

  void set_up_edges() {
    const Adjacency& a = graph_->adjacency;
    if constexpr (present<Edge> && std::is_convertible_v<float, Edge>) {
      const std::vector<float>& values = graph_->values;
      const std::vector<double>& wide = graph_->wide_values;
      constexpr bool is_double = std::is_same_v<Edge, double>;
      if (!is_double && !wide.empty())
        throw UsageError("the values of this graph's edges need a program whose Edge is double");
      const Edge* lent = nullptr;
      if constexpr (!owns_edges && is_double) lent = wide.empty() ? nullptr : wide.data();
      if constexpr (!owns_edges && !is_double) lent = values.empty() ? nullptr : values.data();
      if (lent == nullptr) {
        std::vector<Edge>& own = core_.own_edges;
        own.assign(a.neighbours.size(), Edge(1.0F));
        for (std::size_t e = 0; e < values.size(); ++e) own[e] = Edge(values[e]);
        if constexpr (is_double)
          if (!wide.empty()) own = wide;
      }
      core_.edges = lent != nullptr ? lent : core_.own_edges.data();
    } else if constexpr (present<Edge>) {
      core_.own_edges.resize(a.neighbours.size());
      core_.edges = core_.own_edges.data();
    }
    if constexpr (reverse_side)
      other_side_ = reversed(a, graph_->parameter.locals(),
                             gathers_values<P, Second> || scatters<P, Second, Visit<P, Second>>);
    if constexpr (turned) other_side_ = adjacency_along(a, along_of<First>, present<Edge>);
  }

  void start() {
    const auto init = [&](auto& kind, std::uint32_t index) {
      init_kind(core_, kind, index);
      if constexpr (present<SummaryType<P>>) {
        records_.send(core_, {});
        records_.collect(core_, core_.context.step, core_.context.last);
      }
    };
    init(first_, 0);
    if constexpr (two) init(second_, 1);
    if constexpr (two && !fused<P> && !complete<P>) {
      init_partials(core_, first_, second_, 0);
      init_partials(core_, second_, first_, 1);
    } else if constexpr (!two) {
      init_partials(core_, first_, first_, 0);
    }
  }

  /// Everything of earlier rounds has been taken in, on every rank.
  void begin(Staleness staleness) {
    if (core_.mailbox.transport().size() == 1 && staleness.bound != Staleness::async)
      staleness.bound = 0;
    core_.staleness = staleness;
    if (staleness.bound == 0) return;
    if constexpr (gathers_changes<First>) first_.pushed.stands = false;
    records_.begin_at(core_, core_.context.step.round);
    begin_at(first_);
    if constexpr (two) begin_at(second_);
  }

  template <class K>
  void begin_at(KindRun<P, K>& kind) {
    kind.values.begin_at(core_.context.step.round);
    kind.store.published.keep_all();
    if constexpr (has_accumulator<K>) kind.partials.begin_at(core_.context.step.round);
  }

  /// Throws UsageError where a vertex of this rank's would have to scatter with a total that is not
  /// complete, or where a mirror would push a difference again that has been pushed already.
  void check_split(Staleness staleness) const {
    const auto check = [&]<class K>(const KindRun<P, K>& kind) {
      if (!kind.layout().splits()) return;
      if constexpr (scatters<P, K, Visit<P, K>>) {
        if (staleness.bound > 0)
          throw UsageError(
              "the partition splits vertices that scatter over ranks, which takes staleness 0: "
              "choose one whose edges follow them");
        if (!kind.every_round)
          throw UsageError(
              "the partition splits vertices that scatter over ranks, which takes vertices that "
              "are active in every round: choose one whose edges follow them");
      }
      if constexpr (fused<P> && is_running<typename KindRun<P, OppositeOf<P, K>>::Accumulator>) {
        if (staleness.bound > 0)
          throw UsageError(
              "the partition splits vertices that push differences over ranks, which takes "
              "staleness 0: choose one whose edges follow them");
      }
    };
    check(first_);
    if constexpr (two) check(second_);
  }

  void run_round(const RunOptions& options) {
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
    forget_again(first_);
    if constexpr (two) forget_again(second_);
    if (stale) records_.local_refresh(core_);
    before_step(0);
    next_step();
    core_.begin_step();
    if (stale) take_in_first(true);
    if constexpr (complete<P>) {
      dense_.data_step(core_, first_, second_);
    } else if constexpr (fused<P>) {
      fused_.data_step(core_, first_, second_);
    } else if constexpr (two) {
      pulled_step(core_, first_, second_, AllActive{}, core_.context.step.round);
    } else if constexpr (can_colour) {
      one_kind_round();
    } else {
      pulled_step(core_, first_, first_, AllActive{}, core_.context.step.round);
    }
    if constexpr (two) {
      if constexpr (present<SummaryType<P>>) {
        records_.send(core_, {});
        if (!stale) records_.collect(core_, core_.context.step, core_.context.last);
      }
      if (stale) records_.local_refresh(core_);
      step.reset();
      before_step(1);
      next_step();
      core_.begin_step();
      if (stale) take_in(core_, second_, first_, true);
      if constexpr (complete<P>) {
        dense_.parameter_step(core_, first_, second_);
      } else if constexpr (fused<P>) {
        fused_.parameter_step(core_, first_, second_);
      } else {
        pulled_step(core_, second_, first_, AllActive{}, core_.context.step.round);
      }
    }
    step.reset();
    records_.send(core_,
                  {stale ? core_.visited : local_active(),
                   options.interrupted && options.interrupted->load() ? 1U : 0U, least_here()});
  }

  /// In async a rank whose vertices are always active rests unless the last round's asked again.
  template <class K>
  void forget_again(KindRun<P, K>& kind) {
    if constexpr (KindRun<P, K>::every_round)
      if (core_.staleness.bound == Staleness::async)
        std::ranges::fill(kind.store.again, std::uint8_t{0});
  }

  void one_kind_round() requires can_colour {
    if constexpr (has_buckets) {
      if (bucketed_ || pushes_once<First>) return buckets_.round(core_, first_, least_);
    }
    if constexpr (!pushes_once<First>) stepped_round();
  }

  void stepped_round() requires can_colour {
    if constexpr (visits_in_place) {
      if (core_.staleness.bound == Staleness::async) return visits_.round(core_, first_);
    }
    const std::uint64_t round = core_.context.step.round;
    if (!coloured_) return pulled_step(core_, first_, first_, AllActive{}, round);
    for (std::uint32_t colour = 0; colour < colours_; ++colour)
      pulled_step(core_, first_, first_, OfColour{colour_.data(), colour},
                  round * colours_ + colour);
  }

  /// Edge consistency: no vertex is applied while another one gathers from it. Vertices are
  /// coloured so that none has the colour of one it gathers from, and a round has a step per
  /// colour, which reads what those before it published. So a round equals visiting its vertices
  /// one after the other. Memory: 4 bytes per vertex. Collective.
  void colour() requires can_colour {
    first_.store.published.keep_all();
    if (colours_ > 0) return;
    Transport& transport = core_.mailbox.transport();
    colour_ = colour_vertices(transport, *core_.executor, graph_, core_.context.seed);
    colours_ = all_max(transport, colour_.empty() ? 0 : *std::ranges::max_element(colour_)) + 1;
  }

  void begin_buckets(bool wanted) {
    bucketed_ = wanted;
    least_ = Buckets::none;
    if constexpr (has_buckets) bucketed_ ? buckets_.begin(core_, first_) : buckets_.settle(first_);
  }
  void end_buckets() {
    if constexpr (has_buckets)
      if (bucketed_) buckets_.end(core_, first_);
    bucketed_ = false;
  }

  void take_in_first(bool counts_lag) {
    if constexpr (visits_in_place) {
      if (core_.staleness.bound == Staleness::async) {
        visits_.take_in(core_, first_, lag_counter(core_, counts_lag));
        return;
      }
    }
    if constexpr (two)
      take_in(core_, first_, second_, counts_lag);
    else
      take_in(core_, first_, first_, counts_lag);
  }

  /// What has arrived for any step.
  void take_in_all(bool counts_lag) {
    take_in_first(counts_lag);
    if constexpr (two) take_in(core_, second_, first_, counts_lag);
  }

  /// After a run at a finite bound above 0, when all ranks' last records are here and with them all
  /// that they sent.
  void take_in_rest() {
    records_.local_refresh(core_);
    take_in_all(false);
  }

  /// In async: is a vertex active? Where all are in every round: may a visit change something, or
  /// has another rank run more rounds? (It tells what all have run.)
  bool has_work() {
    if constexpr (visits_in_place && !always_active)
      return visits_.has_work(first_);
    else if constexpr (!always_active)
      return local_active() > 0;
    else
      return (local_active() > 0 && (!settled() || core_.news)) ||
             core_.context.step.round < records_.newest_round(last_kind);
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
      return records_.repeated() && !visits_.changed() &&
             std::ranges::find(first_.store.again, 1) == first_.store.again.end();
    else if constexpr (watched && two)
      return records_.repeated() && unchanged(first_) && unchanged(second_);
    else
      return watched && records_.repeated() && unchanged(first_);
  }

  /// What has arrived of the next round to tell of.
  void local_collect() {
    if constexpr (two && present<SummaryType<P>>) records_.local_collect(core_, 0, known());
    records_.local_collect(core_, two ? 1U : 0U, known());
  }

  /// Waits for the records of a round: `known()` then tells of it.
  typename Records<P>::Sums collect(std::uint64_t round) {
    if constexpr (two && present<SummaryType<P>>)
      if (!core_.waits()) records_.collect(core_, {round, 0}, known());
    const auto sums = records_.collect(core_, {round, two ? 1U : 0U}, known());
    least_ = static_cast<std::uint32_t>(sums.least);
    return sums;
  }

  std::uint64_t least_here() {
    if constexpr (has_buckets) {
      if (const std::uint32_t least = buckets_.least(); least != Buckets::none) return least;
    }
    return ~std::uint64_t{0};
  }

  /// The Summaries of the last round that every rank has run.
  Summaries<P>& known() { return !core_.waits() ? complete_ : core_.context.last; }

  /// All vertices of all kinds are active in the next round.
  void wake_all() {
    if constexpr (gathers_changes<First>) first_.pushed.stands = false;
    first_.store.woken.fill();
    if constexpr (two) second_.store.woken.fill();
  }

  void before_step(std::uint32_t kind) {
    core_.context.step.kind = kind;
    if constexpr (names_before_step<P>)
      core_.program.before_step(core_.context.step, core_.context.last);
  }

  std::uint64_t local_active() const {
    std::uint64_t active = count_active(first_);
    if constexpr (two) active += count_active(second_);
    if constexpr (has_buckets) active += buckets_.waiting();
    return active;
  }

  template <class K>
  static std::uint64_t count_active(const KindRun<P, K>& kind) {
    return kind.every_round ? kind.layout().masters() : kind.store.woken.size();
  }

  std::shared_ptr<const LocalGraph> graph_;
  Core<P> core_;
  Adjacency other_side_;  // the parameters', or that of gathers_along
  VertexLayout layout_;   // where gathers_along says so, else the graph's own
  KindRun<P, First> first_;
  std::conditional_t<two, KindRun<P, Second>, NoType> second_;
  FusedGather<P> fused_;
  DenseGather<P> dense_;
  std::conditional_t<visits_in_place, AsyncVisits<P, First>, NoType> visits_;
  std::conditional_t<has_buckets, BucketRounds<P, First>, NoType> buckets_;
  std::uint32_t least_ = Buckets::none;  // bucket of all ranks, in the last round
  bool bucketed_ = false;                // rounds of this run are by buckets
  std::vector<std::uint32_t> colour_;    // by local id; edge consistency only
  std::uint32_t colours_ = 0;
  bool coloured_ = false;  // rounds of this run have a step per colour
  Records<P> records_;
  Summaries<P> complete_;  // at bounds above 0
};

}  // namespace gas
