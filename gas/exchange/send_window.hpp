#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gas {

/// How much a rank may have on its way to each other one, in runs in which no rank waits for
/// another (async): past it a rank that is late, or stopped, makes the others wait, where it would
/// fill its own memory and theirs. Bytes are on their way until the receiver has acknowledged them,
/// which it does when it takes them from its mailbox: a long round takes none.
class SendWindow {
 public:
  /// What a message takes beside its bytes, about.
  static constexpr std::uint64_t per_message = 128;
  /// The window: so many bytes, and so many times what the largest round sent.
  static constexpr std::uint64_t least = std::uint64_t{16} << 20U;
  static constexpr std::uint64_t rounds = 4;

  /// Nothing is on its way, of so many ranks.
  void begin(int ranks) { peers_.assign(static_cast<std::size_t>(ranks), {}); }

  void sent(int to, std::uint64_t bytes) { at(to).sent += bytes + per_message; }

  /// True: acknowledge taken(from).
  bool taken(int from, std::uint64_t bytes) {
    Peer& peer = at(from);
    peer.taken += bytes + per_message;
    if (peer.taken - peer.told < least / 4) return false;
    peer.told = peer.taken;
    return true;
  }
  std::uint64_t taken(int from) const { return peers_[static_cast<std::size_t>(from)].taken; }

  void acknowledged(int by, std::uint64_t taken) { at(by).acknowledged = taken; }

  /// Called between rounds: may another one be sent?
  bool open() {
    bool open = true;
    for (Peer& peer : peers_) {
      peer.largest_round = std::max(peer.largest_round, peer.sent - peer.round_began);
      peer.round_began = peer.sent;
      open = open && peer.sent - peer.acknowledged <= least + rounds * peer.largest_round;
    }
    return open;
  }

 private:
  struct Peer {
    std::uint64_t sent = 0, acknowledged = 0;          // bytes to it
    std::uint64_t round_began = 0, largest_round = 0;  // of those
    std::uint64_t taken = 0, told = 0;                 // bytes from it
  };
  Peer& at(int rank) { return peers_[static_cast<std::size_t>(rank)]; }

  std::vector<Peer> peers_;  // by rank
};

}  // namespace gas
