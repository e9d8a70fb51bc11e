#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/engine/store/id_list.hpp"
#include "gas/engine/store/vertex_list.hpp"

namespace gas {

/// A set of the vertices of one kind on one rank, by local id: a flag per vertex, and a list of the
/// members while they are few. Walking and clearing a listed set costs what it holds; any other one
/// costs a byte per vertex of the kind. One that was moved from can be resized or assigned to only.
class VertexSet {
 public:
  void resize(std::size_t count) {
    flags_.assign(count, 0);
    list_.clear();
    listed_ = true;
    many_ = false;
  }

  bool has(LocalId v) const { return flags_[v] != 0; }
  /// Is there a list of all members?
  bool listed() const { return listed_; }
  /// The members, if listed.
  std::span<const LocalId> list() const { return list_.ids(); }
  bool empty() const {
    return listed_ ? list_.size() == 0 : std::ranges::find(flags_, 1) == flags_.end();
  }
  std::size_t size() const {
    return listed_ ? list_.size() : static_cast<std::size_t>(std::ranges::count(flags_, 1));
  }

  template <class F>
  void for_each(F f) const {
    if (listed_) {
      for (const LocalId v : list()) f(v);
    } else {
      for_each_block(0, flags_.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
          if (flags_[v] != 0) f(static_cast<LocalId>(v));
        return true;
      });
    }
  }

  [[gnu::always_inline]] void add(LocalId v) {
    if (flags_[v] != 0) return;
    flags_[v] = 1;
    if (listed_) push(v);
  }

  /// The same for those that of(0) … of(count − 1) name, each perhaps several times.
  template <class Of>
  void add_each(std::size_t count, Of of) {
    std::uint8_t* const flags = flags_.data();
    if (!listed_) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::span<const LocalId> several = of(i);
#pragma GCC unroll 4
        for (const LocalId v : several) flags[v] = 1;
      }
      return;
    }
    LocalId* end = list_.room_for(0);
    const LocalId* room_end = end;
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const LocalId> several = of(i);
      if (static_cast<std::size_t>(room_end - end) < several.size()) {
        list_.end_at(end);
        end = list_.room_for(several.size());
        room_end = list_.room_end();
      }
#pragma GCC unroll 4
      for (const LocalId& v : several)
        if (flags[v] == 0) [[unlikely]] {
          // What follows is read anew, so that the compiler keeps less for it in registers.
          std::atomic_signal_fence(std::memory_order_seq_cst);
          flags[v] = 1;
          *end++ = v;
        }
    }
    list_.end_at(end);
    unlist_many();
  }

  /// The same for those of `several` for which joins(i), called for each by its position. For where
  /// few do.
  template <class Joins>
  [[gnu::always_inline]] void add_if(std::span<const LocalId> several, Joins joins) {
    std::uint8_t* const flags = flags_.data();
    if (!listed_) {
      for (std::size_t i = 0; i < several.size(); ++i)
        if (joins(i)) flags[several[i]] = 1;
      return;
    }
    list_.append_few(
        several, [&](std::size_t i) __attribute__((always_inline)) {
          return joins(i) && std::exchange(flags[several[i]], std::uint8_t{1}) == 0;
        });
    unlist_many();
  }

  void clear() {
    if (listed_) {
      std::uint8_t* const flags = flags_.data();
#pragma GCC unroll 4
      for (const LocalId v : list()) flags[v] = 0;
    } else {
      std::ranges::fill(flags_, std::uint8_t{0});
    }
    list_.clear();
    listed_ = true;
    many_ = false;
  }

  /// All vertices from `first` on join.
  void fill(LocalId first = 0) {
    std::fill(flags_.begin() + first, flags_.end(), std::uint8_t{1});
    unlist();
  }

  /// The flags, for threads that each write those of their own vertices; unlist() or a list of
  /// candidates must follow.
  std::uint8_t* flags() { return flags_.data(); }
  const std::uint8_t* flags() const { return flags_.data(); }

  void unlist() {
    list_.clear();
    listed_ = false;
    many_ = false;
  }

  /// So many vertices are to be added, each of which may be named several times. If they are many,
  /// flags alone are set until relist(): to look at all flags once costs less than to list each.
  void expect(std::size_t added) {
    if (added > flags_.size() / 4) unlist();
  }

  /// Lists the members, in ascending order, if they are few.
  void relist() {
    if (listed_ || many_) return;
    listed_ = append_flagged(0, flags_.size());
    many_ = !listed_;
    if (many_) list_.clear();
  }

  /// The same where all members are among `candidates`, each named once.
  void relist(std::span<const LocalId> candidates) {
    list_.clear();
    listed_ = true;
    list_.append(candidates, [flags = flags_.data()](LocalId v) { return flags[v] != 0; });
    unlist_many();
  }

  /// Adds the vertices of some lists, each of which may be named several times, and whose flags are
  /// set already.
  void join(std::span<const std::vector<LocalId>> lists) {
    if (!listed_) return;
    static constexpr std::uint8_t seen = 2;
    std::uint8_t* const flags = flags_.data();
    const std::size_t before = list_.size();
    for (const std::vector<LocalId>& flagged : lists)
      list_.append(flagged, [flags](LocalId v) { return std::exchange(flags[v], seen) != seen; });
    for (const LocalId v : list().subspan(before)) flags[v] = 1;
    unlist_many();
  }

  /// Takes out whom `leaves(v)` names.
  template <class Leaves>
  void remove(Leaves leaves) {
    if (listed_) {
      const std::span<LocalId> ids = list_.ids();
      const auto end = std::remove_if(ids.begin(), ids.end(), [&](LocalId v) {
        if (!leaves(v)) return false;
        flags_[v] = 0;
        return true;
      });
      list_.end_at(ids.data() + (end - ids.begin()));
    } else {
      for (LocalId v = 0; v < flags_.size(); ++v)
        if (leaves(v)) flags_[v] = 0;
      many_ = false;
    }
  }

  /// Puts the list into ascending order: a long one by a look at the flags between its ends.
  void sort();

 private:
  static constexpr std::size_t block = 64;

  /// f(first, last) for the blocks of [begin, end) that may have a flag set, ascending, while it is
  /// true. → Was it?
  template <class F>
  bool for_each_block(std::size_t begin, std::size_t end, F f) const {
    const std::uint8_t* const flags = flags_.data();
    std::size_t first = begin;
    for (; first + block <= end; first += block) {
      std::uint64_t any = 0, word = 0;
      for (std::size_t at = first; at < first + block; at += sizeof(word)) {
        std::memcpy(&word, flags + at, sizeof(word));
        any |= word;
      }
      if (any != 0 && !f(first, first + block)) return false;
    }
    return first == end || f(first, end);
  }

  /// Lists those in [begin, end) whose flag is set, without a branch per vertex, while no more than
  /// most() are listed. → Are all listed?
  bool append_flagged(std::size_t begin, std::size_t end) {
    return for_each_block(begin, end, [&](std::size_t first, std::size_t last) {
      LocalId* to = list_.room_for(last - first);
#pragma GCC unroll 4
      for (std::size_t v = first; v < last; ++v) {
        *to = static_cast<LocalId>(v);
        to += flags_[v] != 0 ? 1 : 0;
      }
      list_.end_at(to);
      return list_.size() <= most();
    });
  }

  void unlist_many() {
    if (list_.size() > most()) unlist();
  }

  std::size_t most() const { return std::max<std::size_t>(flags_.size() / 16, 64); }
  void push(LocalId v) {
    if (list_.size() < most())
      list_.append(v);
    else
      unlist();
  }

  VertexList<std::uint8_t> flags_;
  IdList list_;  // the members, if listed
  bool listed_ = true;
  bool many_ = false;  // too many to be listed when last looked at, and none has left
};

}  // namespace gas
