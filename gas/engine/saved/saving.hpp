#pragma once

#include <typeinfo>
#include <utility>

#include "gas/engine/round.hpp"
#include "gas/engine/saved/identity.hpp"
#include "gas/engine/saved/records_of_kind.hpp"
#include "gas/engine/saved/vertex_record.hpp"

namespace gas {

/// What a checkpoint holds of a rank's run, between two runs of rounds: a record per master, which
/// may come back on another rank; and of this rank alone what only the same ranks, partition and
/// threads can use.
template <class P>
class Saving : protected Round<P> {
 protected:
  using State = RankState<P>;
  using State::two, State::graph_, State::core_, State::first_, State::second_;
  using typename State::First, typename State::Second;
  using Round<P>::fused_, Round<P>::dense_;
  using Round<P>::Round;

  /// UsageError on all ranks where a checkpoint cannot hold this program's state. Collective.
  void require_can_be_saved() {
    together(core_.mailbox.transport(), [&] {
      if constexpr (!can_be_saved<First> || (two && !can_be_saved<Second>))
        throw UsageError(
            "for checkpoints, the state of vertices must be trivially copyable, or have template "
            "<class Archive> void serialize(Archive& archive, unsigned)");
      if constexpr (changes_itself && !saves_program)
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

  /// What is alike wherever the run goes on. Collective.
  Identity identity() {
    Communicator& comm = core_.mailbox.transport();
    std::uint64_t sum = local_sum_of_edges(*graph_);
    if constexpr (complete<P>)
      if (dense_.inputs) sum += local_sum_of_inputs(*dense_.inputs, first_.layout());
    std::string values;
    const auto name = [&]<class... T>(std::type_identity<T>...) {
      ((values += name_of_program(typeid(T)) + "; "), ...);
    };
    name(std::type_identity<PublishedType<First>>(), std::type_identity<AccumulatorType<First>>(),
         std::type_identity<PublishedType<Second>>(), std::type_identity<AccumulatorType<Second>>(),
         std::type_identity<EdgeType<P>>());
    return identity_of(comm, typeid(P), values, *graph_, core_.context.seed, sum);
  }

  /// This rank's part of a checkpoint, with the caller's memory beside the state. Local.
  Sections local_save(std::span<const std::byte> beside) {
    Sections sections;
    sections.push_back(to_bytes(beside));
    sections.push_back(archived([&](auto& archive) { whole_run(archive); }));
    save_kind(sections, first_);
    if constexpr (two) save_kind(sections, second_);
    sections.push_back(archived([&](auto& archive) { own_part(archive); }));
    return sections;
  }

  /// What all ranks have alike.
  template <class A>
  void whole_run(A& archive) {
    StepContext<P>& context = core_.context;
    archive& context.step.round& context.bucket;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      SummaryBox<SummaryType<P>>& box = context.last.box(kind);
      Bytes bytes = box.bytes();
      const std::size_t size = bytes.size();
      archive& bytes;
      if constexpr (A::loads) {
        if (bytes.size() != size) ReadingArchive::end();
        box.set(bytes);
      }
    }
    if constexpr (saves_program) archive& core_.program;
    if constexpr (complete<P>) archive& dense_.first_push;
  }

  /// What this rank alone can use again, where its vertices and threads are the same.
  template <class A>
  void own_part(A& archive) {
    if constexpr (rank_local<P>) {
      std::uint64_t sum = core_.workers.size();
      for (const VertexId row : graph_->owner.rows) sum = Random(sum).bits(row);
      std::uint64_t same = sum;
      archive& same;
      if (same == sum) fused_.orders(archive);
    }
  }

  /// All that is kept of a master.
  template <class A, class K>
  void record(A& archive, KindRun<P, K>& kind, LocalId v) {
    vertex_record(archive, kind, v);
    if constexpr (std::is_same_v<K, First>) {
      if constexpr (by_id<P, K>) named_record(archive, v);
      if constexpr (complete<P>) dense_.data_total(archive, v);
      if constexpr (pushes_once<First>) pushed_record(archive, v);
      if constexpr (names_scatter<P>) edges_record(archive, v);
    }
  }

  template <class A>
  void named_record(A& archive, LocalId v) requires by_id<P, First> {
    Named mine;
    if constexpr (!A::loads) {
      if constexpr (names_reads<P>) mine.reads = first_.by_id.whom(v);
      mine.offered = first_.by_id.has_offer(v);
      if constexpr (present<OffersType<First>>) mine.offer = first_.by_id.offered(v);
    }
    archive& mine;
    if constexpr (A::loads) named_[v] = mine;
  }

  template <class A>
  void pushed_record(A& archive, LocalId v) requires pushes_once<First> {
    typename First::Accumulator kept{};
    bool left = false;
    if constexpr (!A::loads)
      if (this->buckets_.has_begun())
        kept = first_.pushed.kept[v], left = this->buckets_.has_left(v);
    archive& kept& left;
    if constexpr (A::loads) {
      first_.pushed.make(*core_.executor, first_.layout());
      first_.pushed.kept[v] = kept;
      if (left) left_.push_back(v);
    }
  }

  /// The edges of a vertex that is whole here: in order of their other ends on every rank.
  template <class A>
  void edges_record(A& archive, LocalId v) {
    const Adjacency& a = *first_.store.adjacency;
    auto count = static_cast<std::uint32_t>(a.degree(v));
    archive& count;
    if (count != a.degree(v))
      throw InputError(
          "found a vertex in the checkpoint with another number of edges than in this graph, "
          "expected a checkpoint of the same graph");
    if (a.edges.empty()) {
      std::span<EdgeType<P>> edges(core_.own_edges.data() + a.offsets[v], count);
      if constexpr (std::is_trivially_copyable_v<EdgeType<P>>)
        archive& edges;
      else if constexpr (can_be_saved<EdgeType<P>>)
        for (EdgeType<P>& edge : edges) archive& edge;
    } else if constexpr (can_be_saved<EdgeType<P>>) {
      std::vector<std::pair<VertexId, LocalId>> edges;  // whose other end is, and which it is
      for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e)
        edges.emplace_back(graph_->owner.rows[a.neighbours[e]], a.edges[e]);
      std::ranges::sort(edges);
      for (const auto& [row, edge] : edges) archive& core_.own_edges[edge];
    }
  }

  /// What is offered to a vertex, and whom it reads.
  struct Named {
    VertexId reads = none;
    bool offered = false;
    [[no_unique_address]] OffersType<First> offer{};
  };

  // What was read, until all ranks have exchanged it:
  std::vector<Named> named_;   // by local id
  std::vector<LocalId> left_;  // vertices that push once, and have

 private:
  static constexpr bool changes_itself =
      names_before_step<P> && !requires(const P& p, const Summaries<P>& last) {
    p.before_step(Step{}, last);
  };
  static constexpr bool saves_program = requires(P & p, CountingArchive& archive) {
    p.serialize(archive, 0U);
  };

  template <class K>
  void save_kind(Sections& sections, KindRun<P, K>& kind) {
    const VertexLayout& layout = kind.layout();
    const LocalId masters = layout.masters();
    std::vector<std::uint32_t> sizes(masters);
    std::size_t bytes = 0;
    for (LocalId v = 0; v < masters; ++v) {
      CountingArchive counting;
      record(counting, kind, v);
      sizes[v] = static_cast<std::uint32_t>(counting.count);
      bytes += counting.count;
    }
    Bytes records(bytes);
    WritingArchive writing(records.data());
    for (LocalId v = 0; v < masters; ++v) record(writing, kind, v);
    // Mirrors that are woken, or whose change has not been read: their masters are visited with
    // what they gathered, and all copies are marked.
    std::vector<std::uint8_t> flags(layout.locals() - masters);
    for (LocalId v = masters; v < layout.locals(); ++v)
      flags[v - masters] = flags_of(kind.store, v);
    append_kind(sections, layout, std::move(sizes), std::move(records), flags);
  }
};

}  // namespace gas
