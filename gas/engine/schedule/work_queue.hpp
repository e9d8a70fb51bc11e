#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gas {

/// Units of work in numbered buckets, for several workers at once. Every worker has buckets of its
/// own: it takes the oldest unit of its least bucket, and steals from the others' least buckets
/// when it has none. So the order of buckets is kept within a worker, and broken between workers by
/// what one of them steals or has alone. A lock per worker, held for one unit's taking or giving.
class WorkQueue {
 public:
  struct Item {
    std::uint32_t unit = 0;
    std::uint32_t bucket = 0;
    bool operator==(const Item&) const = default;
  };

  /// Empty, for so many workers, with so many buckets.
  void reset(std::size_t workers, std::uint32_t buckets) {
    shelves_ = std::vector<std::unique_ptr<Shelf>>(workers);
    for (auto& shelf : shelves_) {
      shelf = std::make_unique<Shelf>();
      shelf->buckets.resize(buckets);
      shelf->least = buckets;
    }
    open_ = 0;
  }

  std::size_t workers() const { return shelves_.size(); }

  void push(std::size_t worker, Item item) {
    open_.fetch_add(1, std::memory_order_relaxed);
    Shelf& shelf = *shelves_[worker];
    const std::lock_guard lock(shelf.guard);
    shelf.buckets[item.bucket].units.push_back(item.unit);
    shelf.least = std::min(shelf.least, item.bucket);
    signals_.fetch_add(1, std::memory_order_release);
    signals_.notify_one();
  }

  /// False: there is nothing to be had now.
  bool pop(std::size_t worker, Item& item) {
    for (std::size_t i = 0; i < shelves_.size(); ++i)
      if (take(*shelves_[(worker + i) % shelves_.size()], item)) return true;
    return false;
  }

  /// An item that was popped has been dealt with, and what it made necessary was pushed.
  void done() {
    if (open_.fetch_sub(1, std::memory_order_release) == 1) wake();
  }

  /// A worker that found nothing waits until something was pushed, all is finished, or somebody
  /// called wake(), since it noted signals(), before it looked.
  std::uint32_t signals() const { return signals_.load(std::memory_order_acquire); }
  void wait(std::uint32_t noted) const { signals_.wait(noted, std::memory_order_acquire); }
  void wake() {
    signals_.fetch_add(1, std::memory_order_release);
    signals_.notify_all();
  }

  /// Nothing waits and nobody is at work on anything.
  bool finished() const { return open_.load(std::memory_order_acquire) == 0; }

 private:
  static constexpr std::size_t few = 1024;  // that were taken and may stay in a bucket
  struct Bucket {
    std::vector<std::uint32_t> units;  // from `next` on
    std::size_t next = 0;
  };
  struct alignas(128) Shelf {
    std::mutex guard;
    std::vector<Bucket> buckets;
    std::uint32_t least = 0;  // all before are empty
  };

  static bool take(Shelf& shelf, Item& item) {
    const std::lock_guard lock(shelf.guard);
    for (; shelf.least < shelf.buckets.size(); ++shelf.least) {
      Bucket& bucket = shelf.buckets[shelf.least];
      if (bucket.next < bucket.units.size()) {
        item = {bucket.units[bucket.next++], shelf.least};
        if (bucket.next >= few && 2 * bucket.next > bucket.units.size()) {
          bucket.units.erase(bucket.units.begin(),
                             bucket.units.begin() + static_cast<std::ptrdiff_t>(bucket.next));
          bucket.next = 0;
        }
        return true;
      }
      bucket.units.clear();
      bucket.next = 0;
    }
    return false;
  }

  std::vector<std::unique_ptr<Shelf>> shelves_;  // by worker
  std::atomic<std::size_t> open_{0};             // waiting, or popped and not done
  std::atomic<std::uint32_t> signals_{0};
};

}  // namespace gas
