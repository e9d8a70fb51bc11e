#pragma once

#include <cstdint>
#include <vector>

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
  void begin(Topology topology, std::uint64_t most_bytes, int rank, int ranks);

  bool on() const { return !stages_.empty(); }

  void send(Mailbox& mailbox, int to, Purpose purpose, std::uint64_t tag, Bytes bytes);

  /// After all sends of the step, before the first take. Where it is on all ranks call it.
  void pass_on(Mailbox& mailbox, Purpose purpose, std::uint64_t tag);

  /// What `from` sent in this step.
  Bytes take(Mailbox& mailbox, int from, std::uint64_t tag);

 private:
  std::vector<ExchangeStage> stages_;  // none: flat
  Bytes waiting_;                      // messages on this rank, with heads
  std::vector<Bytes> arrived_;         // by sender
};

}  // namespace gas
