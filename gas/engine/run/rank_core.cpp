#include "gas/engine/run/rank_core.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace gas {

/// Like a slow computation, it moves messages along now and then.
void RankCore::dawdle(Step step, int steps) {
  if (!delay || std::exchange(dawdled, tag_of_step(step)) == tag_of_step(step)) return;
  using Clock = std::chrono::steady_clock;
  const double seconds = delay(step.round) / steps;
  if (!(seconds > 0)) return;
  const Clock::time_point until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
  const Timeline::Span span(mailbox.timeline(), Activity::computing, Trace::What::dawdling,
                            tag_of_step(step));
  constexpr Clock::duration nap = std::chrono::milliseconds(2);
  for (auto left = until - Clock::now(); left > Clock::duration{}; left = until - Clock::now()) {
    std::this_thread::sleep_for(std::min(nap, left));
    mailbox.local_progress();
  }
}

}  // namespace gas
