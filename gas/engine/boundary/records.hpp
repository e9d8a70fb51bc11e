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
  RecordQueues queues;

  /// This rank's record of the step that ends.
  void send(Core<P>& core, RecordSums mine) {
    queues.send(core.mailbox, core.context.step, core.waits(),
                RecordQueues::record_of(mine, core.local_summary().bytes()));
  }

  /// Waits for all ranks' records of `step`, the first one not yet collected. The sum of their
  /// Summaries, the same bits on every rank, becomes `into`.
  RecordSums collect(Core<P>& core, Step step, Summaries<P>& into) {
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating,
                              Trace::What::receiving, RecordQueues::tag_of(step));
    if (core.waits()) return reduce(core, step, into);
    queues.receive(core.mailbox, step);
    return local_collect(core, step.kind, into);
  }

  /// Adds those that have arrived, in rank order.
  RecordSums local_collect(Core<P>& core, std::uint32_t kind, Summaries<P>& into) {
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    into.box(kind).clear();
    RecordSums sums;
    Bytes record;
    for (std::size_t from = 0; from < queues.ranks(kind); ++from) {
      if (!queues.pop(kind, from, record)) continue;
      sums += RecordQueues::sums_of(record);
      part.set(RecordQueues::summary_of(record));
      into.box(kind).add(part);
    }
    return sums;
  }

  /// At a bound above 0: `core.context.last` becomes the sum of every rank's newest part that has
  /// arrived, one's own included.
  void local_refresh(Core<P>& core) {
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating);
    core.mailbox.local_progress();
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      // Of a kind that takes no steps there are none.
      if (!queues.local_take_arrived(core.mailbox, kind, core.news)) continue;
      SummaryBox<SummaryType<P>>& total = core.context.last.box(kind);
      total.clear();
      for (std::size_t from = 0; from < queues.ranks(kind); ++from) {
        part.set(RecordQueues::summary_of(queues.newest(kind, from)));
        total.add(part);
      }
    }
  }

 private:
  RecordSums reduce(Core<P>& core, Step step, Summaries<P>& into) {
    SummaryBox<SummaryType<P>>& total = into.box(step.kind);
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    const Bytes sum = core.mailbox.reduce(RecordQueues::tag_of(step),
                                          queues.own(step.kind, core.mailbox.transport().rank()),
                                          [&](Bytes& lower, const Bytes& upper) {
                                            RecordSums sums = RecordQueues::sums_of(lower);
                                            sums += RecordQueues::sums_of(upper);
                                            total.set(RecordQueues::summary_of(lower));
                                            part.set(RecordQueues::summary_of(upper));
                                            total.add(part);
                                            lower = RecordQueues::record_of(sums, total.bytes());
                                          });
    total.set(RecordQueues::summary_of(sum));
    return RecordQueues::sums_of(sum);
  }
};

}  // namespace gas
