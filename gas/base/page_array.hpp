#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

namespace detail {

/// Pages from the system, which cost memory once they are written to; null for 0 bytes.
/// std::bad_alloc.
void* map_pages(std::size_t bytes);
/// Gives all but the first `kept` of `bytes` back to the system.
void unmap_pages(void* pages, std::size_t bytes, std::size_t kept);

}  // namespace detail

/// Bytes of this machine's memory, whoever has them.
std::uint64_t machine_memory();

/// Gives back the memory of a vector, which `values = {}` keeps.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

/// Asks for large pages for memory that is about to be filled.
void fill_soon(void* memory, std::size_t bytes);

/// As many zeros, in large pages where there are many.
template <Plain T>
std::vector<T> filled_soon(std::size_t size) {
  std::vector<T> list;
  list.reserve(size);
  fill_soon(list.data(), size * sizeof(T));
  list.resize(size);
  return list;
}

/// see(first, last) of blocks of `count` numbers, which a cache holds.
template <class See>
void by_blocks(std::size_t count, See see) {
  constexpr std::size_t block = std::size_t{1} << 14U;
  for (std::size_t first = 0; first < count; first += block)
    see(first, std::min(first + block, count));
}

/// A copy of `given`, converted, in large pages where there are many. Before a block is copied
/// see(first, last) may look at it, so that it comes from memory once.
template <Plain T, class From, class See>
std::vector<T> copied_soon(std::span<const From> given, See see) {
  std::vector<T> list;
  list.reserve(given.size());
  fill_soon(list.data(), list.capacity() * sizeof(T));
  by_blocks(given.size(), [&](std::size_t first, std::size_t last) {
    const auto part = given.subspan(first, last - first);
    see(first, last);
    list.insert(list.end(), part.begin(), part.end());
  });
  return list;
}

/// Gives the whole pages among these bytes back to the system; what stood there is lost.
void release_pages(void* memory, std::size_t bytes);

/// An array that is made as large as could be, filled from the front, and cut to what was filled.
/// What is not written to costs no memory, and what is freed is the system's again at once.
template <Plain T>
class PageArray {
 public:
  PageArray() = default;
  explicit PageArray(std::size_t capacity)
      : data_(static_cast<T*>(detail::map_pages(capacity * sizeof(T)))), size_(capacity) {}
  PageArray(PageArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PageArray() { cut(0); }

  T* data() { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> view() { return {data_, size_}; }
  std::span<const T> view() const { return {data_, size_}; }

  void cut(std::size_t size) {
    detail::unmap_pages(data_, size_ * sizeof(T), size * sizeof(T));
    size_ = size;
    if (size == 0) data_ = nullptr;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Puts the arrays get(item) behind one another, and frees each as it goes, so that hardly more
/// memory is needed than the result takes.
template <class T, class Item, class Get>
std::vector<T> join(std::vector<Item>& items, Get get) {
  std::size_t total = 0;
  for (Item& item : items) total += get(item).size();
  std::vector<T> joined;
  joined.reserve(total);
  fill_soon(joined.data(), total * sizeof(T));
  for (Item& item : items) {
    auto& array = get(item);
    joined.insert(joined.end(), array.view().begin(), array.view().end());
    array.cut(0);
  }
  return joined;
}

}  // namespace gas
