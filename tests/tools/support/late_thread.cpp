// Preloaded into a tool: Open MPI's own thread is late with the first thing that PMIx hands it, by
// more than a short run takes, and "late" is said. A busy machine may do the same.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

struct event;
struct event_base;

namespace {

using Call = void(int, short, void*);
using Start = void*(void*);

std::atomic<bool> known{false};
pthread_t open_mpi_thread;
std::array<event*, 64> events;
std::atomic<std::size_t> count{0};

template <class Function>
Function* next_one(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool lies_in(const void* code, const char* library) {
  Dl_info info{};
  return dladdr(code, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, library) != nullptr;
}

void be_late(int) {
  static_cast<void>(write(STDERR_FILENO, "late\n", 5) == 5);
  usleep(1000000);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Start* start,
                              void* argument) noexcept {
  static auto* const next = next_one<decltype(pthread_create)>("pthread_create");
  const int error = next(thread, attributes, start, argument);
  if (error == 0 && !known && lies_in(reinterpret_cast<void*>(start), "libopen-pal")) {
    open_mpi_thread = *thread;
    signal(SIGWINCH, be_late);
    known = true;
  }
  return error;
}

extern "C" int event_assign(event* one, event_base* base, int file, short what, Call* call,
                            void* argument) {
  static auto* const next =
      next_one<int(event*, event_base*, int, short, Call*, void*)>("event_assign");
  if (file < 0 && count < events.size() && lies_in(reinterpret_cast<void*>(call), "mca_pmix"))
    events[count++] = one;
  return next(one, base, file, what, call, argument);
}

extern "C" void event_active(event* one, int result, short calls) {
  static auto* const next = next_one<void(event*, int, short)>("event_active");
  for (std::size_t i = 0; known && i < count; ++i)
    if (events[i] == one) {
      pthread_kill(open_mpi_thread, SIGWINCH);
      usleep(20000);  // until it sleeps
      break;
    }
  next(one, result, calls);
}
