#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/engine/schedule/async_pushes.hpp"
#include "gas/engine/store/id_list.hpp"

namespace gas {

/// What the visits of each worker have changed since it last told whom that concerns: the readers
/// of what a vertex publishes or, where vertices gather changes, those whose accumulator a push
/// changed; and the vertex itself, where gather reads its own value.
///
/// Memory per worker: 4 bytes for each of 4096 notes, and for each reader of one vertex.
template <class P, class K>
class AsyncNotes {
 public:
  static constexpr bool pushes = gathers_changes<K> && !pushes_once<K>;

  /// Woken vertices that gather changes gather from all their neighbours.
  void begin(Core<P>& core, KindRun<P, K>& kind) {
    readers_ = &kind.make_readers(kind.layout().locals(), core.edges);
    lists_.assign(core.workers.size(), {});
    if constexpr (pushes) AsyncPushes<P, K>::begin(core, kind);
  }

  /// v publishes `now`.
  void note(Core<P>& core, KindRun<P, K>& kind, LocalId v, const PublishedType<K>& now,
            std::uint32_t bucket, std::size_t w) {
    List& list = lists_[w];
    if (list.bucket != bucket) {
      list.bucket = bucket;
      list.runs.push_back({bucket, list.noted.size()});
    }
    if constexpr (pushes)
      AsyncPushes<P, K>::push(core, kind, v, now, w, list.noted);
    else
      prefetch_edges(v);
    if constexpr (!pushes || reads_own<P, K>) list.noted.append(v);
  }

  /// Where the readers of v, and of some behind it, are listed is read soon.
  void prefetch(LocalId v) const { __builtin_prefetch(readers_->offsets.data() + v); }

  /// The first readers of v are read soon.
  void prefetch_edges(LocalId v) const {
    __builtin_prefetch(readers_->neighbours.data() + readers_->offsets[v]);
  }

  /// Are they so many that they should be given before others come?
  bool many(std::size_t w) const { return lists_[w].noted.size() >= 4096; }

  /// concerns(vertices, bucket) for all whom a worker's notes concern; the notes are forgotten.
  template <class Concerns>
  void give(std::size_t w, Concerns concerns) {
    List& list = lists_[w];
    for (std::size_t i = 0; i < list.runs.size(); ++i) {
      const Run& run = list.runs[i];
      const std::size_t end = i + 1 < list.runs.size() ? list.runs[i + 1].first : list.noted.size();
      const std::span<const LocalId> noted(list.noted.ids().data() + run.first, end - run.first);
      if constexpr (!pushes)
        for (const LocalId v : noted)
          concerns(
              std::span(readers_->neighbours.data() + readers_->offsets[v], readers_->degree(v)),
              run.bucket);
      if constexpr (pushes || reads_own<P, K>) concerns(noted, run.bucket);
    }
    list.noted.clear();
    list.runs.clear();
    list.bucket = Run::none;
  }

 private:
  /// Notes one after the other that are of one bucket.
  struct Run {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t bucket;
    std::size_t first;  // of its notes
  };
  struct alignas(128) List {
    IdList noted;  // who publishes something new; with pushes: whom that reached
    std::vector<Run> runs;
    std::uint32_t bucket = Run::none;  // of the last run
  };

  const Adjacency* readers_ = nullptr;  // who gathers from whom, by local id
  std::vector<List> lists_;             // by worker
};

}  // namespace gas
