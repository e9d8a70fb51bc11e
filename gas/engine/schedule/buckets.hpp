#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gas/base/types.hpp"

namespace gas {

/// Vertices by numbered buckets. Those of a block of 128 are open; the others lie in bins by the
/// first digit, to the base of 128, in which their bucket is not of that block (a radix heap:
/// Ahuja, Mehlhorn, Orlin, Tarjan 1990). So a vertex moves at most four times on its way to an open
/// one, unless one is added to a lesser block. A vertex may be added to a lesser bucket while it
/// waits in another one: what is left of it there no longer waits once it was taken.
class Buckets {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  Buckets() : open_(width), closed_(std::size_t{levels} * width) {}

  /// `edges`: that leave it, fewer than 2³².
  void add(LocalId v, std::uint32_t bucket, EdgeOffset edges) {
    if (bucket < first_) move_down(bucket);
    const unsigned level = level_of(bucket);
    if (level == 0) {
      open_[bucket % width].add(v, edges);
      low_ = std::min(low_, bucket % width);
    } else {
      closed(level, bucket).push_back({v, bucket, static_cast<std::uint32_t>(edges)});
    }
  }

  /// The least bucket with a vertex for which `waits(v)`; none. What is found not to wait is
  /// forgotten.
  template <class Waits>
  std::uint32_t least(Waits waits) {
    do {
      for (; low_ < width; ++low_) {
        std::vector<LocalId>& bin = open_[low_].vertices;
        while (!bin.empty() && !waits(bin.back())) bin.pop_back();
        if (!bin.empty()) return first_ + low_;
      }
    } while (open_next(waits));
    return none;
  }

  /// Empties a bucket, no later one than least() gave, into `into`, which is empty; → the edges
  /// that leave what was added to it.
  EdgeOffset take(std::uint32_t bucket, std::vector<LocalId>& into) {
    if (level_of(bucket) > 0) return 0;
    open_[bucket % width].vertices.swap(into);
    return std::exchange(open_[bucket % width].edges, 0);
  }

  /// The same, if there are some, but no more than `most`.
  bool take(std::uint32_t bucket, std::vector<LocalId>& into, std::size_t most) {
    if (level_of(bucket) > 0) return false;
    const std::size_t waiting = open_[bucket % width].vertices.size();
    if (waiting == 0 || waiting > most) return false;
    take(bucket, into);
    return true;
  }

 private:
  static constexpr unsigned digit_bits = 7, levels = 4;  // of closed ones
  static constexpr std::uint32_t width = 1U << digit_bits;

  struct Bin {
    std::vector<LocalId> vertices;
    EdgeOffset edges = 0;
    void add(LocalId v, EdgeOffset more) {
      vertices.emplace_back(v);
      edges += more;
    }
  };
  struct Closed {
    LocalId vertex;
    std::uint32_t bucket, edges;
  };

  /// The first digit that differs from the open block's, counted from the last; 0: it is open.
  unsigned level_of(std::uint32_t bucket) const {
    const std::uint32_t differs = bucket ^ first_;
    return differs < width ? 0 : (static_cast<unsigned>(std::bit_width(differs)) - 1) / digit_bits;
  }
  std::vector<Closed>& bin(unsigned level, std::uint32_t digit) {
    return closed_[(level - 1) * width + digit];
  }
  std::vector<Closed>& closed(unsigned level, std::uint32_t bucket) {
    return bin(level, (bucket >> (digit_bits * level)) % width);
  }

  /// Opens the block of the least bucket with a vertex that waits, where no open one has any; false
  /// if there is none.
  template <class Waits>
  bool open_next(Waits waits) {
    for (unsigned level = 1; level <= levels; ++level)
      for (std::uint32_t digit = 0; digit < width; ++digit) {
        std::vector<Closed>& found = bin(level, digit);
        std::erase_if(found, [&](const Closed& each) { return !waits(each.vertex); });
        if (found.empty()) continue;
        const std::vector<Closed> moved = std::exchange(found, {});
        first_ = std::ranges::min(moved, {}, &Closed::bucket).bucket / width * width;
        low_ = width;
        for (const Closed& each : moved) add(each.vertex, each.bucket, each.edges);
        return true;
      }
    return false;
  }

  /// Opens the block of a lesser bucket.
  void move_down(std::uint32_t bucket) {
    const unsigned level = level_of(bucket);
    std::vector<Closed>& into = closed(level, first_);
    for (std::uint32_t i = low_; i < width; ++i) {
      for (const LocalId v : open_[i].vertices)  // their edges are counted with the first
        into.push_back(
            {v, first_ + i, static_cast<std::uint32_t>(std::exchange(open_[i].edges, 0))});
      open_[i].vertices.clear();
      open_[i].edges = 0;
    }
    for (unsigned lesser = 1; lesser < level; ++lesser)
      for (std::uint32_t digit = 0; digit < width; ++digit) {
        std::vector<Closed>& from = bin(lesser, digit);
        into.insert(into.end(), from.begin(), from.end());
        from.clear();
      }
    first_ = bucket / width * width;
    low_ = width;
  }

  std::vector<Bin> open_;  // by the last digit
  std::vector<std::vector<Closed>> closed_;
  std::uint32_t first_ = 0;    // of the open ones
  std::uint32_t low_ = width;  // open ones before are empty
};

}  // namespace gas
