#pragma once

#include <array>
#include <typeinfo>
#include <utility>

#include "gas/base/page_array.hpp"
#include "gas/engine/run/saved_state.hpp"
#include "gas/engine/saved/identity.hpp"
#include "gas/engine/saved/records_of_kind.hpp"
#include "gas/engine/saved/run_record.hpp"

namespace gas {

/// How a run is saved between two runs of rounds, and how it goes on from a checkpoint: each
/// master's record comes to the rank that has it now, mirrors get their values again, and partial
/// accumulators are formed anew.
template <class P>
class Saved final : public SavedState {
  using First = typename RankState<P>::First;
  using Second = typename RankState<P>::Second;
  static constexpr bool two = RankState<P>::two;

 public:
  Saved(RankState<P>& state, Round<P>& round)
      : state_(state), round_(round), record_(state, round) {}

  void require_can_be_saved() override {
    together(core_.mailbox.transport(), [&] {
      if constexpr (!can_be_saved<First> || (two && !can_be_saved<Second>))
        throw UsageError(
            "for checkpoints, the state of vertices must be trivially copyable, or have template "
            "<class Archive> void serialize(Archive& archive, unsigned)");
      if constexpr (changes_itself && !RunRecord<P>::saves_program)
        throw UsageError(
            "for checkpoints, a program with before_step needs template <class Archive> void "
            "serialize(Archive& archive, unsigned), which stores what before_step changes");
      if constexpr (names_scatter<P> && !can_be_saved<EdgeType<P>>)
        throw UsageError(
            "for checkpoints, Edge must be trivially copyable, or have template <class Archive> "
            "void serialize(Archive& archive, unsigned)");
      if constexpr (names_scatter<P>)
        if (first_.layout().splits())
          throw UsageError(
              "for checkpoints of edges that scatter changes, choose a partition that keeps all "
              "edges of a vertex on one rank (such as range or hash)");
    });
  }

  Identity identity() override {
    Communicator& comm = core_.mailbox.transport();
    std::uint64_t sum = local_sum_of_edges(*state_.graph);
    if constexpr (complete<P>)
      if (round_.dense_gather.inputs)
        sum += local_sum_of_inputs(*round_.dense_gather.inputs, first_.layout());
    std::string values;
    const auto name = [&]<class... T>(std::type_identity<T>...) {
      ((values += name_of_program(typeid(T)) + "; "), ...);
    };
    name(std::type_identity<PublishedType<First>>(), std::type_identity<AccumulatorType<First>>(),
         std::type_identity<PublishedType<Second>>(), std::type_identity<AccumulatorType<Second>>(),
         std::type_identity<EdgeType<P>>());
    return identity_of(comm, typeid(P), values, *state_.graph, core_.context.seed, sum);
  }

  Sections local_save(std::span<const std::byte> beside) override {
    Sections sections;
    sections.push_back(to_bytes(beside));
    sections.push_back(archived([&](auto& archive) { record_.whole_run(archive); }));
    save_kind(sections, first_);
    if constexpr (two) save_kind(sections, second_);
    sections.push_back(archived([&](auto& archive) { record_.own_part(archive); }));
    return sections;
  }

  void take(LoadedCheckpoint loaded, std::span<std::byte> beside) override {
    Communicator& comm = core_.mailbox.transport();
    Bytes common, whole;
    own_.clear();
    together(comm, [&] {
      if (comm.rank() == 0) {
        common = section_at(loaded.files, 0, 0);
        whole = section_at(loaded.files, 0, 1);
      }
      if (loaded.same_ranks)
        own_ = section_at(loaded.files, 0, 2 + (two ? 2 : 1) * sections_of_kind);
    });
    common = broadcast(comm, std::span<const std::byte>(common));
    whole = broadcast(comm, std::span<const std::byte>(whole));
    take_kind(loaded.files, 2, first_);
    if constexpr (two) take_kind(loaded.files, 2 + sections_of_kind, second_);
    together(comm, [&] {
      ReadingArchive archive(whole);
      record_.whole_run(archive);
      require_kept("the program", whole.size(), whole.size() - archive.left());
      require_kept("what is beside the state", common.size(), beside.size());
      std::ranges::copy(common, beside.begin());
    });
  }

  void restore() override {
    round_.go_on();
    const Step saved = core_.context.step;
    state_.each_kind([&](auto& kind, auto&, std::uint32_t index) { tell_mirrors(kind, index); });
    name_again();
    if constexpr (!fused<P> && !complete<P>)
      state_.each_kind(
          [&](auto& kind, auto& other, std::uint32_t index) { form_again(kind, other, index); });
    if constexpr (pushes_once<First>) wait_again();
    state_.each_kind([&](auto& kind, auto&, std::uint32_t index) {
      mark(kind, changed_[index], index, Channel::changes);
    });
    if constexpr (fused<P> && saves_running<Second>) round_.fused_gather.go_on();
    if (!own_.empty()) {
      ReadingArchive archive(own_);
      record_.own_part(archive);
    }
    core_.context.step = saved;
    forget_taken();
  }

 private:
  static constexpr bool changes_itself =
      names_before_step<P> && !requires(const P& p, const Summaries<P>& last) {
    p.before_step(Step{}, last);
  };

  template <class K>
  void save_kind(Sections& sections, KindRun<P, K>& kind) {
    const VertexLayout& layout = kind.layout();
    const LocalId masters = layout.masters();
    std::vector<std::uint32_t> sizes(masters);
    std::size_t bytes = 0;
    for (LocalId v = 0; v < masters; ++v) {
      CountingArchive counting;
      record_.record(counting, kind, v);
      if (counting.count > std::numeric_limits<std::uint32_t>::max())
        throw RunError("a checkpoint can hold at most 4 GiB of a vertex's state");
      sizes[v] = static_cast<std::uint32_t>(counting.count);
      bytes += counting.count;
    }
    Bytes records(bytes);
    WritingArchive writing(records.data());
    for (LocalId v = 0; v < masters; ++v) record_.record(writing, kind, v);
    // Mirrors that are woken, or whose change has not been read: their masters are visited with
    // what they gathered, and all copies are marked.
    std::vector<std::uint8_t> flags(layout.locals() - masters);
    for (LocalId v = masters; v < layout.locals(); ++v)
      flags[v - masters] = flags_of(kind.store, v);
    append_kind(sections, layout, std::move(sizes), std::move(records), flags);
  }

  template <class K>
  void take_kind(const std::vector<Sections>& files, std::size_t section, KindRun<P, K>& kind) {
    Communicator& comm = core_.mailbox.transport();
    const RecordsOfKind records(comm, files, section, kind.layout());
    if constexpr (by_id<P, K>) record_.named.resize(kind.layout().masters());
    kind.store.woken.clear();
    together(comm, [&] {
      records.local_take(
          [&](LocalId v, ReadingArchive& archive) { record_.record(archive, kind, v); });
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
    std::vector<std::uint8_t>& flags = changed_[index];
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
  /// Where all vertices are active each round forms them itself.
  template <class K, class O>
  void form_again(KindRun<P, K>& kind, KindRun<P, O>& other, std::uint32_t index) {
    if constexpr (gathers_values<P, K> && !always_active<P, K> &&
                  !is_running<typename KindRun<P, K>::Accumulator>) {
      if (!kind.layout().splits() && !kind.partials.relay.on()) return;
      const std::uint64_t round = core_.context.step.round;
      P program = core_.program;
      ++core_.context.step.round;
      round_.before_step(index);
      form_partials(core_, kind, other, index);
      core_.context.step.round = round;
      core_.program = std::move(program);
    }
  }

  void name_again() {
    if constexpr (by_id<P, First>) {
      for (LocalId v = 0; v < record_.named.size(); ++v)
        if constexpr (names_reads<P>)
          first_.by_id.ask(v, first_.layout().rows[v], record_.named[v].reads, 0);
      core_.exchange_by_id(first_, 0);
      if constexpr (present<OffersType<First>>)
        for (LocalId v = 0; v < record_.named.size(); ++v)
          if (record_.named[v].offered) first_.by_id.give_offer(v, record_.named[v].offer);
    }
  }

  /// Vertices that push once: those that have not left wait again, and their mirrors with them.
  void wait_again() requires pushes_once<First> {
    std::vector<std::uint8_t> left(first_.layout().masters());
    for (const LocalId v : record_.left) left[v] = 1;
    mark(first_, left, 0, Channel::pushed);
    round_.buckets.wait_again(core_, first_, first_.store.changed);
  }

  void forget_taken() {
    release(record_.named);
    changed_ = {};
    release(record_.left);
    release(own_);
  }

  // What was taken, until restore().
  std::array<std::vector<std::uint8_t>, 2> changed_;  // by kind
  Bytes own_;

  RankState<P>& state_;
  Round<P>& round_;
  Core<P>& core_ = state_.core;
  KindRun<P, First>& first_ = state_.first;
  decltype(state_.second)& second_ = state_.second;
  RunRecord<P> record_;
};

}  // namespace gas
