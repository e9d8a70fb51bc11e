#include "gas/exchange/mailbox.hpp"

#include <algorithm>
#include <chrono>

namespace gas {
namespace {
constexpr std::uint64_t failure_tag = ~std::uint64_t{0};
}

bool Mailbox::receive() {
  Message message;
  if (!transport_.local_receive(message)) return false;
  if (message.tag == failure_tag) {
    const std::vector<char> text = from_bytes<char>(message.bytes);
    throw FailedTogether(std::string(text.begin(), text.end()));
  }
  early_.push_back(std::move(message));
  return true;
}

void Mailbox::local_progress() {
  while (receive()) {
  }
}

Bytes Mailbox::take(int from, std::uint64_t tag) {
  std::chrono::steady_clock::time_point since{};
  for (;;) {
    const auto found = std::ranges::find_if(
        early_, [&](const Message& m) { return m.from == from && m.tag == tag; });
    if (found != early_.end()) {
      Bytes bytes = std::move(found->bytes);
      early_.erase(found);
      if (since != std::chrono::steady_clock::time_point{})
        waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
      return bytes;
    }
    if (receive()) continue;
    if (since == std::chrono::steady_clock::time_point{}) since = std::chrono::steady_clock::now();
    transport_.local_wait();
  }
}

void Mailbox::tell_failure(const std::string& text) {
  for (int to = 0; to < transport_.size(); ++to)
    if (to != transport_.rank())
      transport_.async_send(to, Purpose::control, failure_tag,
                            to_bytes(std::span<const char>(text)));
}

}  // namespace gas
