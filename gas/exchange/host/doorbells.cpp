#include "gas/exchange/host/doorbells.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <string>
#include <thread>

namespace gas {
namespace {

/// futex(2), of memory that several processes map.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* longest) {
  static_assert(sizeof word == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, operation, value, longest, nullptr, 0);
}

/// A file that a process has open, and how to tell it from any other.
struct Place {
  std::int64_t process = 0, file = -1, device = 0, number = 0;

  std::string path() const { return fmt::format("/proc/{}/fd/{}", process, file); }
  bool operator==(const Place&) const = default;
};

Place place_of(std::int64_t process, std::int64_t file) {
  Place place{process, file};
  struct stat found {};
  if (file < 0 || stat(place.path().c_str(), &found) != 0) return {};
  place.device = static_cast<std::int64_t>(found.st_dev);
  place.number = static_cast<std::int64_t>(found.st_ino);
  return place;
}

/// Maps `bytes` of the file; null where that fails.
void* mapped(int file, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

struct alignas(128) Doorbells::Bell {
  std::atomic<std::uint32_t> rings, sleeping;  // zeros at first
};

Doorbells::Doorbells(MPI_Comm host) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_size(host, &ranks);
  if (ranks == 1) return;
  bytes_ = sizeof(Bell) * static_cast<std::size_t>(ranks);
  // Memory without a name, which nothing can leave behind: the others open it by its owner. (In a
  // container of its own a rank may find another process of that number.)
  Place place;
  int file = -1;
  if (rank == 0) file = memfd_create("gas-doorbells", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes_)) == 0)
    place = place_of(getpid(), file);
  MPI_Bcast(&place, static_cast<int>(sizeof place), MPI_BYTE, 0, host);
  const bool there = place.file >= 0 && place_of(place.process, place.file) == place;
  if (rank != 0 && there) file = open(place.path().c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
  void* const memory = there && file >= 0 ? mapped(file, bytes_) : nullptr;
  int mine = memory != nullptr ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, host);
  if (file >= 0) close(file);
  if (all == 0) {
    if (memory != nullptr) munmap(memory, bytes_);
    return;
  }
  bells_ = static_cast<Bell*>(memory);
  own_ = bells_ + rank;
}

Doorbells::~Doorbells() {
  if (bells_ != nullptr) munmap(bells_, bytes_);
}

void Doorbells::ring(int to) {
  if (bells_ == nullptr) return;
  Bell& bell = bells_[to];
  bell.rings.fetch_add(1);
  if (bell.sleeping.load() != 0) futex(bell.rings, FUTEX_WAKE, 1, nullptr);
}

std::uint32_t Doorbells::rings() const { return own_ != nullptr ? own_->rings.load() : 0; }

bool Doorbells::wait(std::uint32_t before, std::chrono::microseconds longest) {
  if (own_ == nullptr) {
    std::this_thread::sleep_for(longest);
    return false;
  }
  const timespec time{longest.count() / 1'000'000, longest.count() % 1'000'000 * 1000};
  own_->sleeping.store(1);
  if (own_->rings.load() == before) futex(own_->rings, FUTEX_WAIT, before, &time);
  own_->sleeping.store(0);
  return own_->rings.load() != before;
}

}  // namespace gas
