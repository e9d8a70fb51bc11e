#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gas/engine/huge_pages.hpp"
#include "gas/exchange/encoding.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/graph/local_graph.hpp"
#include "gas/program/hooks.hpp"

namespace gas {

/// The published values of one kind on one rank, by local id: masters and mirrors, in one flat
/// array. A snapshot kind (gathers from its own kind) writes a second array, which becomes visible
/// when the step ends.
template <class P, class K, bool snapshot>
class PublishedArray {
 public:
  using Value = PublishedType<K>;

  void resize(std::size_t count, std::size_t /*width*/) {
    now_.assign(count, Value{});
    if constexpr (snapshot) next_ = now_;
  }
  std::size_t entry_bytes() const { return sizeof(Value); }
  Value operator[](LocalId v) const { return now_[v]; }
  const Value* data() const { return now_.data(); }
  /// For readers and writers at once, through atomic references.
  Value* shared() { return now_.data(); }
  void set(LocalId v, const Value& value) { writable()[v] = value; }
  void flip() {
    if constexpr (snapshot) now_.swap(next_);
  }
  /// What was set becomes visible, and stays in both arrays.
  void settle() {
    if constexpr (snapshot) now_ = next_;
  }
  /// What is visible stands in both arrays.
  void keep_all() {
    if constexpr (snapshot) next_ = now_;
  }
  void keep(LocalId v) {
    if constexpr (snapshot) next_[v] = now_[v];
  }
  /// Readers see at once what was set.
  void show(LocalId v) {
    if constexpr (snapshot) now_[v] = next_[v];
  }
  void write(LocalId v, std::byte* at) { std::memcpy(at, &writable()[v], sizeof(Value)); }
  void read(LocalId v, const std::byte*& at) { writable()[v] = detail::read_at<Value>(at); }
  bool differs(LocalId v) const requires snapshot { return !(now_[v] == next_[v]); }
  /// The next values of `count` vertices from `first` on.
  std::span<std::byte> next_bytes(LocalId first, std::size_t count) {
    return std::as_writable_bytes(std::span(writable()).subspan(first, count));
  }

 private:
  using Array = std::vector<Value, HugePages<Value>>;
  Array& writable() {
    if constexpr (snapshot)
      return next_;
    else
      return now_;
  }
  Array now_, next_;
};

template <class P, class K, bool snapshot>
requires is_row<PublishedType<K>>
class PublishedArray<P, K, snapshot> {
 public:
  using Element = typename PublishedType<K>::Element;
  using Array = std::vector<Element, HugePages<Element>>;

  void resize(std::size_t count, std::size_t width) {
    width_ = width;
    stride_ = row_stride(width);
    now_.assign(count * stride_, Element{});
    if constexpr (snapshot) next_ = now_;
  }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  std::size_t rows() const { return stride_ == 0 ? 0 : now_.size() / stride_; }
  const Element* data() const { return now_.data(); }
  std::size_t entry_bytes() const { return width_ * sizeof(Element); }
  RowView<const Element> operator[](LocalId v) const {
    return {now_.data() + std::size_t{v} * stride_, width_};
  }
  void set(LocalId v, RowView<const Element> row) { std::ranges::copy(row, next(v).begin()); }
  /// The row that readers see from the step's end on.
  RowView<Element> next(LocalId v) {
    Array& array = snapshot ? next_ : now_;
    return {array.data() + std::size_t{v} * stride_, width_};
  }
  void flip() {
    if constexpr (snapshot) now_.swap(next_);
  }
  void settle() {
    if constexpr (snapshot) now_ = next_;
  }
  /// What is visible stands in both arrays.
  void keep_all() {
    if constexpr (snapshot) next_ = now_;
  }
  void keep(LocalId v) {
    if constexpr (snapshot) std::ranges::copy((*this)[v], next(v).begin());
  }
  void show(LocalId v) {
    if constexpr (snapshot)
      std::ranges::copy(next(v), now_.begin() + static_cast<std::ptrdiff_t>(v * stride_));
  }
  void write(LocalId v, std::byte* at) { std::memcpy(at, next(v).data(), entry_bytes()); }
  void read(LocalId v, const std::byte*& at) {
    std::memcpy(next(v).data(), at, entry_bytes());
    at += entry_bytes();
  }

 private:
  Array now_, next_;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
};

/// Publishes nothing.
template <class P, class K, bool snapshot>
requires(!present<PublishedType<K>>) class PublishedArray<P, K, snapshot> {
 public:
  void resize(std::size_t, std::size_t) {}
  void flip() {}
  void settle() {}
  void keep_all() {}
};

/// Does anybody ask whether an interior vertex's value changed? Not where every vertex is active in
/// every round and the program names no threshold of its own.
template <class P>
constexpr bool watches_changes = names_publishes<P> || !present<SummaryType<P>> || complete<P>;

/// Changes of boundary vertices that nobody watches either are found by comparing the two arrays of
/// a snapshot kind, all at once, before they are sent.
template <class P, class K>
constexpr bool compares_late =
    OneKind<P> && !watches_changes<P> && !is_row<PublishedType<K>> && present<PublishedType<K>>;

/// All that one rank keeps of one kind.
template <class P, class K>
struct Vertices {
  static constexpr bool snapshot = OneKind<P>;
  static constexpr bool publishes = present<PublishedType<K>>;

  const VertexLayout* layout = nullptr;  // the graph's
  std::vector<K> state;                  // masters
  PublishedArray<P, K, snapshot> published;
  std::vector<std::uint8_t>
      changed;                      // by local id: published a change in the last step
  std::vector<std::uint8_t> woken;  // by local id: an input changed, or again()
  std::vector<std::uint8_t> again;  // by local id, masters count: asked for another visit
  std::vector<std::uint64_t> seen;  // by peer: the last round taken in, at a bound above 0
  bool keeps_published = true;      // false: the fused pass alone reads them, and has them at hand
  bool given = false;               // published values were handed over: no start
  std::vector<Peer>
      own_peers;  // BeginsAccumulator only: mirrors that gather are among those that read

  void resize(std::size_t published_width) {
    state.resize(layout->masters());
    published.resize(publishes ? layout->locals() : 0, published_width);
    changed.assign(layout->locals(), 0);
    woken.assign(layout->locals(), 1);
    again.assign(layout->locals(), 0);
    if constexpr (BeginsAccumulator<P, K>) {
      own_peers = layout->peers;
      for (Peer& peer : own_peers) {
        add_sorted(peer.value_masters, peer.total_masters);
        add_sorted(peer.value_mirrors, peer.total_mirrors);
      }
    }
  }

  /// Rounds up to `round` have been taken in.
  void begin_at(std::uint64_t round) {
    seen.assign(layout->peers.size(), round);
    published.keep_all();
  }

  /// Takes in the mirrors' values that have arrived since the last call, round by round, of step
  /// `index`: took(v, update) per value, of which update() makes it visible and marks the change;
  /// and see(last round taken in) per rank.
  template <class Seen, class Took>
  void take_values(Mailbox& mailbox, std::uint32_t index, Seen see, Took took) {
    if constexpr (publishes) {
      const Timeline::Span span(mailbox.timeline(), Activity::communicating);
      mailbox.local_progress();
      Bytes bytes;
      for (std::size_t p = 0; p < value_peers().size(); ++p) {
        const Peer& peer = value_peers()[p];
        if (peer.value_mirrors.empty()) continue;
        while (mailbox.local_try_take(peer.rank,
                                      message_tag_of(seen[p] + 1, index, Channel::values), bytes)) {
          ++seen[p];
          decode_entries(bytes, peer.value_mirrors.size(),
                         [&](std::size_t i, const std::byte*& at) {
                           const LocalId v = peer.value_mirrors[i];
                           took(v, [&] {
                             published.read(v, at);
                             published.show(v);
                             changed[v] = 1;
                           });
                         });
        }
        see(seen[p]);
      }
    }
  }

  /// Marks the boundary masters whose next value differs from the present one.
  void mark_boundary() requires(compares_late<P, K>) {
    for (LocalId v = layout->interior; v < layout->masters(); ++v)
      changed[v] = published.differs(v) ? 1 : 0;
  }

  /// To every rank that mirrors my boundary masters: the values that changed, one message each.
  void send_values(Mailbox& mailbox, std::uint64_t tag) {
    if constexpr (publishes) {
      const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                                tag);
      for (const Peer& peer : value_peers())
        if (!peer.value_masters.empty())
          mailbox.async_send(peer.rank, Purpose::values, tag, encoded(peer.value_masters));
    }
  }

  /// Waits for the values of my mirrors and marks those that changed.
  void receive_values(Mailbox& mailbox, std::uint64_t tag) {
    if constexpr (publishes) {
      const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::receiving,
                                tag);
      for (const Peer& peer : value_peers()) {
        const std::vector<LocalId>& mirrors = peer.value_mirrors;
        if (mirrors.empty()) continue;
        const Bytes bytes = mailbox.take(peer.rank, tag);
        if constexpr (whole_blocks) {
          if (holds_all(bytes) && side_by_side(mirrors)) {
            std::ranges::copy(std::span(bytes).subspan(1),
                              published.next_bytes(mirrors.front(), mirrors.size()).begin());
            std::fill_n(changed.begin() + mirrors.front(), mirrors.size(), std::uint8_t{1});
            continue;
          }
        }
        for (const LocalId v : mirrors) changed[v] = 0;
        decode_entries(bytes, mirrors.size(), [&](std::size_t i, const std::byte*& at) {
          published.read(mirrors[i], at);
          changed[mirrors[i]] = 1;
        });
        if constexpr (snapshot)
          for (const LocalId v : mirrors)
            if (changed[v] == 0) published.keep(v);
      }
    }
  }

 private:
  static constexpr bool whole_blocks = !is_row<PublishedType<K>>;

  /// Both ends list the vertices in one order, so that both come to the same list.
  static void add_sorted(std::vector<LocalId>& into, const std::vector<LocalId>& more) {
    std::vector<LocalId> both;
    std::ranges::set_union(into, more, std::back_inserter(both));
    into = std::move(both);
  }
  const std::vector<Peer>& value_peers() const {
    if constexpr (BeginsAccumulator<P, K>)
      return own_peers;
    else
      return layout->peers;
  }

  static bool side_by_side(const std::vector<LocalId>& vertices) {  // ascending
    return vertices.back() - vertices.front() + 1 == vertices.size();
  }

  Bytes encoded(const std::vector<LocalId>& masters) {
    if constexpr (whole_blocks) {
      const auto first = changed.begin() + masters.front();
      if (side_by_side(masters) &&
          std::find(first, first + static_cast<std::ptrdiff_t>(masters.size()), 0) ==
              first + static_cast<std::ptrdiff_t>(masters.size()))
        return encode_all(published.next_bytes(masters.front(), masters.size()));
    }
    return encode_entries(
        masters.size(), published.entry_bytes(),
        [&](std::size_t i) { return changed[masters[i]] != 0; },
        [&](std::size_t i, std::byte* at) { published.write(masters[i], at); });
  }
};

/// Does the program see a difference between a published value and the one last published? Its own
/// publishes(), else "they differ".
template <class P, class K>
bool is_published(const P& program, PublishedRead<K> before, PublishedRead<K> now) {
  if constexpr (requires { program.publishes(K{}, before, now); }) {
    return program.publishes(K{}, before, now);
  } else if constexpr (requires { program.publishes(before, now); }) {
    return program.publishes(before, now);
  } else if constexpr (is_row<PublishedType<K>>) {
    return !std::ranges::equal(before, now);
  } else {
    return !(before == now);
  }
}

/// A value that is not equal to itself holds a NaN.
template <class Read>
bool is_nan(const Read& value) {
  if constexpr (requires { value.begin(); }) {
    for (const auto& x : value)
      if (!(x == x)) return true;
    return false;
  } else {
    return !(value == value);
  }
}

}  // namespace gas
