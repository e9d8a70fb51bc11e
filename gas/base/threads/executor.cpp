#include "gas/base/threads/executor.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gas/base/random.hpp"

namespace gas {
namespace {

/// TBB starts no more threads than there are cores that the process is bound to unless it is told
/// to, and warns where it is asked for more.
void allow_threads(std::size_t threads) {
  constexpr auto limit = tbb::global_control::max_allowed_parallelism;
  static std::mutex mutex;
  static std::optional<tbb::global_control> allowed;  // of several, TBB would take the least
  const std::lock_guard lock(mutex);
  if (tbb::global_control::active_value(limit) < threads) {
    allowed.reset();
    allowed.emplace(limit, threads);
  }
}

/// Arenas of ended executors, by their number of threads: TBB keeps memory of each arena that ever
/// was, so they are used again.
class Arenas {
 public:
  using Arena = std::unique_ptr<tbb::task_arena>;
  Arena take(unsigned threads) {
    const std::lock_guard lock(mutex_);
    std::vector<Arena>& free = free_[threads];
    if (free.empty()) return std::make_unique<tbb::task_arena>(static_cast<int>(threads), 1);
    Arena arena = std::move(free.back());
    free.pop_back();
    return arena;
  }
  void give_back(unsigned threads, Arena arena) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_[threads].push_back(std::move(arena));
    } catch (const std::bad_alloc&) {  // then it ends
    }
  }
  static Arenas& all() {
    static auto* const arenas = new Arenas;  // never destroyed: TBB may end before
    return *arenas;
  }

 private:
  std::mutex mutex_;
  std::map<unsigned, std::vector<Arena>> free_;
};

thread_local int tbb_runs = 0;  // that this thread waits for

class TbbExecutor final : public Executor {
 public:
  explicit TbbExecutor(unsigned threads)
      : arena_(Arenas::all().take(threads)), threads_(threads), shares_(threads) {
    if (threads > 1) allow_threads(threads);
  }
  ~TbbExecutor() override { Arenas::all().give_back(threads_, std::move(arena_)); }

  std::size_t workers() const override { return threads_; }

  void run(std::size_t tasks, Body body, FunctionRef<void()> between) override {
    if (threads_ == 1 || tasks <= 1) {
      for (std::size_t task = 0; task < tasks; ++task) {
        body(task, 0);
        between();
      }
      return;
    }
    // Every thread takes the next task of its own share until none is left, and then of the others'
    // shares. So tasks run along the arrays, each mostly where it ran before, whose cache has its
    // memory, and cost one addition each to hand out. From run to run a thread mostly keeps its
    // place in the arena.
    const std::thread::id main = std::this_thread::get_id();
    for (std::size_t i = 0; i < threads_; ++i) {
      shares_[i].next = tasks * i / threads_;
      shares_[i].end = tasks * (i + 1) / threads_;
    }
    const auto work = [&](std::size_t) {
      const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
      const bool is_main = std::this_thread::get_id() == main;
      for (std::size_t i = 0; i < threads_; ++i) {
        Share& share = shares_[(worker + i) % threads_];
        for (std::size_t task = share.next++; task < share.end; task = share.next++) {
          body(task, worker);
          if (is_main) between();
        }
      }
    };
    struct Within {
      Within() { ++tbb_runs; }
      ~Within() { --tbb_runs; }
    } within;
    arena_->execute(
        [&] { tbb::parallel_for(std::size_t{0}, workers(), work, tbb::simple_partitioner()); });
  }

 private:
  struct alignas(128) Share {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  Arenas::Arena arena_;
  unsigned threads_;
  std::vector<Share> shares_;  // by worker
};

class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(unsigned threads) {
    try {
      for (std::size_t worker = 1; worker < threads; ++worker)
        others_.emplace_back([this, worker] { serve(worker); });
    } catch (...) {
      end();
      throw;
    }
  }

  ~ThreadExecutor() override { end(); }

  std::size_t workers() const override { return others_.size() + 1; }

  void run(std::size_t tasks, Body body, FunctionRef<void()> between) override {
    body_ = &body;
    tasks_ = tasks;
    next_ = 0;
    working_ = others_.size();
    begin();
    work(0, &between);
    for (std::size_t left = working_; left != 0; left = working_) working_.wait(left);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void begin() {
    ++runs_;
    runs_.notify_all();
  }

  void end() {
    ending_ = true;
    begin();
  }

  void serve(std::size_t worker) {
    for (std::uint64_t seen = 0;; ++seen) {
      runs_.wait(seen);
      if (ending_) return;
      work(worker, nullptr);
      --working_;
      working_.notify_one();
    }
  }

  void work(std::size_t worker, const FunctionRef<void()>* between) {
    try {
      for (std::size_t task = next_++; task < tasks_; task = next_++) {
        (*body_)(task, worker);
        if (between) (*between)();
      }
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!error_) error_ = std::current_exception();
      next_ = tasks_;
    }
  }

  const Body* body_ = nullptr;
  std::size_t tasks_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> working_{0};  // other threads that have not ended this run
  std::atomic<std::uint64_t> runs_{0};   // begun
  std::atomic<bool> ending_{false};
  std::mutex failing_;
  std::exception_ptr error_;
  std::vector<std::jthread> others_;  // the last member: ends before the others are gone
};

class DeterministicExecutor final : public Executor {
 public:
  DeterministicExecutor(unsigned workers, std::uint64_t seed)
      : workers_(workers), random_(seed), shuffles_(seed != 0) {}

  std::size_t workers() const override { return workers_; }

  void run(std::size_t tasks, Body body, FunctionRef<void()> between) override {
    std::vector<std::size_t> order(tasks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = tasks; shuffles_ && i > 1; --i)
      std::swap(order[i - 1], order[random_.below(i, drawn_++)]);
    const std::size_t first = shuffles_ ? random_.below(workers_, drawn_++) : 0;
    for (std::size_t i = 0; i < tasks; ++i) {
      body(order[i], (first + i) % workers_);
      between();
    }
  }

 private:
  std::size_t workers_;
  Random random_;
  bool shuffles_;
  std::uint64_t drawn_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_tbb_executor(unsigned threads) {
  return std::make_unique<TbbExecutor>(std::max(threads, 1U));
}

bool within_tbb() { return tbb_runs > 0; }

std::unique_ptr<Executor> make_thread_executor(unsigned threads) {
  return std::make_unique<ThreadExecutor>(std::max(threads, 1U));
}

std::unique_ptr<Executor> make_deterministic_executor(unsigned workers, std::uint64_t seed) {
  return std::make_unique<DeterministicExecutor>(std::max(workers, 1U), seed);
}

}  // namespace gas
