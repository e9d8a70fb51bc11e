#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/engine/schedule/work_queue.hpp"

namespace gas {

/// Which vertices are active in asynchronous rounds, and the units of 64 in which they are visited:
/// a unit waits in the queue, in the least bucket that wants one of its vertices, while one of them
/// is active, and one thread at a time visits it.
///
/// Every vertex sees the last published values: who changes one stores it (and what it pushes),
/// then the readers' flags, then looks at the units of those whose flags it set; a thread that
/// takes a unit marks it, then takes flags, then reads values; and looks at the flags again when it
/// has left it. Between the parts of each stand sequentially consistent fences, so that of a thread
/// that changes something and one that looks for changes at least one sees the other. So who finds
/// a flag set need do nothing: who takes that flag reads values after this one was stored, and who
/// set it looks at the unit.
class ActiveUnits {
 public:
  static constexpr LocalId size = 64;
  using Item = WorkQueue::Item;

  WorkQueue queue;

  /// None is active. There may be at most 65,535 buckets.
  void reset(LocalId vertices, std::size_t workers, std::uint32_t buckets);

  bool wanted(LocalId v) const { return wanted_by_[v] != nobody; }

  /// Between rounds, by the main thread.
  void activate(LocalId v, std::uint32_t bucket) {
    if (is_early(wanted_by_[v], bucket)) want(wanted_by_[v], bucket);
    queue_unit(v / size, bucket, v / (16 * size) % queue.workers());
  }

  /// What a worker has published concerns others: `each(want)` calls want(vertices, bucket) for
  /// some of them at a time. Those of the unit that it visits are looked at when it is left. Not
  /// inlined: the loop needs the registers.
  template <class Each>
  [[gnu::noinline]] void activate(Each each, std::size_t w) {
    Woken& woken = woken_[w];
    std::atomic_thread_fence(std::memory_order_seq_cst);
    each([&woken, by = wanted_by_.data()](std::span<const LocalId> vertices, std::uint32_t bucket) {
      // std::find_if looks at four at a time.
      const auto early = [=](LocalId v) { return is_early(by[v], bucket); };
      for (auto v = vertices.begin();
           (v = std::find_if(v, vertices.end(), early)) != vertices.end(); ++v) {
        want(by[*v], bucket);
        woken.add({*v / size, bucket});
      }
    });
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (const Item item : woken.units) queue_unit(item.unit, item.bucket, w);
    woken.clear();
  }

  /// A worker begins to visit a unit that it popped; false: it was taken in a lesser bucket.
  bool enter(Item item) {
    std::uint32_t expected = queued + item.bucket;
    return states_[item.unit].compare_exchange_strong(expected, visited, std::memory_order_acq_rel);
  }

  /// Its active vertices up to the item's bucket are active no longer: so many of `active`.
  std::size_t take(Item item, std::array<LocalId, size>& active) {
    const auto [first, last] = range(item.unit);
    std::size_t count = 0;
    std::uint16_t* const wanted = wanted_by_.data();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (LocalId v = first; v < last; ++v) {
      const std::atomic_ref by(wanted[v]);
      if (by.load(std::memory_order_relaxed) > item.bucket) continue;
      by.store(nobody, std::memory_order_relaxed);
      active[count++] = v;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return count;
  }

  /// The unit may be visited by others; by whom, if it is active again, is up to the queue.
  void leave(std::uint32_t unit, std::size_t w) {
    states_[unit].store(idle, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const auto [first, last] = range(unit);
    std::uint16_t least = nobody;
    for (LocalId v = first; v < last; ++v)
      least = std::min(least, std::atomic_ref(wanted_by_[v]).load(std::memory_order_relaxed));
    if (least != nobody) queue_unit(unit, least, w);
  }

 private:
  static constexpr std::uint16_t nobody = 0xffff;
  static constexpr Item none{0, nobody};
  // What a unit is: idle, being visited, or queued in bucket state − queued.
  static constexpr std::uint32_t idle = 0, visited = 1, queued = 2;

  std::pair<LocalId, LocalId> range(std::uint32_t unit) const {
    const LocalId first = unit * size;
    return {first, std::min(first + size, static_cast<LocalId>(wanted_by_.size()))};
  }

  /// Is `bucket` less than what the vertex was wanted by so far?
  static bool is_early(std::uint16_t& by, std::uint32_t bucket) {
    return std::atomic_ref(by).load(std::memory_order_relaxed) > bucket;
  }
  static void want(std::uint16_t& by, std::uint32_t bucket) {
    std::atomic_ref(by).store(static_cast<std::uint16_t>(bucket), std::memory_order_relaxed);
  }

  void queue_unit(std::uint32_t unit, std::uint32_t bucket, std::size_t w) {
    std::uint32_t state = states_[unit].load(std::memory_order_relaxed);
    while (state == idle || state > queued + bucket)
      if (states_[unit].compare_exchange_weak(state, queued + bucket, std::memory_order_acq_rel)) {
        queue.push(w, {unit, bucket});
        return;
      }
  }

  /// Units to look at, most of them once.
  struct alignas(128) Woken {
    std::vector<Item> units;
    std::array<Item, 64> last;  // that were added, by their unit, or none

    void add(Item item) {
      Item& like = last[item.unit % last.size()];
      if (like == item) return;
      like = item;
      units.push_back(item);
    }
    void clear() {
      for (const Item item : units) last[item.unit % last.size()] = none;
      units.clear();
    }
  };

  std::vector<Woken> woken_;              // by worker
  std::vector<std::uint16_t> wanted_by_;  // by local id: the bucket that wants it, or nobody
  std::vector<std::atomic<std::uint32_t>> states_;  // by unit
};

}  // namespace gas
