#pragma once

#include <numeric>
#include <vector>

#include "gas/engine/replicas/partial_entries.hpp"
#include "gas/engine/replicas/relay.hpp"
#include "gas/engine/replicas/values.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Accumulators of vertices whose edges lie on several ranks. At the master every rank has an entry
/// with its cumulative partial accumulator, replaced when a new one arrives, and the entries are
/// summed in rank order: repeated or reordered messages change nothing, and the sum is the same
/// wherever it is formed. (The differences of a running one are entries that are used once.)
template <class Accumulator>
class PartialAccumulators {
 public:
  Relay relay;

  void resize(const VertexLayout& layout, int rank, std::size_t width) {
    rank_ = rank;
    layout_ = &layout;
    width_ = width;
    own_.resize(layout.boundary, width);
    remote_.resize(layout.peers.size());
    sent_.resize(layout.peers.size());
    first_.assign(std::size_t{layout.boundary} + 1, 0);
    for (const Peer& peer : layout.peers)
      for (const LocalId v : peer.accumulator_masters) ++first_[v - layout.interior + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next = first_;
    index_.resize(first_.back());
    expects_ = false;
    mirror_at_.assign(layout.mirrors, {nobody, 0});
    for (std::size_t p = 0; p < layout.peers.size(); ++p) {
      const Peer& peer = layout.peers[p];
      remote_[p].resize(peer.accumulator_masters.size(), width);
      sent_[p].resize(peer.accumulator_mirrors.size(), width);
      for (std::size_t i = 0; i < peer.accumulator_mirrors.size(); ++i)
        mirror_at_[peer.accumulator_mirrors[i] - layout.masters()] = {p, i};
      for (std::size_t i = 0; i < peer.accumulator_masters.size(); ++i)
        index_[next[peer.accumulator_masters[i] - layout.interior]++] = {p, i};
      expects_ = expects_ || !peer.accumulator_masters.empty();
    }
  }

  /// Is something to be received? Some master here is gathered on other ranks too, or messages are
  /// to be passed on.
  bool expects() const { return expects_ || relay.on(); }
  /// The bytes that mirrors here send if all gather; see Relay::bytes_of_list.
  std::uint64_t most_bytes() const {
    std::uint64_t count = 0;
    for (const Peer& peer : layout_->peers) count += peer.accumulator_mirrors.size();
    return count *
           (ListAccumulator<Accumulator> ? Relay::bytes_of_list : entry_bytes<Accumulator>(width_));
  }
  /// The partial accumulator of mirror v, to be sent to its master if that takes it.
  void put_mirror(LocalId v, const Accumulator& partial) {
    const auto [p, i] = mirror_at_[v - layout_->masters()];
    if (p != nobody) sent_[p].put(i, partial);
  }
  /// Does mirror v gather here? Then add_complete(v, …) adds what receive_complete brought for it.
  bool gathers(LocalId v) const { return mirror_at_[v - layout_->masters()].peer != nobody; }
  void add_complete(LocalId v, Accumulator& into) {
    const auto [p, i] = mirror_at_[v - layout_->masters()];
    sent_[p].add_to(into, i);
  }
  /// This rank's own entry of boundary master v.
  void put_own(LocalId v, const Accumulator& partial) { own_.put(v - layout_->interior, partial); }

  /// Sends the partial accumulators of those mirrors in `set` for which `visited(v)`.
  template <class Visited>
  void send(Mailbox& mailbox, std::uint64_t tag, const VertexSet& set, Visited visited) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                              tag);
    for_each_in_turn(layout_->peers, rank_, [&](std::size_t p) {
      const Peer& peer = layout_->peers[p];
      if (peer.accumulator_mirrors.empty()) return;
      relay.send(mailbox, peer.rank, Purpose::totals, tag,
                 encode_members(
                     peer.accumulator_mirrors, set, entry_bytes<Accumulator>(width_),
                     [&](std::size_t i) {
                       return visited(peer.accumulator_mirrors[i]) &&
                              !(is_running<Accumulator> && sent_[p].zero(i));
                     },
                     sent_[p].writer()));
    });
  }

  /// Waits for the partial accumulators of all ranks; `received(v)` is told which masters got one.
  template <class Received>
  void receive(Mailbox& mailbox, std::uint64_t tag, Received received) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::receiving,
                              tag);
    relay.pass_on(mailbox, Purpose::totals, tag);
    for (std::size_t p = 0; p < layout_->peers.size(); ++p) {
      const Peer& peer = layout_->peers[p];
      if (peer.accumulator_masters.empty()) continue;
      if constexpr (is_running<Accumulator>) remote_[p].clear();
      const Bytes bytes = relay.take(mailbox, peer.rank, tag);
      decode_entries(bytes, peer.accumulator_masters.size(),
                     [&](std::size_t i, const std::byte*& at) {
                       remote_[p].read(at, i);
                       received(peer.accumulator_masters[i]);
                     });
    }
  }

  /// Rounds up to `round` have been taken in.
  void begin_at(std::uint64_t round) { seen_.assign(layout_->peers.size(), round); }

  /// Takes in the partial accumulators that have arrived since the last call, round by round, of
  /// step `index`: arrived(v, entries, i) per entry that is not what it was before, and seen(last
  /// round taken in) per rank. True: there was one.
  template <class Seen, class Arrived>
  bool take(Mailbox& mailbox, std::uint32_t index, Seen seen, Arrived arrived) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating);
    mailbox.local_progress();
    bool news = false;
    Bytes bytes;
    for (std::size_t p = 0; p < layout_->peers.size(); ++p) {
      const Peer& peer = layout_->peers[p];
      if (peer.accumulator_masters.empty()) continue;
      while (mailbox.local_try_take(peer.rank, message_tag_of(seen_[p] + 1, index, Channel::totals),
                                    bytes)) {
        ++seen_[p];
        decode_entries(bytes, peer.accumulator_masters.size(),
                       [&](std::size_t i, const std::byte*& at) {
                         if (!remote_[p].read_news(at, i) && !is_running<Accumulator>) return;
                         news = true;
                         arrived(peer.accumulator_masters[i], remote_[p], i);
                       });
      }
      seen(seen_[p]);
    }
    return news;
  }

  /// All entries of boundary master v, added to `into` in rank order.
  void sum(LocalId v, Accumulator& into) {
    const LocalId b = v - layout_->interior;
    bool own_added = false;
    for (std::size_t j = first_[b]; j < first_[b + 1]; ++j) {
      const auto [p, at] = index_[j];
      if (!own_added && layout_->peers[p].rank > rank_) {
        own_.add_to(into, b);
        own_added = true;
      }
      remote_[p].add_to(into, at);
    }
    if (!own_added) own_.add_to(into, b);
    if constexpr (is_running<Accumulator>) own_.clear(b);
  }

  // The way back: complete totals from masters to the mirrors that gathered (for scatter).
  /// `complete` holds the total of each boundary master.
  void send_complete(Mailbox& mailbox, std::uint64_t tag, AccumulatorArray<Accumulator>& complete) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                              tag);
    for (std::size_t p = 0; p < layout_->peers.size(); ++p) {
      const Peer& peer = layout_->peers[p];
      if (peer.accumulator_masters.empty()) continue;
      mailbox.async_send(
          peer.rank, Purpose::totals, tag,
          encode_entries(
              peer.accumulator_masters.size(), entry_bytes<Accumulator>(width_),
              [](std::size_t) { return true; }, entry_writer(complete, [&](std::size_t i) {
                return std::size_t{peer.accumulator_masters[i]} - layout_->interior;
              })));
    }
  }
  /// Replaces the partial accumulators of mirrors by the complete ones.
  void receive_complete(Mailbox& mailbox, std::uint64_t tag) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::receiving,
                              tag);
    for (std::size_t p = 0; p < layout_->peers.size(); ++p) {
      const Peer& peer = layout_->peers[p];
      if (peer.accumulator_mirrors.empty()) continue;
      const Bytes bytes = mailbox.take(peer.rank, tag);
      decode_entries(bytes, peer.accumulator_mirrors.size(),
                     [&](std::size_t i, const std::byte*& at) { sent_[p].read(at, i); });
    }
  }

 private:
  struct At {
    std::size_t peer, index;
  };
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  int rank_ = 0;
  const VertexLayout* layout_ = nullptr;
  std::size_t width_ = 0;  // of a row
  PartialEntries<Accumulator> own_;
  std::vector<PartialEntries<Accumulator>> remote_, sent_;
  std::vector<std::size_t> first_;   // where each boundary master's entries begin in index_
  std::vector<At> index_;            // ascending rank
  std::vector<At> mirror_at_;        // by mirror: its place in sent_
  std::vector<std::uint64_t> seen_;  // by peer: the last round taken in, at a bound above 0
  bool expects_ = false;
};

}  // namespace gas
