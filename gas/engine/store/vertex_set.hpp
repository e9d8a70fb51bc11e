#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gas/graph/types.hpp"

namespace gas {

/// A set of the vertices of one kind on one rank, by local id: a flag per vertex, and a list of the
/// members while they are few. Walking and clearing a listed set costs what it holds; any other one
/// costs a byte per vertex of the kind.
class VertexSet {
 public:
  void resize(std::size_t count) {
    flags_.assign(count, 0);
    list_.clear();
    listed_ = true;
  }

  bool has(LocalId v) const { return flags_[v] != 0; }
  /// Is there a list of all members?
  bool listed() const { return listed_; }
  /// The members, if listed.
  std::span<const LocalId> list() const { return list_; }
  bool empty() const {
    return listed_ ? list_.empty() : std::ranges::find(flags_, 1) == flags_.end();
  }
  std::size_t size() const {
    return listed_ ? list_.size() : static_cast<std::size_t>(std::ranges::count(flags_, 1));
  }

  template <class F>
  void for_each(F f) const {
    if (listed_) {
      for (const LocalId v : list_) f(v);
    } else {
      for (LocalId v = 0; v < flags_.size(); ++v)
        if (flags_[v] != 0) f(v);
    }
  }

  void add(LocalId v) {
    if (flags_[v] != 0) return;
    flags_[v] = 1;
    if (listed_) push(v);
  }

  void clear() {
    if (listed_)
      for (const LocalId v : list_) flags_[v] = 0;
    else
      std::ranges::fill(flags_, std::uint8_t{0});
    list_.clear();
    listed_ = true;
  }

  /// All vertices from `first` on join.
  void fill(LocalId first = 0) {
    std::fill(flags_.begin() + first, flags_.end(), std::uint8_t{1});
    unlist();
  }

  /// The flags, for threads that each write those of their own vertices; relist() or unlist() must
  /// follow.
  std::uint8_t* flags() { return flags_.data(); }
  const std::uint8_t* flags() const { return flags_.data(); }

  void unlist() {
    list_.clear();
    listed_ = false;
  }

  /// Lists the members, if they are few.
  void relist() {
    if (listed_) return;
    for (LocalId v = 0; v < flags_.size(); ++v) {
      if (flags_[v] == 0) continue;
      if (list_.size() == most()) return list_.clear();
      list_.push_back(v);
    }
    listed_ = true;
  }

  /// The same where all members are among `candidates`, each named once.
  void relist(std::span<const LocalId> candidates) {
    list_.clear();
    listed_ = true;
    for (const LocalId v : candidates)
      if (flags_[v] != 0) push(v);
  }

  /// Adds the vertices of a list, some of which may be named several times, whose flags are set
  /// already.
  void join(std::span<const LocalId> flagged) {
    constexpr std::uint8_t seen = 2;
    const std::size_t before = list_.size();
    for (const LocalId v : flagged)
      if (std::exchange(flags_[v], seen) != seen) list_.push_back(v);
    for (std::size_t i = before; i < list_.size(); ++i) flags_[list_[i]] = 1;
    if (list_.size() > most()) unlist();
  }

  /// Takes out whom `leaves(v)` names.
  template <class Leaves>
  void remove(Leaves leaves) {
    if (listed_) {
      std::erase_if(list_, [&](LocalId v) {
        if (!leaves(v)) return false;
        flags_[v] = 0;
        return true;
      });
    } else {
      for (LocalId v = 0; v < flags_.size(); ++v)
        if (leaves(v)) flags_[v] = 0;
    }
  }

  /// Puts the list into ascending order.
  void sort() {
    if (!std::ranges::is_sorted(list_)) std::ranges::sort(list_);
  }

 private:
  std::size_t most() const { return std::max<std::size_t>(flags_.size() / 16, 64); }
  void push(LocalId v) {
    if (list_.size() < most())
      list_.push_back(v);
    else
      unlist();
  }

  std::vector<std::uint8_t> flags_;
  std::vector<LocalId> list_;
  bool listed_ = true;
};

}  // namespace gas
