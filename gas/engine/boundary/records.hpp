#pragma once

#include <algorithm>
#include <deque>

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
  struct Sums {
    std::uint64_t active = 0;                 // of the round, over all ranks
    std::uint64_t interrupted = 0;            // ranks that were
    std::uint64_t least = ~std::uint64_t{0};  // bucket of any rank, where they visit by buckets
    std::uint64_t next = ~std::uint64_t{0};   // the least of all ranks but one that has `least`
    Sums& operator+=(const Sums& more) {
      active += more.active;
      interrupted += more.interrupted;
      next = std::min({next, more.next, std::max(least, more.least)});
      least = std::min(least, more.least);
      return *this;
    }
  };

  /// From now on ranks may lag: all records up to `round` have been collected, and every rank gets
  /// each other one's last.
  void begin_at(Core<P>& core, std::uint64_t round) {
    const int self = core.mailbox.transport().rank();
    Bytes mine = sender(0, self).newest;
    const Bytes& second = sender(1, self).newest;
    const std::size_t first_size = mine.size();
    mine.insert(mine.end(), second.begin(), second.end());
    const std::vector<Bytes> all = core.mailbox.all_gather(std::move(mine));
    for (std::size_t from = 0; from < all.size(); ++from) {
      const auto second_begin = all[from].begin() + static_cast<std::ptrdiff_t>(first_size);
      sender(0, static_cast<int>(from)) = {{}, {all[from].begin(), second_begin}, round};
      sender(1, static_cast<int>(from)) = {{}, {second_begin, all[from].end()}, round};
    }
  }

  /// This rank's record of the step that ends.
  void send(Core<P>& core, Sums mine) {
    Transport& transport = core.mailbox.transport();
    const Step step = core.context.step;
    Bytes bytes = to_bytes(std::span<const Sums>(&mine, 1));
    const Bytes summary = core.local_summary().bytes();
    bytes.insert(bytes.end(), summary.begin(), summary.end());
    Sender& own = sender(step.kind, transport.rank());
    repeated_[step.kind] = bytes == own.newest;
    if (core.waits()) {
      own.newest = std::move(bytes);  // collect() sends it
      return;
    }
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating,
                              Trace::What::sending, tag_of(step));
    for (int to = 0; to < transport.size(); ++to)
      if (to != transport.rank())
        core.mailbox.async_send(to, Purpose::control, tag_of(step), bytes);
    own.push(std::move(bytes), step.round);
  }

  /// Waits for all ranks' records of `step`, the first one not yet collected. The sum of their
  /// Summaries, the same bits on every rank, becomes `into`.
  Sums collect(Core<P>& core, Step step, Summaries<P>& into) {
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating,
                              Trace::What::receiving, tag_of(step));
    if (core.waits()) return reduce(core, step, into);
    for (int from = 0; from < core.mailbox.transport().size(); ++from) {
      Sender& there = sender(step.kind, from);
      if (there.waiting.empty()) there.push(core.mailbox.take(from, tag_of(step)), step.round);
    }
    return local_collect(core, step.kind, into);
  }

  /// Was this rank's last record of each kind as the one before?
  bool repeated() const { return repeated_[0] && repeated_[1]; }

  /// Have all ranks' next records arrived that are to be collected?
  bool all_arrived(std::uint32_t kind) const {
    return std::ranges::none_of(senders_[kind], [](const Sender& s) { return s.waiting.empty(); });
  }

  /// Adds those that have arrived, in rank order.
  Sums local_collect(Core<P>& core, std::uint32_t kind, Summaries<P>& into) {
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    into.box(kind).clear();
    Sums sums;
    for (Sender& there : senders_[kind]) {
      if (there.waiting.empty()) continue;
      const Bytes& bytes = there.waiting.front();
      sums += sums_of(bytes);
      part.set(summary_of(bytes));
      into.box(kind).add(part);
      there.waiting.pop_front();
    }
    return sums;
  }

  /// The last round of any rank of which a record has arrived.
  std::uint64_t newest_round(std::uint32_t kind) const {
    std::uint64_t newest = 0;
    for (const Sender& sender : senders_[kind]) newest = std::max(newest, sender.arrived);
    return newest;
  }

  /// Other ranks' records that have arrived, all rounds.
  std::uint64_t arrived(std::uint32_t kind, int self) const {
    std::uint64_t count = 0;
    for (std::size_t from = 0; from < senders_[kind].size(); ++from)
      if (static_cast<int>(from) != self) count += senders_[kind][from].arrived;
    return count;
  }

  /// At a bound above 0: `core.context.last` becomes the sum of every rank's newest part that has
  /// arrived, one's own included.
  void local_refresh(Core<P>& core) {
    const Timeline::Span span(core.mailbox.timeline(), Activity::communicating);
    core.mailbox.local_progress();
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      SummaryBox<SummaryType<P>>& total = core.context.last.box(kind);
      bool known = true;
      for (int from = 0; from < core.mailbox.transport().size(); ++from) {
        Sender& there = sender(kind, from);
        if (from != core.mailbox.transport().rank()) {
          Bytes bytes;
          while (core.mailbox.local_try_take(from, tag_of({there.arrived + 1, kind}), bytes)) {
            core.news = core.news || bytes != there.newest;
            there.push(std::move(bytes), there.arrived + 1);
          }
        }
        known = known && !there.newest.empty();
      }
      if (!known) continue;  // a kind whose records do not exist
      total.clear();
      for (const Sender& there : senders_[kind]) {
        part.set(summary_of(there.newest));
        total.add(part);
      }
    }
  }

 private:
  struct Sender {
    std::deque<Bytes> waiting;  // to be collected
    Bytes newest;
    std::uint64_t arrived = 0;  // the round of the newest

    void push(Bytes bytes, std::uint64_t round) {
      newest = bytes;
      waiting.push_back(std::move(bytes));
      arrived = round;
    }
  };

  static Sums sums_of(const Bytes& record) {
    return from_bytes<Sums>(std::span(record).first(sizeof(Sums)))[0];
  }
  static std::span<const std::byte> summary_of(const Bytes& record) {
    return std::span(record).subspan(sizeof(Sums));
  }

  Sums reduce(Core<P>& core, Step step, Summaries<P>& into) {
    SummaryBox<SummaryType<P>>& total = into.box(step.kind);
    SummaryBox<SummaryType<P>> part = core.empty_summary();
    const Bytes sum =
        core.mailbox.reduce(tag_of(step), sender(step.kind, core.mailbox.transport().rank()).newest,
                            [&](Bytes& lower, const Bytes& upper) {
                              Sums sums = sums_of(lower);
                              sums += sums_of(upper);
                              total.set(summary_of(lower));
                              part.set(summary_of(upper));
                              total.add(part);
                              lower = to_bytes(std::span<const Sums>(&sums, 1));
                              const Bytes added = total.bytes();
                              lower.insert(lower.end(), added.begin(), added.end());
                            });
    total.set(summary_of(sum));
    return sums_of(sum);
  }

  Sender& sender(std::uint32_t kind, int rank) {
    std::vector<Sender>& senders = senders_[kind];
    if (static_cast<std::size_t>(rank) >= senders.size())
      senders.resize(static_cast<std::size_t>(rank) + 1);
    return senders[static_cast<std::size_t>(rank)];
  }
  static std::uint64_t tag_of(Step step) {
    return message_tag_of(step.round, step.kind, Channel::summary);
  }

  std::vector<Sender> senders_[2];   // by kind and rank
  bool repeated_[2] = {true, true};  // by kind
};

}  // namespace gas
