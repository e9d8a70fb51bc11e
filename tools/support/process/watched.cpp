#include "tools/support/process/watched.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

namespace gas::tools {
namespace {

/// What the environment names may be another file by now, or a process's that is not watched.
WatchedPage* find_page() {
  const char* const text = std::getenv(WatchedPage::variable);
  if (!text) return nullptr;
  const int file = std::atoi(text);
  struct stat is {};
  if (fstat(file, &is) != 0 || is.st_size != WatchedPage::bytes) return nullptr;
  void* const memory =
      mmap(nullptr, WatchedPage::bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const page = static_cast<WatchedPage*>(memory);
  return page->mark == WatchedPage::known_mark ? page : nullptr;
}

WatchedPage* page() {
  static WatchedPage* const found = find_page();
  return found;
}

void lives() { page()->changes.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

bool watched() { return page() != nullptr; }

double watchers_patience() { return page() ? page()->patience : 0; }

void tell_watcher_listens() {
  if (page()) page()->listens.store(true);
}

void tell_watcher_complete() {
  if (page()) page()->complete.store(true);
}

bool tell_watcher_computes(bool computes) {
  if (!page()) return false;
  lives();
  return page()->computes.exchange(computes);
}

void tell_watcher_round(std::uint64_t round) {
  if (!page()) return;
  page()->round.store(round, std::memory_order_relaxed);
  lives();
}

void tell_watcher_waits(const std::string& text) {
  if (!page()) return;
  const std::size_t length = std::min(text.size(), sizeof page()->words - 1);
  std::copy_n(text.begin(), length, page()->words);
  page()->words[length] = '\0';
  page()->waits.store(true);
}

void tell_watcher_waited() {
  if (page()) page()->waits.store(false);
}

}  // namespace gas::tools
