#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace gas::tools {

/// What the run is busy with; in this order, each at most once, but an interrupted run writes its
/// output before the objective. `objective`: measuring the result of what was computed.
enum class Phase { load, partition, compute, objective, output };
constexpr std::size_t phases = 5;

/// Wall time per phase on this rank. The clock runs from construction; time outside of any phase
/// counts in the total only.
class Timers {
 public:
  void enter(Phase phase) {
    settle();
    current_ = static_cast<int>(phase);
  }
  void leave() {
    settle();
    current_ = none;
  }
  /// Until resume() the time counts in the total only.
  void pause() {
    settle();
    paused_ = true;
  }
  void resume() {
    settle();
    paused_ = false;
  }

  double seconds(Phase phase) const {
    const int index = static_cast<int>(phase);
    const double live = index == current_ && !paused_ ? since(last_) : 0;
    return spent_[static_cast<std::size_t>(index)] + live;
  }
  double total() const { return since(begin_); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int none = -1;

  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }
  void settle() {
    if (current_ != none && !paused_) spent_[static_cast<std::size_t>(current_)] += since(last_);
    last_ = Clock::now();
  }

  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  std::array<double, phases> spent_{};
  int current_ = none;
  bool paused_ = false;
};

}  // namespace gas::tools
