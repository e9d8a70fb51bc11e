#pragma once

#include <utility>

#include "gas/checkpoint/keeper.hpp"
#include "gas/engine/saved/records_of_kind.hpp"
#include "gas/engine/saved/saving.hpp"

namespace gas {

/// How a run goes on from a checkpoint: each master's record comes to the rank that has it now,
/// mirrors get their values again, and partial accumulators are formed anew.
template <class P>
class Saved : protected Saving<P> {
 protected:
  using State = RankState<P>;
  using State::two, State::graph_, State::core_, State::first_, State::second_;
  using typename State::First, typename State::Second;
  using Round<P>::fused_, Round<P>::complete_;
  using Saving<P>::Saving, Saving<P>::record, Saving<P>::whole_run, Saving<P>::own_part,
      Saving<P>::named_, Saving<P>::left_;

  /// Takes over what was loaded, each rank's part for its masters, and what is `beside` it;
  /// restore() then makes a state of it. InputError on all ranks where it is not whole. Collective.
  void take(LoadedCheckpoint loaded, std::span<std::byte> beside) {
    Communicator& comm = core_.mailbox.transport();
    Bytes common, whole;
    if (comm.rank() == 0) {
      common = section_at(loaded.files, 0, 0);
      whole = section_at(loaded.files, 0, 1);
    }
    common = broadcast(comm, std::span<const std::byte>(common));
    whole = broadcast(comm, std::span<const std::byte>(whole));
    take_kind(loaded.files, 2, first_);
    if constexpr (two) take_kind(loaded.files, 2 + sections_of_kind, second_);
    together(comm, [&] {
      ReadingArchive archive(whole);
      whole_run(archive);
      if (common.size() != beside.size()) ReadingArchive::end();
      std::ranges::copy(common, beside.begin());
    });
    own_.clear();
    if (loaded.same_ranks) own_ = section_at(loaded.files, 0, 2 + (two ? 2 : 1) * sections_of_kind);
  }

  /// In the place of start(): what was taken becomes the state after the round that was saved.
  void restore() {
    complete_ = core_.context.last;
    const Step saved = core_.context.step;
    tell_mirrors(first_, 0);
    if constexpr (two) tell_mirrors(second_, 1);
    name_again();
    if constexpr (two && !fused<P> && !complete<P>) {
      form_again(first_, second_, 0);
      form_again(second_, first_, 1);
    } else if constexpr (!two) {
      form_again(first_, first_, 0);
    }
    if constexpr (pushes_once<First>) wait_again();
    mark(first_, first_changed_, 0, Channel::changes);
    if constexpr (two) mark(second_, second_changed_, 1, Channel::changes);
    if constexpr (fused<P> && saves_running<Second>) fused_.go_on();
    if (!own_.empty()) {
      ReadingArchive archive(own_);
      own_part(archive);
    }
    core_.context.step = saved;
    forget_taken();
  }

 private:
  template <class K>
  void take_kind(const std::vector<Sections>& files, std::size_t section, KindRun<P, K>& kind) {
    Communicator& comm = core_.mailbox.transport();
    const RecordsOfKind records(comm, files, section, kind.layout());
    if constexpr (by_id<P, K>) named_.resize(kind.layout().masters());
    kind.store.woken.clear();
    together(comm, [&] {
      records.local_take([&](LocalId v, ReadingArchive& archive) { record(archive, kind, v); });
      records.local_take_flags(
          [&](LocalId v, std::uint8_t flags) { add_flags(kind.store, v, flags); });
    });
    kind.store.woken.unlist();
    if constexpr (KindRun<P, K>::every_round) kind.store.woken.fill();
  }

  /// Sends all values of the set `changed` to their mirrors, where they are marked.
  template <class K>
  void send_changed(KindRun<P, K>& kind, std::uint32_t index, Channel channel) {
    core_.context.step.kind = index;
    const std::uint64_t tag = message_tag_of(0, index, channel);
    kind.values.send(core_.mailbox, kind.store, tag);
    kind.values.receive(core_.mailbox, kind.store, tag);
  }
  template <class K>
  void tell_mirrors(KindRun<P, K>& kind, std::uint32_t index) {
    const LocalId masters = kind.layout().masters();
    std::vector<std::uint8_t>& flags = index == 0 ? first_changed_ : second_changed_;
    flags.assign(kind.store.changed.flags(), kind.store.changed.flags() + masters);
    kind.store.changed.fill();
    send_changed(kind, index, Channel::values);
  }
  /// Mirrors are marked as `flags` say of their masters.
  template <class K>
  void mark(KindRun<P, K>& kind, const std::vector<std::uint8_t>& flags, std::uint32_t index,
            Channel channel) {
    kind.store.changed.clear();
    std::ranges::copy(flags, kind.store.changed.flags());
    kind.store.changed.unlist();
    send_changed(kind, index, channel);
  }

  /// Running accumulators hold what came of differences, of which none is on its way. Others are
  /// what gather would give in the next round: it may depend on what before_step says of that.
  template <class K, class O>
  void form_again(KindRun<P, K>& kind, KindRun<P, O>& other, std::uint32_t index) {
    if constexpr (!is_running<typename KindRun<P, K>::Accumulator>) {
      if (!kind.layout().splits() && !kind.partials.relay.on()) return;
      const std::uint64_t round = core_.context.step.round;
      P program = core_.program;
      ++core_.context.step.round;
      this->before_step(index);
      form_partials(core_, kind, other, index);
      core_.context.step.round = round;
      core_.program = std::move(program);
    }
  }

  void name_again() {
    if constexpr (by_id<P, First>) {
      for (LocalId v = 0; v < named_.size(); ++v)
        if constexpr (names_reads<P>)
          first_.by_id.ask(v, first_.layout().rows[v], named_[v].reads, 0);
      core_.exchange_by_id(first_, 0);
      if constexpr (present<OffersType<First>>)
        for (LocalId v = 0; v < named_.size(); ++v)
          if (named_[v].offered) first_.by_id.give_offer(v, named_[v].offer);
    }
  }

  /// Vertices that push once: those that have not left wait again, and their mirrors with them.
  void wait_again() requires pushes_once<First> {
    std::vector<std::uint8_t> left(first_.layout().masters());
    for (const LocalId v : left_) left[v] = 1;
    mark(first_, left, 0, Channel::pushed);
    this->buckets_.wait_again(core_, first_, first_.store.changed);
  }

  void forget_taken() {
    named_ = {};
    first_changed_ = second_changed_ = {};
    left_ = {};
    own_ = {};
  }

  // What was taken, until restore().
  std::vector<std::uint8_t> first_changed_, second_changed_;
  Bytes own_;
};

}  // namespace gas
