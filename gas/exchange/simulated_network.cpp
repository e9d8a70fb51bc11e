#include "gas/exchange/simulated_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gas {
namespace {

double in_microseconds(VirtualTime time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

SimulatedNetwork SimulatedNetwork::drawn(std::uint64_t seed) {
  using std::chrono::nanoseconds;
  Draws draws(Random(seed).stream(1).bits(0));
  const auto one_of = [&](auto... choices) {
    return std::array{choices...}[draws.below(sizeof...(choices))];
  };
  SimulatedNetwork network;
  network.seed = seed;
  network.call = nanoseconds(one_of(200, 5'000, 50'000));
  network.delay = nanoseconds(one_of(0, 2'000, 20'000, 200'000));
  network.late_chance = one_of(0.0, 1.0 / 16, 0.25);
  network.clog_chance = one_of(0.0, 1.0 / 64, 0.125);
  network.clog = nanoseconds(one_of(100'000, 500'000, 5'000'000));
  network.slow_chance = one_of(0.0, 1.0 / 128, 1.0 / 32);
  network.slow = nanoseconds(one_of(100'000, 1'000'000, 10'000'000));
  network.slow_factor = one_of(4U, 16U, 64U);
  return network;
}

VirtualTime SimulatedWire::arrival(std::size_t from, std::size_t to, VirtualTime now) {
  ++moves_;
  if (from == to) return now;
  Link& way = link(from, to);
  if (now >= way.clogged_until && draws_.chance(network_.clog_chance)) clog(from, to, now);
  VirtualTime travel = about(draws_, network_.delay);
  if (draws_.chance(network_.late_chance)) travel *= 16;
  const VirtualTime at = std::max(now + travel, way.clogged_until);
  if (!network_.in_order) return at;
  return way.last_arrival = std::max(at, way.last_arrival);
}

/// For how long a message keeps both ends busy.
VirtualTime SimulatedWire::busy_with(const Message& message) const {
  if (network_.bytes_per_second == 0) return network_.per_message;
  const double seconds = static_cast<double>(message.bytes.size()) / network_.bytes_per_second;
  return network_.per_message + VirtualTime(static_cast<std::int64_t>(1e9 * seconds));
}

/// What is under way is stopped too.
void SimulatedWire::clog(std::size_t from, std::size_t to, VirtualTime now) {
  Link& way = link(from, to);
  way.clogged_until = now + about(draws_, network_.clog);
  const auto stop = [&](auto& sent) {
    for (auto& one : sent)
      if (one.arrival > now) one.arrival = std::max(one.arrival, way.clogged_until);
  };
  stop(way.messages);
  stop(way.blocks);
  look_for_next(to);
  ++clogs_;
  if (network_.log)
    *network_.log << fmt::format("{:.3f} us: {} to {} clogged until {:.3f} us\n",
                                 in_microseconds(now), from, to,
                                 in_microseconds(way.clogged_until));
}

void SimulatedWire::send(std::size_t to, VirtualTime now, Message message) {
  const auto from = static_cast<std::size_t>(message.from);
  const VirtualTime busy = busy_with(message);
  if (from != to && busy > VirtualTime{}) {
    VirtualTime& sends_until = ports_[from].sends_until;
    const VirtualTime begins = std::max(sends_until, now);
    sends_until = begins + busy;
    receive(to, now);
    ports_[to].coming.emplace(arrival(from, to, begins), Coming{busy, std::move(message)});
    return;
  }
  const VirtualTime at = arrival(from, to, now);
  if (network_.twice_chance > 0 && from != to && draws_.chance(network_.twice_chance)) {
    const std::uint64_t times = draws_.below(9);
    put(to, at + about(draws_, network_.delay) * (1U << times), message);
  }
  put(to, at, std::move(message));
}

/// What a rank has received by now of what keeps it busy arrives.
void SimulatedWire::receive(std::size_t to, VirtualTime now) {
  Port& port = ports_[to];
  for (;;) {
    if (port.receives) {
      if (port.receives_until > now) return;
      put(to, port.receives_until, std::move(port.now));
      port.receives = false;
    }
    if (port.coming.empty()) return;
    const auto first = port.coming.begin();
    const VirtualTime begins = std::max(first->first, port.receives_until);
    if (begins > now) return;
    port.receives = true;
    port.receives_until = begins + first->second.busy;
    port.now = std::move(first->second.message);
    port.coming.erase(first);
  }
}

void SimulatedWire::send_block(std::size_t from, std::size_t to, VirtualTime now, Bytes block) {
  const VirtualTime at = arrival(from, to, now);
  link(from, to).blocks.push_back({at, std::move(block)});
}

/// By arrival; of two that arrive at once the first put comes first.
void SimulatedWire::put(std::size_t to, VirtualTime at, Message message) {
  auto& messages = link(static_cast<std::size_t>(message.from), to).messages;
  next_[to] = std::min(next_[to], at);
  messages.insert(std::ranges::upper_bound(messages, at, {}, &Sent<Message>::arrival),
                  {at, std::move(message)});
}

std::optional<Message> SimulatedWire::take(std::size_t to, VirtualTime now) {
  receive(to, now);
  const auto arrived = [&](std::size_t from) {
    const auto& messages = link(from, to).messages;
    return !messages.empty() && messages.front().arrival <= now;
  };
  std::size_t senders = 0;
  for (std::size_t from = 0; from < ranks_; ++from) senders += arrived(from) ? 1 : 0;
  if (senders == 0) return {};
  std::size_t skip = senders > 1 ? draws_.below(senders) : 0;
  std::size_t from = 0;
  while (!arrived(from) || skip-- > 0) ++from;
  auto& messages = link(from, to).messages;
  Message message = std::move(messages.front().content);
  messages.pop_front();
  look_for_next(to);
  ++deliveries_;
  record(from, to, now, message.bytes.size(), &message);
  return message;
}

std::vector<Bytes> SimulatedWire::take_blocks(std::size_t to, VirtualTime now) {
  std::vector<Bytes> blocks(ranks_);
  for (std::size_t from = 0; from < ranks_; ++from) {
    auto& sent = link(from, to).blocks;
    blocks[from] = std::move(sent.front().content);
    sent.pop_front();
    record(from, to, now, blocks[from].size(), nullptr);
  }
  return blocks;
}

VirtualTime SimulatedWire::next_message(std::size_t to) const {
  const Port& port = ports_[to];
  if (port.receives) return std::min(next_[to], port.receives_until);
  if (port.coming.empty()) return next_[to];
  const auto& [begins, first] = *port.coming.begin();
  return std::min(next_[to], std::max(begins, port.receives_until) + first.busy);
}

void SimulatedWire::look_for_next(std::size_t to) {
  next_[to] = never;
  for (std::size_t from = 0; from < ranks_; ++from)
    if (const auto& messages = link(from, to).messages; !messages.empty())
      next_[to] = std::min(next_[to], messages.front().arrival);
}

VirtualTime SimulatedWire::next_blocks(std::size_t to) const {
  VirtualTime last{};
  for (std::size_t from = 0; from < ranks_; ++from) {
    const auto& blocks = link(from, to).blocks;
    last = blocks.empty() ? never : std::max(last, blocks.front().arrival);
    if (last == never) break;
  }
  return last;
}

/// A delivery: of `message`, or else of a collective's block.
void SimulatedWire::record(std::size_t from, std::size_t to, VirtualTime now, std::size_t length,
                           const Message* message) {
  ++moves_;
  const auto mix = [&](std::uint64_t word) { trace_ = Random(trace_).bits(word); };
  mix(static_cast<std::uint64_t>(now.count()));
  mix(from * ranks_ + to);
  mix(length);
  if (message) {
    mix(message->tag);
    mix(static_cast<std::uint64_t>(message->purpose));
    for (std::size_t at = 0; at < length; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, message->bytes.data() + at, std::min(sizeof word, length - at));
      mix(word);
    }
  }
  if (network_.log)
    *network_.log << fmt::format("{:.3f} us: {} to {}: {}, {} bytes\n", in_microseconds(now), from,
                                 to, message ? fmt::format("tag {}", message->tag) : "collective",
                                 length);
}

}  // namespace gas
