#pragma once

#include <deque>

#include "gas/engine/core.hpp"

namespace gas {

/// What every rank tells all others at the end of a step: its part of the step's Summary, and at
/// the end of a round whether it has something left to do. It is sent after the step's values and
/// totals, so that who has it has those, too: it is the rank's clock.
template <class P>
class Records {
 public:
  struct Sums {
    std::uint64_t active = 0;       // of the round, over all ranks
    std::uint64_t interrupted = 0;  // ranks that were
  };

  void send(Core<P>& core, Sums mine) {
    Transport& transport = core.mailbox.transport();
    Bytes bytes = to_bytes(std::span<const Sums>(&mine, 1));
    const Bytes summary = core.local_summary().bytes();
    bytes.insert(bytes.end(), summary.begin(), summary.end());
    const std::uint64_t tag = tag_of(core.context.step);
    for (int to = 0; to < transport.size(); ++to)
      if (to != transport.rank()) transport.async_send(to, Purpose::control, tag, bytes);
    mine_.push_back(std::move(bytes));
  }

  /// Waits for all ranks' records of `step`, the first one not yet collected, and adds them in rank
  /// order: `core.context.last` then tells of it.
  Sums collect(Core<P>& core, Step step) {
    Transport& transport = core.mailbox.transport();
    SummaryBox<SummaryType<P>> box;
    box.resize(core.summary_width);
    SummaryBox<SummaryType<P>>& total = core.context.last.box(step.kind);
    total.clear();
    Sums sums;
    for (int from = 0; from < transport.size(); ++from) {
      const Bytes in = from == transport.rank() ? std::move(mine_.front())
                                                : core.mailbox.take(from, tag_of(step));
      const auto record = from_bytes<Sums>(std::span(in).first(sizeof(Sums)))[0];
      sums.active += record.active;
      sums.interrupted += record.interrupted;
      box.set(std::span(in).subspan(sizeof(Sums)));
      total.add(box);
    }
    mine_.pop_front();
    return sums;
  }

 private:
  static std::uint64_t tag_of(Step step) {
    return message_tag_of(step.round, step.kind, Channel::summary);
  }

  std::deque<Bytes> mine_;  // sent, not yet collected
};

}  // namespace gas
