#include "gas/exchange/mailbox.hpp"

#include <algorithm>

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
  for (;;) {
    const auto found = std::ranges::find_if(
        early_, [&](const Message& m) { return m.from == from && m.tag == tag; });
    if (found != early_.end()) {
      Bytes bytes = std::move(found->bytes);
      early_.erase(found);
      return bytes;
    }
    if (!receive()) transport_.local_wait_for(from, tag);
  }
}

void Mailbox::tell_failure(const std::string& text) {
  for (int to = 0; to < transport_.size(); ++to)
    if (to != transport_.rank())
      transport_.async_send(to, Purpose::control, failure_tag,
                            to_bytes(std::span<const char>(text)));
}

}  // namespace gas
