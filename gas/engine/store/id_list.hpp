#pragma once

#include <cstddef>
#include <span>

#include "gas/base/types.hpp"
#include "gas/engine/store/vertex_list.hpp"

namespace gas {

/// A list of local ids to which several are appended at a time: the caller writes them.
class IdList {
 public:
  std::size_t size() const { return size_; }
  std::span<const LocalId> ids() const { return std::span(memory_).first(size_); }
  std::span<LocalId> ids() { return std::span(memory_).first(size_); }
  void clear() { size_ = 0; }

  /// Where so many more may be written. What was written before stays.
  [[gnu::always_inline]] LocalId* room_for(std::size_t more) {
    if (memory_.size() - size_ < more) make_room_for(more);
    return memory_.data() + size_;
  }
  /// The end of the memory that it has.
  const LocalId* room_end() const { return memory_.data() + memory_.size(); }
  /// All that was written before `end` belongs to the list.
  void end_at(const LocalId* end) { size_ = static_cast<std::size_t>(end - memory_.data()); }

  void append(LocalId v) {
    *room_for(1) = v;
    ++size_;
  }
  /// Appends those of `from` for which `joins(v)`, without a branch per vertex.
  template <class Joins>
  void append(std::span<const LocalId> from, Joins joins) {
    LocalId* end = room_for(from.size());
#pragma GCC unroll 4
    for (const LocalId v : from) {
      *end = v;
      end += joins(v) ? 1 : 0;
    }
    end_at(end);
  }
  /// Appends those of `from` for which joins(i), called for each by its position. For where few do.
  template <class Joins>
  [[gnu::always_inline]] void append_few(std::span<const LocalId> from, Joins joins) {
    const std::size_t count = from.size();
    LocalId* end = room_for(count);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i)
      if (joins(i)) *end++ = from[i];
    end_at(end);
  }

 private:
  void make_room_for(std::size_t more);

  VertexList<LocalId> memory_;
  std::size_t size_ = 0;  // of the memory
};

}  // namespace gas
