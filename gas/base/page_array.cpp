#include "gas/base/page_array.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace gas {
namespace {

std::size_t page_bytes() {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return page;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

}  // namespace

namespace detail {

void* map_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const pages = ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  ::madvise(pages, whole_pages(bytes), MADV_NOHUGEPAGE);  // the end of a large page is waste
  return pages;
}

void unmap_pages(void* pages, std::size_t bytes, std::size_t kept) {
  const std::size_t end = whole_pages(kept);
  if (end < whole_pages(bytes)) ::munmap(static_cast<char*>(pages) + end, whole_pages(bytes) - end);
}

}  // namespace detail

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes();
}

void fill_soon(void* memory, std::size_t bytes) {
  constexpr std::size_t large = std::size_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t skipped = (large - address % large) % large;
  if (bytes < 2 * large) return;
  ::madvise(static_cast<char*>(memory) + skipped, (bytes - skipped) / large * large, MADV_HUGEPAGE);
}

void release_pages(void* memory, std::size_t bytes) {
  const std::uintptr_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes) / page * page;
  if (first < last)
    ::madvise(static_cast<char*>(memory) + (first - begin), last - first, MADV_DONTNEED);
}

}  // namespace gas
