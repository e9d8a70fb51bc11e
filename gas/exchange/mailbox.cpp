#include "gas/exchange/mailbox.hpp"

#include <fmt/format.h>

#include <optional>

namespace gas {
namespace {
constexpr std::uint64_t failure_tag = ~std::uint64_t{0};
}

const char* name_of(Channel channel) {
  constexpr const char* names[] = {"values", "totals", "complete totals", "record"};
  return names[static_cast<std::size_t>(channel)];
}

void Mailbox::async_send(int to, Purpose purpose, std::uint64_t tag, Bytes bytes) {
  timeline_.message(Trace::What::sent, tag, bytes.size(), to);
  transport_.async_send(to, purpose, tag, std::move(bytes));
}

bool Mailbox::receive() {
  Message message;
  if (!transport_.local_receive(message)) return false;
  ++received_;
  if (message.tag == failure_tag) {
    const std::vector<char> text = from_bytes<char>(message.bytes);
    throw FailedTogether(std::string(text.begin(), text.end()));
  }
  timeline_.message(Trace::What::arrived, message.tag, message.bytes.size(), message.from);
  early_.emplace(std::pair(message.from, message.tag), std::move(message.bytes));
  return true;
}

void Mailbox::local_progress() {
  while (receive()) {
  }
}

bool Mailbox::find(int from, std::uint64_t tag, Bytes& bytes) {
  const auto found = early_.find({from, tag});
  if (found == early_.end()) return false;
  bytes = std::move(found->second);
  early_.erase(found);
  return true;
}

Bytes Mailbox::take(int from, std::uint64_t tag) {
  Bytes bytes;
  std::optional<Timeline::Span> waiting;
  std::int64_t since = 0;
  double tell_after = watchdog_.seconds;
  while (!find(from, tag, bytes)) {
    if (receive()) continue;
    if (!waiting) {
      waiting.emplace(timeline_, Activity::waiting, Trace::What::waiting, tag, from);
      since = Trace::now();
    }
    transport_.local_wait_for(from, tag);
    if (watchdog_.seconds > 0)
      look_on(from, tag, tell_after, static_cast<double>(Trace::now() - since) * 1e-9);
  }
  return bytes;
}

void Mailbox::look_on(int from, std::uint64_t tag, double& tell_after, double waited) {
  if (waited < tell_after) return;
  tell_after = waited + watchdog_.seconds;
  watchdog_.tell(fmt::format("rank {} has waited {:.0f} s for rank {}: {} of round {}, step {}",
                             transport_.rank(), waited, from, name_of(channel_of(tag)),
                             round_of(tag), step_of(tag) + 1));
}

bool Mailbox::local_try_take(int from, std::uint64_t tag, Bytes& bytes) {
  local_progress();
  return find(from, tag, bytes);
}

void Mailbox::local_wait(std::uint64_t received) {
  if (received_ != received || receive()) return;
  const Timeline::Span span(timeline_, Activity::waiting);
  transport_.local_wait();
}

void Mailbox::tell_failure(const std::string& text) {
  for (int to = 0; to < transport_.size(); ++to)
    if (to != transport_.rank())
      transport_.async_send(to, Purpose::control, failure_tag,
                            to_bytes(std::span<const char>(text)));
}

}  // namespace gas
