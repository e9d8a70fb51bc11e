#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

namespace gas {

/// Tells ranks of one host that a message has been handed over to them, so that a rank that waits
/// can sleep until then, and leave its core to others. MPI's own calls spin. A counter per rank in
/// memory that they share, and the kernel's futex. Where the system grants no such memory nobody
/// is told, and waits last as long as they may.
class Doorbells {
 public:
  /// `host`: the ranks that share memory; all of them must call it.
  explicit Doorbells(MPI_Comm host);
  ~Doorbells();
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;

  bool work() const { return bells_ != nullptr; }

  /// For a rank by its number on this host, after the message.
  void ring(int to);
  /// How often this rank's was rung.
  std::uint32_t rings() const;
  /// Returns once it has been rung more than `before` times, or after about so long. Was it rung?
  bool wait(std::uint32_t before, std::chrono::microseconds longest);

 private:
  struct Bell;

  Bell* bells_ = nullptr;  // by number; null: none
  Bell* own_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace gas
