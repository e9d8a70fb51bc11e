#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "gas/base/threads/executor.hpp"
#include "gas/engine/store/huge_pages.hpp"

namespace gas {

/// A value for each of many vertices, by local id.
template <class T>
using VertexList =
    std::vector<T,
                std::conditional_t<std::is_trivially_copyable_v<T>, UnsetPages<T>, HugePages<T>>>;

namespace detail {

/// Makes `list` anew, of `size` values that write(first, count) sets. All threads call it, and so
/// make the memory's pages at once.
template <class T, class Write>
void write_by_all(Executor& executor, std::vector<T, UnsetPages<T>>& list, std::size_t size,
                  Write write) {
  list = std::vector<T, UnsetPages<T>>();
  list.resize(size);
  constexpr std::size_t piece = std::max<std::size_t>((std::size_t{2} << 20U) / sizeof(T), 1);
  executor.run((size + piece - 1) / piece,
               [&](std::size_t task, std::size_t) {
                 write(task * piece, std::min(piece, size - task * piece));
               },
               [] {});
}

}  // namespace detail

/// Makes `list` anew, of `size` values T(), by all threads if T is plain bytes. Must be called from
/// the executor's main thread; so must copy_by_all.
template <class T, class Allocator>
void make_by_all(Executor& executor, std::vector<T, Allocator>& list, std::size_t size) {
  if constexpr (std::is_same_v<Allocator, UnsetPages<T>>) {
    detail::write_by_all(executor, list, size, [&](std::size_t first, std::size_t count) {
      std::fill_n(list.data() + first, count, T());
    });
  } else {
    list = std::vector<T, Allocator>(size);
  }
}

/// `list` becomes a copy of `from`.
template <class T, class Allocator>
void copy_by_all(Executor& executor, std::vector<T, Allocator>& list,
                 const std::vector<T, Allocator>& from) {
  if constexpr (std::is_same_v<Allocator, UnsetPages<T>>) {
    detail::write_by_all(executor, list, from.size(), [&](std::size_t first, std::size_t count) {
      std::copy_n(from.data() + first, count, list.data() + first);
    });
  } else {
    list = from;
  }
}

}  // namespace gas
