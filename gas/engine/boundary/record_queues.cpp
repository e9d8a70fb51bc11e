#include "gas/engine/boundary/record_queues.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gas {

Bytes RecordQueues::record_of(const RecordSums& sums, std::span<const std::byte> summary) {
  Bytes record(sizeof sums + summary.size());
  std::memcpy(record.data(), &sums, sizeof sums);
  std::ranges::copy(summary, record.begin() + sizeof sums);
  return record;
}

RecordSums RecordQueues::sums_of(std::span<const std::byte> record) {
  return from_bytes<RecordSums>(record.first(sizeof(RecordSums)))[0];
}

void RecordQueues::begin_at(Mailbox& mailbox, std::uint64_t round) {
  const int self = mailbox.transport().rank();
  Bytes mine = sender(0, self).newest;
  const Bytes& second = sender(1, self).newest;
  const std::size_t first_size = mine.size();
  mine.insert(mine.end(), second.begin(), second.end());
  const std::vector<Bytes> all = mailbox.all_gather(std::move(mine));
  for (std::size_t from = 0; from < all.size(); ++from) {
    const auto second_begin = all[from].begin() + static_cast<std::ptrdiff_t>(first_size);
    sender(0, static_cast<int>(from)) = {{}, {all[from].begin(), second_begin}, round};
    sender(1, static_cast<int>(from)) = {{}, {second_begin, all[from].end()}, round};
  }
}

void RecordQueues::send(Mailbox& mailbox, Step step, bool waits, Bytes record) {
  Transport& transport = mailbox.transport();
  Sender& own = sender(step.kind, transport.rank());
  repeated_[step.kind] = record == own.newest;
  if (waits) {
    own.newest = std::move(record);  // the reduction sends it
    return;
  }
  const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                            tag_of(step));
  for (int to = 0; to < transport.size(); ++to)
    if (to != transport.rank()) mailbox.async_send(to, Purpose::control, tag_of(step), record);
  own.push(std::move(record), step.round);
}

void RecordQueues::receive(Mailbox& mailbox, Step step) {
  for (int from = 0; from < mailbox.transport().size(); ++from) {
    Sender& there = sender(step.kind, from);
    if (there.waiting.empty()) there.push(mailbox.take(from, tag_of(step)), step.round);
  }
}

bool RecordQueues::local_take_arrived(Mailbox& mailbox, std::uint32_t kind, bool& news) {
  bool known = true;
  for (int from = 0; from < mailbox.transport().size(); ++from) {
    Sender& there = sender(kind, from);
    if (from != mailbox.transport().rank()) {
      Bytes bytes;
      while (mailbox.local_try_take(from, tag_of({there.arrived + 1, kind}), bytes)) {
        news = news || bytes != there.newest;
        there.push(std::move(bytes), there.arrived + 1);
      }
    }
    known = known && !there.newest.empty();
  }
  return known;
}

bool RecordQueues::pop(std::uint32_t kind, std::size_t rank, Bytes& record) {
  Sender& there = senders_[kind][rank];
  if (there.waiting.empty()) return false;
  record = std::move(there.waiting.front());
  there.waiting.pop_front();
  return true;
}

bool RecordQueues::all_arrived(std::uint32_t kind) const {
  return std::ranges::none_of(senders_[kind], [](const Sender& s) { return s.waiting.empty(); });
}

std::uint64_t RecordQueues::newest_round(std::uint32_t kind) const {
  std::uint64_t newest = 0;
  for (const Sender& sender : senders_[kind]) newest = std::max(newest, sender.arrived);
  return newest;
}

std::uint64_t RecordQueues::arrived(std::uint32_t kind, int self) const {
  std::uint64_t count = 0;
  for (std::size_t from = 0; from < senders_[kind].size(); ++from)
    if (static_cast<int>(from) != self) count += senders_[kind][from].arrived;
  return count;
}

void RecordQueues::Sender::push(Bytes bytes, std::uint64_t round) {
  newest = bytes;
  waiting.push_back(std::move(bytes));
  arrived = round;
}

RecordQueues::Sender& RecordQueues::sender(std::uint32_t kind, int rank) {
  std::vector<Sender>& senders = senders_[kind];
  if (static_cast<std::size_t>(rank) >= senders.size())
    senders.resize(static_cast<std::size_t>(rank) + 1);
  return senders[static_cast<std::size_t>(rank)];
}

}  // namespace gas
