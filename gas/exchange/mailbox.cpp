#include "gas/exchange/mailbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gas {
namespace {
constexpr std::uint64_t failure_tag = ~std::uint64_t{0};
constexpr std::uint64_t meeting_tag = failure_tag - 1;
constexpr std::uint64_t acknowledgement_tag = failure_tag - 2;
constexpr std::uint64_t gathering_tag = failure_tag - 3;
constexpr std::uint64_t before_gathering_tag = failure_tag - 4;
constexpr int most_at_once = 1024;

/// The nanoseconds since then, if they are far more than any transport waits at a time: so long
/// this process was stopped, and did not wait.
std::int64_t stopped_since(std::int64_t before) {
  constexpr std::int64_t longest_wait = 500'000'000;
  const std::int64_t passed = Trace::now() - before;
  return passed > longest_wait ? passed : 0;
}

std::string described(std::uint64_t tag) {
  if (tag == meeting_tag) return "the end of the run";
  if (tag == gathering_tag || tag == before_gathering_tag)
    return "the start of rounds at a staleness above 0";
  return fmt::format("{} of round {}, step {}", name_of(channel_of(tag)), round_of(tag),
                     step_of(tag) + 1);
}
}  // namespace

void Mailbox::async_send(int to, Purpose purpose, std::uint64_t tag, Bytes bytes) {
  timeline_.message(Trace::What::sent, tag, bytes.size(), to);
  window_.sent(to, bytes.size());
  transport_.async_send(to, purpose, tag ^ run_, std::move(bytes));
}

bool Mailbox::receive() {
  Message message;
  if (!transport_.local_receive(message)) return false;
  ++received_;
  if (idle_since_ != 0) tell_over(tell_idle_after_);
  idle_since_ = 0;
  message.tag ^= run_;
  if (!is_tag(message.tag)) return true;  // of an earlier run, once more
  if (message.tag == failure_tag) {
    const std::vector<char> text = from_bytes<char>(message.bytes);
    throw FailedTogether(std::string(text.begin(), text.end()));
  }
  if (message.tag == acknowledgement_tag) {
    window_.acknowledged(message.from, from_bytes<std::uint64_t>(message.bytes)[0]);
    return true;
  }
  timeline_.message(Trace::What::arrived, message.tag, message.bytes.size(), message.from);
  early_.emplace(std::pair(message.from, message.tag), std::move(message.bytes));
  return true;
}

void Mailbox::local_progress() {
  for (int taken = 0; taken < most_at_once && receive();) ++taken;
}

bool Mailbox::local_try_take(int from, std::uint64_t tag, Bytes& bytes) {
  const auto found = early_.find({from, tag});
  if (found == early_.end()) return false;
  bytes = std::move(found->second);
  early_.erase(found);
  if (window_.taken(from, bytes.size()) && acknowledges_) {
    const std::uint64_t taken = window_.taken(from);
    transport_.async_send(from, Purpose::control, acknowledgement_tag ^ run_,
                          to_bytes(std::span(&taken, 1)));
  }
  return true;
}

Bytes Mailbox::take(int from, std::uint64_t tag) {
  Bytes bytes;
  std::optional<Timeline::Span> waiting;
  std::int64_t since = 0;
  double tell_after = watchdog_.seconds;
  while (!local_try_take(from, tag, bytes)) {
    if (receive()) continue;
    if (!waiting) {
      waiting.emplace(timeline_, Activity::waiting, Trace::What::waiting, tag, from);
      since = Trace::now();
    }
    const std::int64_t before = Trace::now();
    transport_.local_wait_for(from, tag);
    since += stopped_since(before);
    if (const auto waited = overdue(since, tell_after))
      watchdog_.tell(fmt::format("rank {} has waited {:.0f} s for rank {}: {}", transport_.rank(),
                                 *waited, from, described(tag)));
  }
  tell_over(tell_after);
  return bytes;
}

std::map<int, Bytes> Mailbox::take_any(std::uint64_t tag, std::size_t count) {
  std::map<int, Bytes> taken;
  for (;;) {
    const std::uint64_t before = received_;
    Bytes bytes;
    for (int from = 0; from < transport_.size() && taken.size() < count; ++from)
      if (local_try_take(from, tag, bytes)) taken.emplace(from, std::move(bytes));
    if (taken.size() == count) return taken;
    local_wait(before);
  }
}

std::optional<double> Mailbox::overdue(std::int64_t since, double& tell_after) const {
  if (watchdog_.seconds <= 0) return std::nullopt;
  const double waited = static_cast<double>(Trace::now() - since) * 1e-9;
  if (waited < tell_after) return std::nullopt;
  tell_after = waited + watchdog_.seconds;
  return waited;
}

/// Only if this wait was told of, which made `tell_after` longer.
void Mailbox::tell_over(double tell_after) const {
  if (tell_after > watchdog_.seconds && watchdog_.over) watchdog_.over();
}

void Mailbox::local_wait(std::uint64_t received) {
  if (received_ != received || receive()) return;
  const Timeline::Span span(timeline_, Activity::waiting);
  if (idle_since_ == 0) {
    idle_since_ = Trace::now();
    tell_idle_after_ = watchdog_.seconds;
  }
  const std::int64_t before = Trace::now();
  transport_.local_wait();
  idle_since_ += stopped_since(before);
  if (const auto waited = overdue(idle_since_, tell_idle_after_))
    watchdog_.tell(
        fmt::format("rank {} has had nothing to do and has heard from no other rank for {:.0f} s",
                    transport_.rank(), *waited));
}

Bytes Mailbox::reduce(std::uint64_t tag, Bytes mine, Fold fold) {
  const auto ranks = static_cast<unsigned>(transport_.size());
  const auto self = static_cast<unsigned>(transport_.rank());
  const auto send = [&](unsigned to, Bytes bytes) {
    async_send(static_cast<int>(to), Purpose::control, tag, std::move(bytes));
  };
  const auto receive = [&](unsigned from) { return take(static_cast<int>(from), tag); };
  // Ranks beyond the last power of two leave their part to another one, and hear from it.
  const unsigned doubling = std::bit_floor(ranks);
  if (self >= doubling) {
    send(self - doubling, std::move(mine));
    return receive(self - doubling);
  }
  const bool stands_in = self + doubling < ranks;
  if (stands_in) fold(mine, receive(self + doubling));
  for (unsigned distance = 1; distance < doubling; distance *= 2) {
    const unsigned partner = self ^ distance;
    send(partner, mine);
    Bytes theirs = receive(partner);
    if (partner < self) std::swap(mine, theirs);
    fold(mine, theirs);
  }
  if (stands_in) send(self + doubling, mine);
  return mine;
}

std::vector<std::uint32_t> Mailbox::sum(std::uint64_t tag, std::span<const std::uint32_t> mine) {
  return from_bytes<std::uint32_t>(
      reduce(tag, to_bytes(mine), [](Bytes& lower, const Bytes& upper) {
        std::vector<std::uint32_t> sums = from_bytes<std::uint32_t>(lower);
        const std::vector<std::uint32_t> more = from_bytes<std::uint32_t>(upper);
        std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
        lower = to_bytes(std::span<const std::uint32_t>(sums));
      }));
}

std::vector<Bytes> Mailbox::exchange(std::uint64_t tag, Bytes mine) {
  const int self = transport_.rank();
  std::vector<Bytes> all(static_cast<std::size_t>(transport_.size()));
  for (int to = 0; to < transport_.size(); ++to)
    if (to != self) async_send(to, Purpose::control, tag, mine);
  for (int from = 0; from < transport_.size(); ++from)
    all[static_cast<std::size_t>(from)] = from == self ? std::move(mine) : take(from, tag);
  return all;
}

std::vector<Bytes> Mailbox::all_gather(Bytes mine) {
  // No rank is still in the last one, so a tag will do for all.
  reduce(before_gathering_tag, {}, [](Bytes&, const Bytes&) {});
  return exchange(gathering_tag, std::move(mine));
}

void Mailbox::meet() {
  if (std::exchange(acknowledges_, false)) {
    // Acknowledgements and requests to stop may be under way: the last message of each rank comes
    // after all that it sent.
    exchange(meeting_tag, {});
    early_.clear();
  } else {
    // What was sent has been taken: ranks waited for it.
    reduce(meeting_tag, {}, [](Bytes&, const Bytes&) {});
  }
}

void Mailbox::tell_failure(const std::string& text) {
  for (int to = 0; to < transport_.size(); ++to)
    if (to != transport_.rank())
      transport_.async_send(to, Purpose::control, failure_tag ^ run_,
                            to_bytes(std::span<const char>(text)));
}

}  // namespace gas
