#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/engine/schedule/async_pushes.hpp"

namespace gas {

/// What the visits of each worker have changed since it last told whom that concerns: the readers
/// of what a vertex publishes or, where vertices gather changes, those whose accumulator a push
/// changed; and the vertex itself, where gather reads its own value.
///
/// Memory per worker: 8 bytes for each of 4096 notes, and for each reader of one vertex.
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
    std::vector<Note>& notes = lists_[w].notes;
    if constexpr (pushes)
      AsyncPushes<P, K>::push(core, kind, v, now, w, [&](LocalId reader) {
        notes.push_back({reader, bucket});
      });
    else
      __builtin_prefetch(readers_->neighbours.data() + readers_->offsets[v]);
    if constexpr (!pushes || reads_own<P, K>) notes.push_back({v, bucket});
  }

  /// Where the readers of v, and of some behind it, are listed is read soon.
  void prefetch(LocalId v) const { __builtin_prefetch(readers_->offsets.data() + v); }

  /// Are they so many that they should be given before others come?
  bool many(std::size_t w) const { return lists_[w].notes.size() >= 4096; }

  /// concerns(vertices, bucket) for all whom a worker's notes concern; the notes are forgotten.
  template <class Concerns>
  void give(std::size_t w, Concerns concerns) {
    for (const Note& note : lists_[w].notes) {
      if constexpr (!pushes)
        concerns(std::span(readers_->neighbours)
                     .subspan(readers_->offsets[note.v], readers_->degree(note.v)),
                 note.bucket);
      if constexpr (pushes || reads_own<P, K>) concerns(std::span(&note.v, 1), note.bucket);
    }
    lists_[w].notes.clear();
  }

 private:
  struct Note {
    LocalId v;  // that publishes something new; with pushes: whom it reached
    std::uint32_t bucket;
  };
  struct alignas(128) List {
    std::vector<Note> notes;
  };

  const Adjacency* readers_ = nullptr;  // who gathers from whom, by local id
  std::vector<List> lists_;             // by worker
};

}  // namespace gas
