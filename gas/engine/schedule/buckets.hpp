#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gas/base/types.hpp"

namespace gas {

/// Vertices by numbered buckets, of which the next 128 are open and the rest lie in one list. A
/// vertex may be added to a lesser bucket while it waits in another one: what is left of it there
/// no longer waits once it was taken.
class Buckets {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  Buckets() : bins_(open) {}

  /// `edges`: that leave it, fewer than 2³².
  void add(LocalId v, std::uint32_t bucket, EdgeOffset edges) {
    if (bucket < first_) move_to(bucket);
    if (bucket - first_ < open) {
      bins_[bucket % open].add(v, edges);
      // By their distance from the first: behind the last number of all comes 0.
      if (bucket - first_ < low_ - first_) low_ = bucket;
    } else {
      far_.push_back({v, bucket, static_cast<std::uint32_t>(edges)});
    }
  }

  /// The least bucket with a vertex for which `waits(v)`; none. What is found not to wait is
  /// forgotten.
  template <class Waits>
  std::uint32_t least(Waits waits) {
    for (;;) {
      for (; low_ - first_ < open; ++low_) {
        std::vector<LocalId>& bin = bins_[low_ % open].vertices;
        while (!bin.empty() && !waits(bin.back())) bin.pop_back();
        if (!bin.empty()) return low_;
      }
      std::erase_if(far_, [&](const auto& entry) { return !waits(entry.vertex); });
      if (far_.empty()) return none;
      std::uint32_t next = none;
      for (const Far& entry : far_) next = std::min(next, entry.bucket);
      move_to(next);
    }
  }

  /// Empties a bucket, no later one than least() gave, into `into`, which is empty; → the edges
  /// that leave what was added to it.
  EdgeOffset take(std::uint32_t bucket, std::vector<LocalId>& into) {
    if (bucket - first_ >= open) return 0;
    bins_[bucket % open].vertices.swap(into);
    return std::exchange(bins_[bucket % open].edges, 0);
  }

  /// The same, if there are some, but no more than `most`.
  bool take(std::uint32_t bucket, std::vector<LocalId>& into, std::size_t most) {
    if (bucket - first_ >= open) return false;
    const std::size_t waiting = bins_[bucket % open].vertices.size();
    if (waiting == 0 || waiting > most) return false;
    take(bucket, into);
    return true;
  }

 private:
  static constexpr std::uint32_t open = 128;

  /// The open ones are those from `first` on.
  void move_to(std::uint32_t first) {
    for (std::uint32_t b = low_; b - first_ < open; ++b) {
      Bin& bin = bins_[b % open];
      for (const LocalId v : bin.vertices)  // their edges are counted with the first
        far_.push_back({v, b, static_cast<std::uint32_t>(std::exchange(bin.edges, 0))});
      bin.vertices.clear();
      bin.edges = 0;
    }
    first_ = low_ = first;
    std::erase_if(far_, [&](const auto& entry) {
      if (entry.bucket - first_ >= open) return false;
      bins_[entry.bucket % open].add(entry.vertex, entry.edges);
      return true;
    });
  }

  struct Bin {
    std::vector<LocalId> vertices;
    EdgeOffset edges = 0;
    void add(LocalId v, EdgeOffset more) {
      vertices.emplace_back(v);
      edges += more;
    }
  };
  struct Far {
    LocalId vertex;
    std::uint32_t bucket, edges;
  };

  std::vector<Bin> bins_;  // open ones, by number modulo their count
  std::vector<Far> far_;
  std::uint32_t first_ = 0;  // of the open ones
  std::uint32_t low_ = 0;    // all before are empty
};

}  // namespace gas
