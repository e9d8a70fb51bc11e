#pragma once

#include "gas/engine/boundary/record_queues.hpp"
#include "gas/engine/core.hpp"

namespace gas {

/// What every rank tells of a step at its end: its part of the step's Summary, and at the end of a
/// round whether it has something left to do.
///
/// At staleness 0 ranks wait for each other's records and need only their sum, so they are reduced:
/// each rank sends about log₂ P of them.
///
/// Above 0 a rank sends its record to each other one itself, after the step's values and partial
/// accumulators. Messages between two ranks stay in order, so a record that has arrived says that
/// those have, too: it is the sender's clock. A record that came through a third rank could
/// overtake what it stands for, and would be late where that rank is.
template <class P>
class Records {
 public:
  using Sums = RecordSums;

  /// From now on ranks may lag: all records up to `round` have been collected, and every rank gets
  /// each other one's last.
  void begin_at(Core<P>& core, std::uint64_t round) { queues_.begin_at(core.mailbox, round); }

  /// This rank's record of the step that ends.
  void send(Core<P>& core, Sums mine) {
    queues_.send(core.mailbox, core.context.step, core.waits(),
                 RecordQueues::record_of(mine, core.local_summary().bytes()));
  }

  /// Waits for all ranks' records of `step`, the first one not yet collected. The sum of their
  /// Summaries, the same bits on every rank, becomes `into`.
  Sums collect(Core<P>& core, Step step, Summaries<P>& into) {
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating,
                              Trace::What::receiving, RecordQueues::tag_of(step));
    if (core.waits()) return reduce(core, step, into);
    queues_.receive(core.mailbox, step);
    return local_collect(core, step.kind, into);
  }

  /// Was this rank's last record of each kind as the one before?
  bool repeated() const { return queues_.repeated(); }

  /// Have all ranks' next records arrived that are to be collected?
  bool all_arrived(std::uint32_t kind) const { return queues_.all_arrived(kind); }

  /// Adds those that have arrived, in rank order.
  Sums local_collect(Core<P>& core, std::uint32_t kind, Summaries<P>& into) {
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    into.box(kind).clear();
    Sums sums;
    Bytes record;
    for (std::size_t from = 0; from < queues_.ranks(kind); ++from) {
      if (!queues_.pop(kind, from, record)) continue;
      sums += RecordQueues::sums_of(record);
      part.set(RecordQueues::summary_of(record));
      into.box(kind).add(part);
    }
    return sums;
  }

  /// The last round of any rank of which a record has arrived.
  std::uint64_t newest_round(std::uint32_t kind) const { return queues_.newest_round(kind); }

  /// Other ranks' records that have arrived, all rounds.
  std::uint64_t arrived(std::uint32_t kind, int self) const { return queues_.arrived(kind, self); }

  /// At a bound above 0: `core.context.last` becomes the sum of every rank's newest part that has
  /// arrived, one's own included.
  void local_refresh(Core<P>& core) {
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating);
    core.mailbox.local_progress();
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      // Of a kind that takes no steps there are none.
      if (!queues_.local_take_arrived(core.mailbox, kind, core.news)) continue;
      SummaryBox<SummaryType<P>>& total = core.context.last.box(kind);
      total.clear();
      for (std::size_t from = 0; from < queues_.ranks(kind); ++from) {
        part.set(RecordQueues::summary_of(queues_.newest(kind, from)));
        total.add(part);
      }
    }
  }

 private:
  Sums reduce(Core<P>& core, Step step, Summaries<P>& into) {
    SummaryBox<SummaryType<P>>& total = into.box(step.kind);
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    const Bytes sum = core.mailbox.reduce(RecordQueues::tag_of(step),
                                          queues_.own(step.kind, core.mailbox.transport().rank()),
                                          [&](Bytes& lower, const Bytes& upper) {
                                            Sums sums = RecordQueues::sums_of(lower);
                                            sums += RecordQueues::sums_of(upper);
                                            total.set(RecordQueues::summary_of(lower));
                                            part.set(RecordQueues::summary_of(upper));
                                            total.add(part);
                                            lower = RecordQueues::record_of(sums, total.bytes());
                                          });
    total.set(RecordQueues::summary_of(sum));
    return RecordQueues::sums_of(sum);
  }

  RecordQueues queues_;
};

}  // namespace gas
