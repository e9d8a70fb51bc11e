#include "gas/engine/replicas/relay.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "gas/exchange/encoding.hpp"

namespace gas {
namespace {

struct Head {
  std::int32_t from, to;
  std::uint64_t size;
};

void append(Bytes& out, const Head& head, std::span<const std::byte> body) {
  detail::append(out, head);
  out.insert(out.end(), body.begin(), body.end());
}
template <class Visit>
void for_each(const Bytes& messages, Visit visit) {
  for (const std::byte *at = messages.data(), *const end = at + messages.size(); at != end;) {
    const auto head = detail::read_at<Head>(at);
    visit(head, {at, head.size});
    at += head.size;
  }
}

}  // namespace

void Relay::begin(Topology topology, std::uint64_t most_bytes, int rank, int ranks) {
  constexpr int many = 64;
  constexpr std::uint64_t little = 1024;
  const auto pairs = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks - 1);
  if (topology == Topology::automatic)
    topology = ranks >= many && most_bytes <= little * pairs ? Topology::groups : Topology::flat;
  stages_.clear();
  if (topology != Topology::flat && most_bytes > 0)
    stages_ = exchange_stages(topology, rank, ranks);
  arrived_.assign(on() ? static_cast<std::size_t>(ranks) : 0, {});
  waiting_.clear();
}

void Relay::send(Mailbox& mailbox, int to, Purpose purpose, std::uint64_t tag, Bytes bytes) {
  if (!on()) return mailbox.async_send(to, purpose, tag, std::move(bytes));
  if (!bytes.empty()) append(waiting_, {mailbox.transport().rank(), to, bytes.size()}, bytes);
}

void Relay::pass_on(Mailbox& mailbox, Purpose purpose, std::uint64_t tag) {
  std::vector<Bytes> parts;
  for (const ExchangeStage& stage : stages_) {
    parts.assign(stage.others.size(), {});
    Bytes stay;
    const auto sort = [&](const Head& head, std::span<const std::byte> body) {
      const auto other = std::ranges::find_if(stage.others, [&](const auto& group) {
        return group.ranks.first <= head.to && head.to < group.ranks.last;
      });
      append(other == stage.others.end()
                 ? stay
                 : parts[static_cast<std::size_t>(other - stage.others.begin())],
             head, body);
    };
    for_each(waiting_, sort);
    for (std::size_t g = 0; g < parts.size(); ++g)
      mailbox.async_send(stage.others[g].partner, purpose, tag, std::move(parts[g]));
    waiting_ = std::move(stay);
    for (const int from : stage.senders) {
      const Bytes more = mailbox.take(from, tag);
      waiting_.insert(waiting_.end(), more.begin(), more.end());
    }
  }
  for_each(waiting_, [&](const Head& head, std::span<const std::byte> body) {
    arrived_[static_cast<std::size_t>(head.from)].assign(body.begin(), body.end());
  });
  waiting_.clear();
}

Bytes Relay::take(Mailbox& mailbox, int from, std::uint64_t tag) {
  if (!on()) return mailbox.take(from, tag);
  return std::exchange(arrived_[static_cast<std::size_t>(from)], {});
}

}  // namespace gas
