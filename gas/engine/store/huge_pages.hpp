#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace gas {

/// Allocates arrays that are read at random: from 1 MB on they lie on huge pages where the kernel
/// has some, which spares a page walk per cache miss, and most of the time to make the pages.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    if (!is_large(count)) return std::allocator<T>().allocate(count);
    void* const memory = std::aligned_alloc(page, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // advice: a refusal changes nothing
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (is_large(count))
      std::free(memory);
    else
      std::allocator<T>().deallocate(memory, count);
  }
  template <class U>
  bool operator==(const HugePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = 2U << 20U;
  static bool is_large(std::size_t count) { return count * sizeof(T) >= page / 2; }
};

/// The same for lists of numbers that are not set when the list is made or grows: whoever writes
/// them first makes the memory's pages.
template <class T>
struct UnsetPages : HugePages<T> {
  static_assert(std::is_trivially_copyable_v<T>);

  UnsetPages() = default;
  template <class U>
  UnsetPages(const UnsetPages<U>&) {}

  template <class U>
  void construct(U*) {}
};

}  // namespace gas
