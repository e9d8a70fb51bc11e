#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "gas/engine/round.hpp"
#include "gas/engine/saved/vertex_record.hpp"

namespace gas {

/// What a checkpoint holds of a rank's run, written and read by the same functions: a record per
/// master, which may come back on another rank; what all ranks have alike; and of this rank alone
/// what only the same ranks, partition and threads can use.
template <class P>
class RunRecord {
  using First = typename RankState<P>::First;

 public:
  static constexpr bool saves_program = requires(P & p, CountingArchive& archive) {
    p.serialize(archive, 0U);
  };

  RunRecord(RankState<P>& state, Round<P>& round) : state_(state), round_(round) {}

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
    if constexpr (complete<P>) archive& round_.dense_gather.first_push;
  }

  /// What this rank alone can use again, where its vertices and threads are the same.
  template <class A>
  void own_part(A& archive) {
    if constexpr (rank_local<P>) {
      std::uint64_t sum = core_.workers.size();
      for (const VertexId row : state_.graph->owner.rows) sum = Random(sum).bits(row);
      std::uint64_t same = sum;
      archive& same;
      if (same == sum) round_.fused_gather.orders(archive);
    }
  }

  /// All that is kept of a master.
  template <class A, class K>
  void record(A& archive, KindRun<P, K>& kind, LocalId v) {
    vertex_record(archive, kind, v);
    if constexpr (std::is_same_v<K, First>) {
      if constexpr (by_id<P, K>) named_record(archive, v);
      if constexpr (complete<P>) round_.dense_gather.data_total(archive, v);
      if constexpr (pushes_once<First>) pushed_record(archive, v);
      if constexpr (names_scatter<P>) edges_record(archive, v);
    }
  }

  /// What is offered to a vertex, and whom it reads.
  struct Named {
    VertexId reads = none;
    bool offered = false;
    [[no_unique_address]] OffersType<First> offer{};
  };

  // What was read, until all ranks have exchanged it:
  std::vector<Named> named;   // by local id
  std::vector<LocalId> left;  // vertices that push once, and have

 private:
  template <class A>
  void named_record(A& archive, LocalId v) requires by_id<P, First> {
    Named mine;
    if constexpr (!A::loads) {
      if constexpr (names_reads<P>) mine.reads = first_.by_id.whom(v);
      mine.offered = first_.by_id.has_offer(v);
      if constexpr (present<OffersType<First>>) mine.offer = first_.by_id.offered(v);
    }
    archive& mine;
    if constexpr (A::loads) named[v] = mine;
  }

  template <class A>
  void pushed_record(A& archive, LocalId v) requires pushes_once<First> {
    typename First::Accumulator kept{};
    bool has_left = false;
    if constexpr (!A::loads)
      if (round_.buckets.has_begun())
        kept = first_.pushed.kept[v], has_left = round_.buckets.has_left(v);
    archive& kept& has_left;
    if constexpr (A::loads) {
      first_.pushed.make(*core_.executor, first_.layout());
      first_.pushed.kept[v] = kept;
      if (has_left) left.push_back(v);
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
        edges.emplace_back(state_.graph->owner.rows[a.neighbours[e]], a.edges[e]);
      std::ranges::sort(edges);
      for (const auto& [row, edge] : edges) archive& core_.own_edges[edge];
    }
  }

  RankState<P>& state_;
  Round<P>& round_;
  Core<P>& core_ = state_.core;
  KindRun<P, First>& first_ = state_.first;
};

}  // namespace gas
