#pragma once

#include <fmt/format.h>

#include <bit>
#include <map>

#include "gas/engine/store/store.hpp"
#include "gas/engine/visit.hpp"
#include "gas/exchange/owners.hpp"

namespace gas {

/// Of a program that names no vertex by its id: nothing.
template <class P, class K>
struct ById {
  ByIdOfWorker<P, K> of_worker(std::size_t) { return {}; }
};

/// Vertices named by id: what is offered to them, and what is read of them. In a step visits only
/// note what they ask for: a master of this rank by its local id, in a list per worker and range of
/// vertices; another one by its row. When the step's values are visible, exchange() adds up what
/// was offered to masters here; offers to each other row are added up, and each row is asked for
/// once; one message goes to each rank that has one of them, and its answers come back. On one rank
/// nothing is sent, and a read is an access to the array of published values.
///
/// Cost: what was offered and asked; on more ranks besides a reduction of two numbers per rank per
/// step, and in steps that name rows for the first time one more (Owners). Memory per master: an
/// Offers and 5 bytes; per row of other ranks that was named so far an Offers and a Published.
template <class P, class K>
requires by_id<P, K>
struct ById<P, K> {
 private:
  using Value = PublishedType<K>;
  using Offers = OffersType<K>;

 public:
  ByIdOfWorker<P, K> of_worker(std::size_t w) { return {this, w}; }

  /// Collective.
  void resize(Communicator& comm, Store<P, K>& store, std::size_t workers) {
    const VertexLayout& layout = store.layout();
    store_ = &store;
    owners_.resize(comm, layout);
    count_ = layout.count;
    boxes_.resize(workers);
    const std::size_t pieces = workers == 1 ? 1 : 4 * workers;
    range_bits_ = static_cast<unsigned>(std::bit_width(owners_.masters() / pieces));
    got_.resize((owners_.masters() >> range_bits_) + 1);
    for (Box& box : boxes_) box.offers_here.resize(got_.size());
    if constexpr (present<Offers>) {
      offered_.resize(owners_.masters());
      has_.resize(owners_.masters());
    }
    source_.resize(names_reads<P> ? owners_.masters() : 0);
    for (LocalId v = 0; v < source_.size(); ++v) source_[v] = v;
  }

  // For visits.

  void offer(VertexId to, const Offers& value, std::size_t w) {
    Box& box = boxes_[w];
    const LocalId id = find(to, "offers to");
    if (id < owners_.masters())
      add(box.offers_here[id >> range_bits_], id, value);
    else
      add(box.offers_away, to, value);
  }
  Offers offered(LocalId v) const { return has_[v] != 0 ? offered_[v] : Offers{}; }

  /// `asker`, of row `own`, reads what `whom` publishes. True: it is to be visited with that.
  bool ask(LocalId asker, VertexId own, VertexId whom, std::size_t w) {
    source_[asker] = asker;
    if (whom == none || whom == own) return false;
    const LocalId id = find(whom, "reads");
    if (id < owners_.masters())
      source_[asker] = id;
    else
      boxes_[w].asks_away.push_back({asker, whom});
    return true;
  }
  Value read(LocalId v) const {
    const LocalId source = source_[v];
    return source < owners_.masters() ? store_->published[source]
                                      : away_[source - owners_.masters()].value;
  }

  // For checkpoints.

  bool has_offer(LocalId v) const { return !has_.empty() && has_[v] != 0; }
  void give_offer(LocalId v, const Offers& value) { add_here(v, value); }
  /// The row that master v reads: its own where it reads none.
  VertexId whom(LocalId v) const {
    const LocalId source = source_[v];
    return source < owners_.masters() ? store_->layout().rows[source]
                                      : owners_.row(source - owners_.masters());
  }

  /// After a step whose values are visible; `tag` makes its messages' tags. Vertices that get an
  /// offer are woken. Collective.
  template <class Core, class Tag>
  void exchange(Core& core, Tag tag) {
    if constexpr (present<Offers>) add_offers_here(core);
    if (!owners_.alone()) exchange_away(core.mailbox, tag);
    if constexpr (present<Offers>)
      for (const std::vector<LocalId>& list : got_)
        for (const LocalId v : list) store_->woken.add(v);
  }

 private:
  template <class Id>
  struct Offer {
    Id to;
    [[no_unique_address]] Offers value;
  };
  struct Ask {
    LocalId asker;
    VertexId whom;
  };
  struct alignas(128) Box {
    std::vector<std::vector<Offer<LocalId>>> offers_here;  // by range of vertices
    std::vector<Offer<VertexId>> offers_away;
    std::vector<Ask> asks_away;
  };
  /// A row of another rank: what is offered to it in this step, and what was last read of it.
  struct Away {
    [[no_unique_address]] Offers offers{};
    Value value{};
    bool offered = false, asked = false;
  };
  /// What goes to a rank.
  struct Named {
    std::vector<Offer<VertexId>> offers;
    std::vector<LocalId> asked;  // numbers
  };

  LocalId find(VertexId row, const char* what) const {
    if (row >= count_)
      throw RunError(
          fmt::format("the program {} vertex {}, expected an id below {}", what, row, count_));
    return owners_.find(row);
  }

  /// Many in succession to one vertex are one.
  template <class Id>
  static void add(std::vector<Offer<Id>>& list, Id to, const Offers& value) {
    if (!list.empty() && list.back().to == to)
      list.back().value += value;
    else
      list.push_back({to, value});
  }

  void add_here(LocalId v, const Offers& value) {
    if (has_[v] != 0) {
      offered_[v] += value;
    } else {
      has_[v] = 1;
      offered_[v] = value;
      got_[v >> range_bits_].push_back(v);
    }
  }

  template <class Core>
  void add_offers_here(Core& core) {
    std::size_t offers = 0;
    for (const Box& box : boxes_)
      for (const auto& list : box.offers_here) offers += list.size();
    for (const auto& list : got_) offers += list.size();
    const auto one_range = [&](std::size_t range) {
      for (const LocalId v : got_[range]) has_[v] = 0;
      got_[range].clear();
      for (Box& box : boxes_) {
        for (const auto& [to, value] : box.offers_here[range]) add_here(to, value);
        box.offers_here[range].clear();
      }
    };
    constexpr std::size_t alone = 1U << 14U;
    if (offers < alone)
      for (std::size_t range = 0; range < got_.size(); ++range) one_range(range);
    else
      core.run_tasks(got_.size(), [&](std::size_t range, std::size_t) { one_range(range); });
  }

  /// The rows of other ranks that this step named, each once, by number.
  std::vector<LocalId> name_away() {
    std::vector<LocalId> named;
    const auto away = [&](VertexId row) -> Away& {
      const LocalId number = owners_.meet(row);
      if (number == away_.size()) away_.emplace_back();
      if (!away_[number].offered && !away_[number].asked) named.push_back(number);
      return away_[number];
    };
    for (Box& box : boxes_) {
      if constexpr (present<Offers>)
        for (const auto& [to, value] : box.offers_away) {
          Away& there = away(to);
          if (!std::exchange(there.offered, true)) there.offers = {};
          there.offers += value;
        }
      for (const auto& [asker, whom] : box.asks_away) {
        away(whom).asked = true;
        source_[asker] = owners_.masters() + owners_.meet(whom);
      }
      box.offers_away.clear();
      box.asks_away.clear();
    }
    return named;
  }

  template <class Tag>
  void exchange_away(Mailbox& mailbox, Tag tag) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                              tag(Channel::named));
    const std::vector<LocalId> named = name_away();
    // How many ranks ask each one whose rows are, and how many name vertices of its.
    const auto ranks = static_cast<std::size_t>(mailbox.transport().size());
    const auto self = static_cast<std::size_t>(mailbox.transport().rank());
    std::vector<std::uint32_t> senders(2 * ranks);
    const auto count_named = [&] {
      for (const LocalId number : named)
        if (owners_.knows(number))
          senders[ranks + static_cast<std::size_t>(owners_.rank(number))] = 1;
    };
    owners_.count_asked(std::span(senders).first(ranks));
    count_named();
    std::vector<std::uint32_t> all = mailbox.sum(tag(Channel::senders), senders);
    if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ranks),
                    [](std::uint32_t n) { return n > 0; })) {
      owners_.look_up(mailbox, tag(Channel::whose), tag(Channel::owners), all[self]);
      count_named();
      all = mailbox.sum(tag(Channel::senders_again), senders);
    }

    std::map<int, Named> by_rank;
    for (const LocalId number : named) {
      Away& there = away_[number];
      Named& to = by_rank[owners_.rank(number)];
      if (std::exchange(there.offered, false))
        to.offers.push_back({owners_.row(number), there.offers});
      if (std::exchange(there.asked, false)) to.asked.push_back(number);
    }
    for (const auto& [rank, to] : by_rank)
      mailbox.async_send(rank, Purpose::signals, tag(Channel::named), encoded(to));
    for (const auto& [rank, bytes] : mailbox.take_any(tag(Channel::named), all[ranks + self]))
      take_named(mailbox, rank, bytes, tag(Channel::answers));
    for (const auto& [rank, to] : by_rank) {
      if (to.asked.empty()) continue;
      const Bytes bytes = mailbox.take(rank, tag(Channel::answers));
      const std::byte* at = bytes.data();
      for (const LocalId number : to.asked) away_[number].value = detail::read_at<Value>(at);
    }
  }

  Bytes encoded(const Named& to) const {
    Bytes out;
    out.reserve(4 + to.offers.size() * (4 + sizeof(Offers)) + 4 * to.asked.size() + 128);
    detail::append(out, static_cast<std::uint32_t>(to.offers.size()));
    for (const auto& [row, value] : to.offers) {
      detail::append(out, row);
      detail::append(out, value);
    }
    for (const LocalId number : to.asked) detail::append(out, owners_.row(number));
    return out;
  }

  /// Another rank's offers to masters here, and its questions.
  void take_named(Mailbox& mailbox, int from, const Bytes& bytes, std::uint64_t answer_tag) {
    const std::byte* at = bytes.data();
    const std::byte* const end = at + bytes.size();
    for (auto left = detail::read_at<std::uint32_t>(at); left > 0; --left) {
      const LocalId v = owners_.find(detail::read_at<VertexId>(at));
      const auto value = detail::read_at<Offers>(at);
      if constexpr (present<Offers>) add_here(v, value);
    }
    if (at == end) return;
    Bytes answers;
    answers.reserve(static_cast<std::size_t>(end - at) / sizeof(VertexId) * sizeof(Value) + 128);
    if constexpr (names_reads<P>)
      while (at != end)
        detail::append(answers, store_->published[owners_.find(detail::read_at<VertexId>(at))]);
    mailbox.async_send(from, Purpose::values, answer_tag, std::move(answers));
  }

  Store<P, K>* store_ = nullptr;
  Owners owners_;
  std::uint64_t count_ = 0;                // vertices in the whole graph
  std::vector<Box> boxes_;                 // by worker
  unsigned range_bits_ = 0;                // vertices with the same id >> range_bits_ are one range
  std::vector<Offers> offered_;            // to masters, for their next visit
  std::vector<std::uint8_t> has_;          // is there something?
  std::vector<std::vector<LocalId>> got_;  // those with something, by range
  std::vector<LocalId> source_;  // whose value a master reads: local id, or masters + number
  std::vector<Away> away_;       // by number
};

}  // namespace gas
