#include "gas/exchange/mailbox.hpp"

namespace gas {
namespace {
constexpr std::uint64_t failure_tag = ~std::uint64_t{0};
}

bool Mailbox::receive() {
  Message message;
  if (!transport_.local_receive(message)) return false;
  ++received_;
  if (message.tag == failure_tag) {
    const std::vector<char> text = from_bytes<char>(message.bytes);
    throw FailedTogether(std::string(text.begin(), text.end()));
  }
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
  while (!find(from, tag, bytes))
    if (!receive()) transport_.local_wait_for(from, tag);
  return bytes;
}

bool Mailbox::local_try_take(int from, std::uint64_t tag, Bytes& bytes) {
  local_progress();
  return find(from, tag, bytes);
}

void Mailbox::local_wait(std::uint64_t received) {
  if (received_ == received && !receive()) transport_.local_wait();
}

void Mailbox::tell_failure(const std::string& text) {
  for (int to = 0; to < transport_.size(); ++to)
    if (to != transport_.rank())
      transport_.async_send(to, Purpose::control, failure_tag,
                            to_bytes(std::span<const char>(text)));
}

}  // namespace gas
