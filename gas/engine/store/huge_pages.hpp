#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace gas {

/// Allocates arrays that are read at random: beyond 2 MB they lie on huge pages where the kernel
/// has some, which spares a page walk per cache miss.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    if (bytes <= page) return static_cast<T*>(::operator new(count * sizeof(T)));
    void* const memory = std::aligned_alloc(page, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // advice: a refusal changes nothing
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) <= page)
      ::operator delete(memory);
    else
      std::free(memory);
  }
  template <class U>
  bool operator==(const HugePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = 2U << 20U;
};

/// The same for lists of numbers that are not set when the list is made or grows: whoever writes
/// them first makes the memory's pages.
template <class T>
struct UnsetPages : HugePages<T> {
  static_assert(std::is_trivial_v<T>);

  UnsetPages() = default;
  template <class U>
  UnsetPages(const UnsetPages<U>&) {}

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
};

}  // namespace gas
