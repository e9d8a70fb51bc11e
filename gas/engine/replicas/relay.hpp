#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gas/exchange/encoding.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/exchange/topology.hpp"

namespace gas {

/// The messages of a step at staleness 0, each from one rank to another one, whose receiver waits
/// for it. Flat: they go there at once, empty ones too. In another topology they travel by its
/// stages: in each stage a rank sends one message to each partner, with all that it has for the
/// ranks of that group. So many ranks send few messages each, and empty ones do not travel; bytes
/// are sent once per stage, and 16 more with each message.
class Relay {
 public:
  /// What a list counts for in most_bytes: so much that automatic is flat, as its length is
  /// unknown.
  static constexpr std::size_t bytes_of_list = std::size_t{1} << 20U;

  /// For steps from now on, in which all ranks together send at most so many bytes. The same on
  /// all ranks. Local.
  void begin(Topology topology, std::uint64_t most_bytes, int rank, int ranks) {
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

  bool on() const { return !stages_.empty(); }

  void send(Mailbox& mailbox, int to, Purpose purpose, std::uint64_t tag, Bytes bytes) {
    if (!on()) return mailbox.async_send(to, purpose, tag, std::move(bytes));
    if (!bytes.empty()) append(waiting_, {mailbox.transport().rank(), to, bytes.size()}, bytes);
  }

  /// After all sends of the step, before the first take. Where it is on all ranks call it.
  void pass_on(Mailbox& mailbox, Purpose purpose, std::uint64_t tag) {
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

  /// What `from` sent in this step.
  Bytes take(Mailbox& mailbox, int from, std::uint64_t tag) {
    if (!on()) return mailbox.take(from, tag);
    return std::exchange(arrived_[static_cast<std::size_t>(from)], {});
  }

 private:
  struct Head {
    std::int32_t from, to;
    std::uint64_t size;
  };

  static void append(Bytes& out, const Head& head, std::span<const std::byte> body) {
    detail::append(out, head);
    out.insert(out.end(), body.begin(), body.end());
  }
  template <class Visit>
  static void for_each(const Bytes& messages, Visit visit) {
    for (const std::byte *at = messages.data(), *const end = at + messages.size(); at != end;) {
      const auto head = detail::read_at<Head>(at);
      visit(head, {at, head.size});
      at += head.size;
    }
  }

  std::vector<ExchangeStage> stages_;  // none: flat
  Bytes waiting_;                      // messages on this rank, with heads
  std::vector<Bytes> arrived_;         // by sender
};

}  // namespace gas
