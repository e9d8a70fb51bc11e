#include "gas/exchange/host/mpi_thread.hpp"

#include <dlfcn.h>
#include <sys/time.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace gas {
namespace {

std::atomic<int> passed{0};  // of what was handed to the thread here; may be after the last wait

extern "C" void note_passed(int, short, void*) { ++passed; }

}  // namespace

void local_wait_for_mpi_thread() {
  // The thread works through events in the order in which they came. Neither Open MPI nor libevent
  // is linked to for this: other MPIs have no such thread, and some Open MPIs a libevent inside.
  using Call = void(int, short, void*);
  using Once = int(void* base, int file, short events, Call*, void*, const timeval*);
  void** const base = static_cast<void**>(dlsym(RTLD_DEFAULT, "orte_event_base"));
  auto* const once = reinterpret_cast<Once*>(dlsym(RTLD_DEFAULT, "event_base_once"));
  if (base == nullptr || *base == nullptr || once == nullptr) return;
  constexpr short when_time_is_up = 1;
  const timeval at_once{};
  const int before = passed;
  if (once(*base, -1, when_time_is_up, note_passed, nullptr, &at_once) != 0) return;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point longest = Clock::now() + std::chrono::seconds(10);
  while (passed == before && Clock::now() < longest)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace gas
