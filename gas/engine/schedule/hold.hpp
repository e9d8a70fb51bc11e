#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace gas {

/// Holds a vertex by the highest bit of its state byte while it stands; `state` is the rest, which
/// is written back at the end. Others wait meanwhile: what is done in between is short. Not
/// `shared`: no other thread is there.
template <bool shared>
class Hold {
 public:
  explicit Hold(std::uint8_t& byte) : state(byte_of(byte)), byte_(byte) {
    if constexpr (shared)
      for (unsigned looks = 0; !take(); ++looks)
        if (looks > 100) std::this_thread::yield();
  }
  ~Hold() {
    if constexpr (shared)
      std::atomic_ref(byte_).store(state, std::memory_order_release);
    else
      byte_ = state;
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  std::uint8_t state;

 private:
  static constexpr std::uint8_t held = 0x80;

  static std::uint8_t byte_of(std::uint8_t& byte) {
    if constexpr (shared) return 0;
    return byte;
  }
  bool take() {
    const std::atomic_ref byte(byte_);
    state = static_cast<std::uint8_t>(byte.load(std::memory_order_relaxed) & ~held);
    return byte.compare_exchange_weak(state, static_cast<std::uint8_t>(state | held),
                                      std::memory_order_acquire, std::memory_order_relaxed);
  }

  std::uint8_t& byte_;
};

}  // namespace gas
