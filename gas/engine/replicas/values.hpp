#pragma once

#include "gas/engine/replicas/relay.hpp"
#include "gas/engine/store/publish.hpp"
#include "gas/exchange/encoding.hpp"
#include "gas/exchange/mailbox.hpp"

namespace gas {

/// A message with the entries of those vertices of the ascending list `about` that are members of
/// `set` and for which `also(i)`: `write` as in encode_entries. Of a listed set in ascending order
/// it costs what that holds.
template <class Also, class Write>
Bytes encode_members(const std::vector<LocalId>& about, const VertexSet& set,
                     std::size_t entry_bytes, Also also, Write write) {
  if (!set.listed() || set.size() > about.size() / 16)
    return encode_entries(
        about.size(), entry_bytes, [&](std::size_t i) { return set.has(about[i]) && also(i); },
        write);
  std::vector<std::uint32_t> indices;
  auto at = about.begin();
  for (const LocalId v : set.list()) {
    at = std::lower_bound(at, about.end(), v);
    if (at == about.end()) break;
    const auto i = static_cast<std::size_t>(at - about.begin());
    if (*at == v && also(i)) indices.push_back(static_cast<std::uint32_t>(i));
  }
  return encode_listed(indices, entry_bytes, write);
}

/// f(p) of each peer, from the rank after this one on, and round: so ranks do not all send to one
/// at a time.
template <class F>
void for_each_in_turn(const std::vector<Peer>& peers, int rank, F f) {
  const auto after = static_cast<std::size_t>(
      std::ranges::upper_bound(peers, rank, {}, &Peer::rank) - peers.begin());
  for (std::size_t p = after; p < peers.size(); ++p) f(p);
  for (std::size_t p = 0; p < after; ++p) f(p);
}

/// Published values of one kind on their way from masters to mirrors. The message of a step to a
/// rank holds what changed.
template <class P, class K>
class MirrorValues {
  static constexpr bool publishes = Store<P, K>::publishes;

 public:
  Relay relay;

  void resize(const VertexLayout& layout) {
    layout_ = &layout;
    if constexpr (reads_own<P, K>) {
      own_peers_ = layout.peers;
      for (Peer& peer : own_peers_) {
        add_sorted(peer.value_masters, peer.accumulator_masters);
        add_sorted(peer.value_mirrors, peer.accumulator_mirrors);
      }
    }
  }

  /// To every rank that mirrors my boundary masters: the values that changed, one message each.
  void send(Mailbox& mailbox, Store<P, K>& store, std::uint64_t tag) {
    if constexpr (publishes) {
      const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                                tag);
      for_each_in_turn(peers(), mailbox.transport().rank(), [&](std::size_t p) {
        const Peer& peer = peers()[p];
        if (!peer.value_masters.empty())
          relay.send(mailbox, peer.rank, Purpose::values, tag, encoded(store, peer.value_masters));
      });
    }
  }

  /// The bytes that masters here send if all values change; see Relay::bytes_of_list.
  std::uint64_t most_bytes(std::size_t entry_bytes) const {
    std::uint64_t count = 0;
    if constexpr (is_list<PublishedType<K>>) entry_bytes = Relay::bytes_of_list;
    if constexpr (publishes)
      for (const Peer& peer : peers()) count += peer.value_masters.size();
    return count * entry_bytes;
  }

  /// Waits for the values of my mirrors and marks those that changed.
  void receive(Mailbox& mailbox, Store<P, K>& store, std::uint64_t tag) {
    if constexpr (publishes) {
      const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::receiving,
                                tag);
      relay.pass_on(mailbox, Purpose::values, tag);
      for (const Peer& peer : peers()) {
        const std::vector<LocalId>& mirrors = peer.value_mirrors;
        if (mirrors.empty()) continue;
        const Bytes bytes = relay.take(mailbox, peer.rank, tag);
        if constexpr (whole_blocks) {
          if (holds_all(bytes) && side_by_side(mirrors)) {
            std::ranges::copy(std::span(bytes).subspan(1),
                              store.published.next_bytes(mirrors.front(), mirrors.size()).begin());
            std::fill_n(store.changed.flags() + mirrors.front(), mirrors.size(), std::uint8_t{1});
            store.changed.unlist();
            continue;
          }
        }
        decode_entries(bytes, mirrors.size(), [&](std::size_t i, const std::byte*& at) {
          store.published.read(mirrors[i], at);
          store.changed.add(mirrors[i]);
        });
      }
    }
  }

  /// Rounds up to `round` have been taken in.
  void begin_at(std::uint64_t round) { seen_.assign(layout_->peers.size(), round); }

  /// Takes in the mirrors' values that have arrived since the last call, round by round, of step
  /// `index`: took(v, update) per value, of which update() makes it visible and marks the change;
  /// and see(last round taken in) per rank.
  template <class Seen, class Took>
  void take(Mailbox& mailbox, Store<P, K>& store, std::uint32_t index, Seen see, Took took) {
    if constexpr (publishes) {
      const Timeline::Span span(mailbox.timeline(), Activity::communicating);
      mailbox.local_progress();
      Bytes bytes;
      for (std::size_t p = 0; p < peers().size(); ++p) {
        const Peer& peer = peers()[p];
        if (peer.value_mirrors.empty()) continue;
        while (mailbox.local_try_take(
            peer.rank, message_tag_of(seen_[p] + 1, index, Channel::values), bytes)) {
          ++seen_[p];
          decode_entries(bytes, peer.value_mirrors.size(),
                         [&](std::size_t i, const std::byte*& at) {
                           const LocalId v = peer.value_mirrors[i];
                           took(v, [&] {
                             store.published.read(v, at);
                             store.published.show(v);
                             store.changed.add(v);
                           });
                         });
        }
        see(seen_[p]);
      }
    }
  }

 private:
  static constexpr bool whole_blocks = publishes && !is_span<PublishedType<K>>;

  /// Both ends list the vertices in one order, so that both come to the same list.
  static void add_sorted(std::vector<LocalId>& into, const std::vector<LocalId>& more) {
    std::vector<LocalId> both;
    std::ranges::set_union(into, more, std::back_inserter(both));
    into = std::move(both);
  }
  const std::vector<Peer>& peers() const {
    if constexpr (reads_own<P, K>)
      return own_peers_;
    else
      return layout_->peers;
  }

  static bool side_by_side(const std::vector<LocalId>& vertices) {  // ascending
    return vertices.back() - vertices.front() + 1 == vertices.size();
  }

  Bytes encoded(Store<P, K>& store, const std::vector<LocalId>& masters) {
    if constexpr (whole_blocks) {
      const std::uint8_t* const first = store.changed.flags() + masters.front();
      if (side_by_side(masters) && *first != 0 &&
          std::find(first, first + masters.size(), 0) == first + masters.size())
        return encode_all(store.published.next_bytes(masters.front(), masters.size()));
    }
    const auto encode = [&](auto write) {
      return encode_members(
          masters, store.changed, store.published.entry_bytes(), [](std::size_t) { return true; },
          write);
    };
    if constexpr (is_list<PublishedType<K>>)
      return encode([&](std::size_t i, Bytes& out) { store.published.write(masters[i], out); });
    else
      return encode([&](std::size_t i, std::byte* at) { store.published.write(masters[i], at); });
  }

  const VertexLayout* layout_ = nullptr;
  std::vector<Peer>
      own_peers_;  // where gather reads Own: mirrors that gather are among those that read
  std::vector<std::uint64_t> seen_;  // by peer: the last round taken in, at a bound above 0
};

}  // namespace gas
