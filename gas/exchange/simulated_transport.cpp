#include "gas/exchange/simulated_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/base/threads/executor.hpp"
#include "gas/base/threads/fiber.hpp"

namespace gas {
namespace {

constexpr VirtualTime never = SimulatedWire::never;

/// The ranks and the wire. Only the rank whose turn it is is in here.
class Simulation {
 public:
  Simulation(std::size_t ranks, const SimulatedNetwork& network)
      : network_(network), draws_(network.seed), wire_(ranks, network_, draws_), ranks_(ranks) {
    for (Rank& rank : ranks_) rank.time = about(draws_, network_.call);
  }

  void run(FunctionRef<void(SimulatedTransport&)> rank_main);

  SimulatedRun report() const {
    return {wire_.trace(), wire_.deliveries(), wire_.clogs(), calls_, end_};
  }
  std::exception_ptr error() const { return error_; }

 private:
  enum class Doing { calling, waiting, exchanging, ended };

  struct Rank {
    Doing doing = Doing::calling;
    VirtualTime time{};     // of the call that it is at
    VirtualTime timeout{};  // while waiting
    VirtualTime slow_until{};
    std::optional<Transport::Awaited> awaited;  // while waiting
    std::optional<Fiber> fiber;
  };

  class RankTransport;

  void spend(std::size_t self, VirtualTime time);
  void call(std::size_t self, Doing doing);
  void run_rank(std::size_t self, FunctionRef<void(SimulatedTransport&)> rank_main);
  Fiber& begin_turn(std::size_t first);
  std::size_t next();
  VirtualTime ready(std::size_t self) const;
  VirtualTime awake(std::size_t self, VirtualTime time) const;
  void fail(const std::string& what);
  std::string state(std::size_t self) const;

  const SimulatedNetwork network_;
  Draws draws_;
  SimulatedWire wire_;
  std::vector<Rank> ranks_;
  Fiber caller_;
  std::exception_ptr error_;
  VirtualTime end_{};
  std::uint64_t calls_ = 0;
  std::uint64_t idle_calls_ = 0;
  std::uint64_t moves_ = 0;
};

class Simulation::RankTransport final : public SimulatedTransport {
 public:
  RankTransport(Simulation& simulation, std::size_t rank) : s_(simulation), rank_(rank) {}

  int rank() const override { return static_cast<int>(rank_); }
  int size() const override { return static_cast<int>(s_.ranks_.size()); }
  VirtualTime now() const override { return s_.ranks_[rank_].time; }

  void local_pass(VirtualTime time) override {
    s_.spend(rank_, time);
    s_.call(rank_, Doing::calling);
    if (s_.error_) throw Abandoned();
  }

  std::vector<Bytes> exchange(std::vector<Bytes> out) override {
    for (std::size_t to = 0; to < out.size(); ++to)
      s_.wire_.send_block(rank_, to, now(), std::move(out[to]));
    s_.call(rank_, Doing::exchanging);
    if (s_.wire_.next_blocks(rank_) == never) throw Abandoned();
    return s_.wire_.take_blocks(rank_, now());
  }

  bool local_receive(Message& message) override {
    s_.call(rank_, Doing::calling);
    if (std::optional<Message> taken = s_.wire_.take(rank_, now())) {
      message = std::move(*taken);
      return true;
    }
    if (s_.error_ && s_.wire_.next_message(rank_) == never) throw Abandoned();
    return false;
  }

  void local_wait() override {
    Rank& rank = s_.ranks_[rank_];
    rank.awaited = awaited();
    rank.timeout =
        rank.time + std::chrono::milliseconds(1) + about(s_.draws_, std::chrono::milliseconds(5));
    s_.call(rank_, Doing::waiting);
  }

 protected:
  void post(int to, Message message) override {
    s_.call(rank_, Doing::calling);
    s_.wire_.send(static_cast<std::size_t>(to), now(), std::move(message));
  }

 private:
  Simulation& s_;
  std::size_t rank_;
};

/// Lets time pass on a rank.
void Simulation::spend(std::size_t self, VirtualTime time) {
  Rank& rank = ranks_[self];
  if (rank.time >= rank.slow_until && draws_.chance(network_.slow_chance))
    rank.slow_until = rank.time + about(draws_, network_.slow);
  rank.time += time * (rank.time < rank.slow_until ? network_.slow_factor : 1U);
}

/// A call of rank `self`: returns when it is its turn to act, at its time.
void Simulation::call(std::size_t self, Doing doing) {
  if (within_tbb())
    throw UsageError(
        "a simulated rank computes by several threads of oneTBB: use a deterministic executor");
  ++calls_;
  idle_calls_ = moves_ == wire_.moves() ? idle_calls_ + 1 : 0;
  moves_ = wire_.moves();
  if (idle_calls_ == network_.idle_calls)
    fail(fmt::format("no rank made progress in {} calls", idle_calls_));
  spend(self, VirtualTime(1) + about(draws_, network_.call));
  ranks_[self].doing = doing;
  const std::size_t first = next();
  Fiber& turn = begin_turn(first);
  if (first != self) ranks_[self].fiber->switch_to(turn);
}

/// The time at which a rank is not asleep, from `time` on.
VirtualTime Simulation::awake(std::size_t self, VirtualTime time) const {
  for (bool slept = true; slept;) {
    slept = false;
    for (const SimulatedNetwork::Sleep& sleep : network_.asleep)
      if (sleep.rank == static_cast<int>(self) && sleep.from <= time && time < sleep.until) {
        time = sleep.until;
        slept = true;
      }
  }
  return time;
}

/// When a rank can act on what is under way; `never` if it waits for what is not.
VirtualTime Simulation::ready(std::size_t self) const {
  const Rank& rank = ranks_[self];
  VirtualTime wanted{};
  if (rank.doing == Doing::waiting) wanted = wire_.next_message(self);
  if (rank.doing == Doing::exchanging) wanted = wire_.next_blocks(self);
  if (rank.doing == Doing::ended) return never;
  if (wanted != never) return awake(self, std::max(rank.time, wanted));
  return error_ ? rank.time : never;
}

/// The rank that acts first; none (size) when all have ended.
std::size_t Simulation::next() {
  std::size_t first = ranks_.size();
  VirtualTime first_time = never;
  bool deadlock = true;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    VirtualTime time = ready(r);
    deadlock = deadlock && time == never;
    if (ranks_[r].doing == Doing::waiting) time = std::min(time, awake(r, ranks_[r].timeout));
    if (time < first_time) first = r, first_time = time;
  }
  const bool ended =
      std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.doing == Doing::ended; });
  if (deadlock && !ended) {
    fail("deadlock");
    return next();
  }
  if (!ended) ranks_[first].time = first_time;
  return first;
}

/// What goes on when it is the turn of `first`: this rank or, if all have ended, the caller.
Fiber& Simulation::begin_turn(std::size_t first) {
  if (first == ranks_.size()) return caller_;
  ranks_[first].doing = Doing::calling;
  return *ranks_[first].fiber;
}

void Simulation::fail(const std::string& what) {
  if (error_) return;
  VirtualTime last{};
  std::string states;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    last = std::max(last, ranks_[r].time);
    states += fmt::format("{} rank {} {}", r == 0 ? ":" : ";", r, state(r));
  }
  error_ = std::make_exception_ptr(
      RunError(fmt::format("{} at {} ns of seed {}{}", what, last.count(), network_.seed, states)));
}

std::string Simulation::state(std::size_t self) const {
  const Rank& rank = ranks_[self];
  if (rank.doing == Doing::ended) return "has ended";
  if (rank.doing == Doing::calling) return "computes";
  if (rank.doing == Doing::waiting)
    return rank.awaited ? fmt::format("waits for a message of rank {} with tag {}",
                                      rank.awaited->from, rank.awaited->tag)
                        : "waits for any message";
  std::string text;
  for (std::size_t from = 0; from < ranks_.size(); ++from)
    if (!wire_.block_sent(from, self))
      text += fmt::format("{}{}", text.empty() ? "waits in a collective for rank " : ", ", from);
  return text;
}

void Simulation::run_rank(std::size_t self, FunctionRef<void(SimulatedTransport&)> rank_main) {
  try {
    RankTransport transport(*this, self);
    rank_main(transport);
  } catch (const Abandoned&) {
  } catch (...) {
    if (!error_) error_ = std::current_exception();
  }
  ranks_[self].doing = Doing::ended;
  end_ = std::max(end_, ranks_[self].time);
}

void Simulation::run(FunctionRef<void(SimulatedTransport&)> rank_main) {
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    ranks_[r].fiber.emplace([this, r, rank_main] {
      run_rank(r, rank_main);
      return &begin_turn(next());
    });
  caller_.switch_to(begin_turn(next()));
}

}  // namespace

void run_simulated_ranks(int ranks, const SimulatedNetwork& network,
                         FunctionRef<void(SimulatedTransport&)> rank_main, SimulatedRun* report) {
  Simulation simulation(static_cast<std::size_t>(ranks), network);
  simulation.run(rank_main);
  if (report) *report = simulation.report();
  if (simulation.error()) std::rethrow_exception(simulation.error());
}

}  // namespace gas
