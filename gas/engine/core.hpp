#pragma once

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "gas/engine/executor.hpp"
#include "gas/engine/gather.hpp"
#include "gas/engine/inputs.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/engine/visit.hpp"
#include "gas/engine/work.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/exchange/rank_entries.hpp"
#include "gas/observe/counters.hpp"
#include "gas/observe/staleness_seen.hpp"

namespace gas {

template <class P, class K>
constexpr bool has_total = present<AccumulatorType<K>>;

/// A thread's own memory, cache lines apart from the others'.
template <class P>
struct alignas(128) Worker {
  ScratchType<P> scratch{};
  SummaryBox<SummaryType<P>> summary;  // used where adding is exact in any order
  Counters counters;
  char padding[128] = {};
};

template <class Published>
struct RowElement {
  using type = std::byte;
};
template <class T>
struct RowElement<RowOf<T>> {
  using type = T;
};

constexpr std::size_t no_entry = static_cast<std::size_t>(-1);

template <class P, class K>
[[noreturn]] void throw_nan(const VertexLayout& layout, LocalId v) {
  const char* kind = !TwoKinds<P>                     ? "vertex"
                     : std::is_same_v<K, DataType<P>> ? "data vertex"
                                                      : "parameter vertex";
  throw RunError(fmt::format("{} {} published a value that is not a number", kind, layout.rows[v]));
}

/// One kind's arrays, work lists and exchange on one rank.
template <class P, class K>
struct KindRun {
  using Accumulator = std::conditional_t<has_total<P, K>, AccumulatorType<K>, Sum<int>>;

  Vertices<P, K> vertices;
  const Adjacency* adjacency = nullptr;  // null: nothing to pull along
  Work interior, boundary, mirrors;
  RankEntries<Accumulator> entries;
  std::vector<AccumulatorArray<Accumulator>>
      row_totals;                            // one of one per worker, cache lines apart
  AccumulatorArray<Accumulator> hub_pieces;  // partial totals of split hubs
  AccumulatorArray<Accumulator> running;     // of masters, for a running total
  std::vector<std::pair<std::size_t, std::size_t>> mirror_at;  // (peer, index) by mirror
  std::size_t published_width = 0;
  using OutElement = typename RowElement<PublishedType<K>>::type;
  static constexpr std::size_t row_pad = 32;      // threads' rows lie cache lines apart
  std::vector<std::vector<OutElement>> out_rows;  // one per worker: what apply writes, rows only
  AccumulatorArray<Accumulator> complete_totals;  // of boundary masters, for scatter
  /// Is every vertex visited in every round? A Summary wants them all.
  static constexpr bool always_active =
      present<SummaryType<P>> || !gathers_values<P, K> || complete<P>;

  const VertexLayout& layout() const { return *vertices.layout; }

  void make_out_rows(std::size_t workers_count) {
    if constexpr (is_row<PublishedType<K>>) {
      out_rows.resize(workers_count);
      for (auto& row : out_rows) row.resize(row_stride(published_width) + 2 * row_pad);
    }
  }
  /// Worker w's row for apply to write.
  auto out_row(std::size_t w) requires is_row<PublishedType<K>> {
    return RowView<OutElement>(out_rows[w].data() + row_pad, published_width);
  }

  /// The running total of master v with `change` added.
  typename AccumulatorArray<Accumulator>::Ref keep_running(LocalId v, const Accumulator& change) {
    auto&& kept = running[v];
    combine<Accumulator>(kept, change);
    return kept;
  }
};

/// What all steps of a run share on one rank.
template <class P>
struct Core {
  using Edge = EdgeType<P>;
  using Summary = SummaryType<P>;

  P program;
  Mailbox mailbox;
  Executor* executor = nullptr;
  StepContext<P> context;
  std::vector<Worker<P>> workers;
  std::vector<SummaryBox<Summary>> chunk_summaries;  // of this step, in the order of the work
  std::vector<Edge> own_edges;  // where the program changes edges, or converts them
  const Edge* edges = nullptr;
  std::size_t summary_width = 0;
  Staleness staleness;  // of this run; a bound of 0 on one rank
  StalenessSeen staleness_seen;
  std::function<double(std::uint64_t)> delay;  // RunOptions::delay
  std::uint64_t visited = 0;  // vertices, mirrors among them, in this round at a bound above 0
  bool news = false;          // something else than before was taken in, since the last round began

  Core(P program_value, Transport& transport, Executor& exec)
      : program(std::move(program_value)), mailbox(transport), executor(&exec) {}

  /// Integers add up to the same in any order: one Summary per worker will do. Else one per chunk.
  static constexpr bool exact_summary = [] {
    if constexpr (RowAccumulator<Summary>) return std::is_integral_v<typename Summary::Element>;
    return !present<Summary>;
  }();

  /// Sleeps this step's share of the round's delay; like a slow computation, it moves messages
  /// along now and then.
  void dawdle() {
    if (!delay) return;
    using Clock = std::chrono::steady_clock;
    constexpr int steps = TwoKinds<P> && !complete<P> ? 2 : 1;
    const Clock::time_point until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(delay(context.step.round) / steps));
    const Timeline::Span span(mailbox.timeline(), Activity::computing, Trace::What::dawdling,
                              tag_of_step());
    constexpr Clock::duration nap = std::chrono::milliseconds(2);
    for (auto left = until - Clock::now(); left > Clock::duration{}; left = until - Clock::now()) {
      std::this_thread::sleep_for(std::min(nap, left));
      mailbox.local_progress();
    }
  }

  std::uint64_t tag_of_step() const {
    return message_tag_of(context.step.round, context.step.kind, Channel::values);
  }

  void begin_step() {
    chunk_summaries.clear();
    for (Worker<P>& worker : workers) worker.summary.clear();
  }

  /// Runs tasks of one phase; body(task, worker, summary).
  template <class Body>
  void run(std::size_t tasks, Body body) {
    const std::size_t first = chunk_summaries.size();
    if constexpr (!exact_summary) {
      chunk_summaries.resize(first + tasks);
      for (std::size_t i = first; i < chunk_summaries.size(); ++i)
        chunk_summaries[i].resize(summary_width);
    }
    executor->run(
        tasks,
        [&](std::size_t task, std::size_t w) {
          if constexpr (exact_summary) {
            body(task, w, workers[w].summary.get());
          } else {
            auto local = chunk_summaries[first + task];
            body(task, w, local.get());
            chunk_summaries[first + task] = local;
          }
        },
        [&] { mailbox.local_progress(); });
  }

  SummaryBox<Summary> empty_summary() const {
    SummaryBox<Summary> empty;
    empty.resize(summary_width);
    return empty;
  }

  /// This rank's part of the step's Summary, added in a fixed order.
  SummaryBox<Summary> local_summary() const {
    SummaryBox<Summary> sum = empty_summary();
    for (const auto& part : chunk_summaries) sum.add(part);
    if constexpr (exact_summary)
      for (const Worker<P>& worker : workers) sum.add(worker.summary);
    return sum;
  }
};

/// The partial total of edges [first, last) of vertex `v` of kind K, pulled from `values` of the
/// other ends; for a row total a view of worker `w`'s row.
template <class P, class K, class Values>
auto pull_from(Core<P>& core, KindRun<P, K>& kind, const Values& values, LocalId v,
               EdgeOffset first, EdgeOffset last, std::size_t w) {
  using Accumulator = AccumulatorType<K>;
  if constexpr (!gathers<P, K>)
    return Accumulator{};
  else {
    core.workers[w].counters.gathers += last - first;
    constexpr bool indexed = TwoKinds<P> && std::is_same_v<K, ParameterType<P>>;
    const Adjacency& a = *kind.adjacency;
    const LocalId* const neighbours = a.neighbours.data() + (a.neighbours.empty() ? 0 : first);
    const LocalId* const index = indexed ? a.edges.data() + first : nullptr;
    const auto* const data = indexed || !core.edges ? core.edges : core.edges + first;
    if constexpr (RowAccumulator<Accumulator>) {
      kind.row_totals[w].clear(0);
      Accumulator total = kind.row_totals[w][0];
      gather_row<P, K, indexed>(core.program, total, values, neighbours, index, data, last - first);
      return total;
    } else if constexpr (BeginsAccumulator<P, K>) {
      const Accumulator begin =
          core.program.begin_total(AccumulatorOf<K>{}, kind.vertices.published[v]);
      return gather_small<P, K, indexed>(core.program, values, neighbours, index, data,
                                         last - first, begin);
    } else {
      return gather_small<P, K, indexed>(core.program, values, neighbours, index, data,
                                         last - first);
    }
  }
}

/// The same, pulled from kind O's published values.
template <class P, class K, class O>
auto pull(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, LocalId v,
          EdgeOffset first, EdgeOffset last, std::size_t w) {
  return pull_from(core, kind, values_of<P, O>(other.vertices.published), v, first, last, w);
}

}  // namespace gas
