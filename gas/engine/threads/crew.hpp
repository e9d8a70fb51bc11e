#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace gas {

/// Shares small jobs of one task among the tasks that run beside it: a job of a few thousand edges
/// is over before an executor has woken its threads. The first task to come leads and calls
/// share(); the others help() until it has ended, and the leader waits only for those who have
/// begun. So it does not matter whether the tasks run at once or one after the other.
class Crew {
 public:
  /// Before the tasks are run.
  void begin() {
    led_.store(false);
    over_.store(false);
    open_.store(false);
  }

  /// True: the calling task leads, and must call end(), even if it throws.
  bool leads() { return !led_.exchange(true); }
  void end() {
    over_.store(true);
    signal();
  }

  /// The leader's: runs part(i) for all i < parts, also in tasks that help.
  template <class Part>
  void share(std::size_t parts, std::size_t w, Part part) {
    part_ = &part;
    run_ = [](void* p, std::size_t i, std::size_t worker) { (*static_cast<Part*>(p))(i, worker); };
    parts_ = parts;
    next_.store(0);
    open_.store(true);
    const Closing closing{*this};
    signal();
    work(w);
  }

  /// The others'.
  void help(std::size_t w) {
    std::uint32_t seen = 0;
    unsigned in_vain = 0;
    while (!over_.load()) {
      const std::uint32_t now = signals_.load();
      if (now == seen) {
        if (++in_vain > patience) signals_.wait(now);
        continue;
      }
      seen = now;
      in_vain = 0;
      const Inside inside(inside_);
      if (open_.load()) work(w);
    }
  }

 private:
  static constexpr unsigned patience = 4000;  // looks before a thread sleeps

  struct Inside {
    explicit Inside(std::atomic<unsigned>& c) : count(c) { ++count; }
    ~Inside() { --count; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    std::atomic<unsigned>& count;
  };

  /// Nobody looks at the leader's part any more, even if one of its jobs threw.
  struct Closing {
    Crew& crew;
    ~Closing() {
      crew.open_.store(false);
      for (unsigned i = 0; crew.inside_.load() > 0; ++i)
        if (i > patience) std::this_thread::yield();
    }
  };

  void signal() {
    ++signals_;
    signals_.notify_all();
  }
  void work(std::size_t w) {
    for (std::size_t i = next_++; i < parts_; i = next_++) run_(part_, i, w);
  }

  std::atomic<bool> led_{false}, over_{false}, open_{false};
  std::atomic<std::uint32_t> signals_{0};
  std::atomic<unsigned> inside_{0};
  std::atomic<std::size_t> next_{0};
  std::size_t parts_ = 0;
  void* part_ = nullptr;
  void (*run_)(void*, std::size_t, std::size_t) = nullptr;
};

}  // namespace gas
