#pragma once

#include <vector>

#include "gas/engine/replicas/entries.hpp"
#include "gas/engine/store/publish.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/exchange/topology.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Can kind K of P be exchanged by stages (Topology)? The parameters of a program on the complete
/// bipartite topology, which every rank mirrors, where each round visits all: their accumulators
/// are running, so that each round has a difference of every one of them.
template <class P, class K>
constexpr bool goes_by_stages = [] {
  if constexpr (complete<P>)
    return std::is_same_v<K, ParameterType<P>> && always_active<P, K> &&
           !ListAccumulator<AccumulatorType<K>>;
  else
    return false;
}();

/// The exchange of such parameters by stages. Memory: an accumulator of each parameter.
///
/// A message is told by its sender, round and stage: two ranks meet in one stage of a round only.
/// What comes late or overtakes waits in the mailbox, and what comes twice is not looked at again.
/// The parts are added in the order of the stages and their senders, whatever comes first: sums of
/// integers are the same for every topology, others for every run of one.
template <class P, class K>
class StagedExchange {
  using Accumulator = AccumulatorType<K>;

 public:
  /// For runs from now on; `automatic` or `flat`, or one rank: PartialAccumulators and MirrorValues
  /// exchange them. UsageError where some parameter is not mirrored by every rank. Local.
  void begin(Topology topology, const VertexLayout& layout, int rank, int ranks,
             std::size_t width) {
    stages_.clear();
    if (topology == Topology::automatic || topology == Topology::flat || ranks == 1) return;
    layout_ = &layout;
    blocks_ = {layout.count, ranks};
    local_.assign(layout.count, layout.locals());
    for (LocalId v = 0; v < layout.locals(); ++v) local_[layout.rows[v]] = v;
    for (std::uint64_t id = 0; id < layout.count; ++id)
      if (local_[id] == layout.locals() ||
          (local_[id] < layout.masters()) != (blocks_.owner(id) == rank))
        throw UsageError(
            "the topologies groups and tree need parameters mirrored on every rank, and their "
            "masters in equal blocks of ids");
    width_ = width;
    sums_.resize(layout.count, width);
    part_.resize(1, width);
    stages_ = exchange_stages(topology, rank, ranks);
  }

  bool on() const { return !stages_.empty(); }

  /// This rank's part of the accumulator of v, master or mirror.
  void put(LocalId v, const Accumulator& partial) { gas::put(sums_, layout_->rows[v], partial); }

  /// Adds up all ranks' parts: after it sum(v, …) of a master is whole.
  void reduce(Mailbox& mailbox, std::uint64_t tag) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::sending,
                              tag);
    for (const ExchangeStage& stage : stages_) {
      for (const ExchangeStage::Group& other : stage.others)
        if (const Ids ids = ids_of(other.ranks); ids.count > 0)
          mailbox.async_send(
              other.partner, Purpose::totals, tag,
              encode_entries(
                  ids.count, entry_bytes<Accumulator>(width_),
                  [&](std::size_t i) { return !sums_.zero(ids.first + i); },
                  entry_writer(sums_, [&](std::size_t i) { return ids.first + i; })));
      const Ids own = ids_of(stage.own);
      if (own.count == 0) continue;
      for (const int from : stage.senders) {
        const Bytes bytes = mailbox.take(from, tag);
        decode_entries(bytes, own.count, [&](std::size_t i, const std::byte*& at) {
          read_entry(at, part_, 0);
          auto&& into = sums_[own.first + i];
          combine<Accumulator>(into, part_, 0);
        });
      }
    }
  }

  void sum(LocalId v, Accumulator& into) { combine(into, sums_, layout_->rows[v]); }

  /// Tells all mirrors the values of masters that changed, and marks those that came.
  void spread(Mailbox& mailbox, Store<P, K>& store, std::uint64_t tag) {
    const Timeline::Span span(mailbox.timeline(), Activity::communicating, Trace::What::receiving,
                              tag);
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      if (const Ids own = ids_of(stage->own); own.count > 0 && !stage->senders.empty()) {
        const auto local = [&](std::size_t i) { return local_[own.first + i]; };
        const Bytes news = encode_entries(
            own.count, store.published.entry_bytes(),
            [&](std::size_t i) { return store.changed.has(local(i)); },
            [&](std::size_t i, std::byte* at) { store.published.write(local(i), at); });
        for (const int to : stage->senders) mailbox.async_send(to, Purpose::values, tag, news);
      }
      for (const ExchangeStage::Group& other : stage->others) {
        const Ids ids = ids_of(other.ranks);
        if (ids.count == 0) continue;
        const Bytes bytes = mailbox.take(other.partner, tag);
        decode_entries(bytes, ids.count, [&](std::size_t i, const std::byte*& at) {
          const LocalId v = local_[ids.first + i];
          store.published.read(v, at);
          store.changed.add(v);
        });
      }
    }
  }

 private:
  struct Ids {
    std::size_t first, count;
  };
  Ids ids_of(RankRange ranks) const {
    const std::uint64_t first = blocks_.first(ranks.first);
    return {first, blocks_.first(ranks.last) - first};
  }

  const VertexLayout* layout_ = nullptr;
  BlockDistribution blocks_;
  std::vector<ExchangeStage> stages_;
  std::vector<LocalId> local_;          // by vertex id
  std::size_t width_ = 0;               // of a row
  AccumulatorArray<Accumulator> sums_;  // by vertex id
  AccumulatorArray<Accumulator> part_;  // one, as it comes
};

}  // namespace gas
