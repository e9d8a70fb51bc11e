#pragma once

#include <cstdint>

#include "gas/exchange/mailbox.hpp"

namespace gas {

/// Finds out that every rank is passive and nothing is in flight, by waves (Mattern 1987: four
/// counters): rank 0 asks all ranks, each answers when it is passive with how much it has sent and
/// taken in, and when two waves on end give the same sums, sent equal to taken in, all is quiet.
/// For the main thread of every rank.
class Quiescence {
 public:
  struct Counts {
    std::uint64_t sent = 0, taken = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  explicit Quiescence(Mailbox& mailbox) : mailbox_(mailbox) {}

  /// This rank is passive, having sent and taken in so much since the first call or the last one
  /// that returned true; call it again after anything has arrived. True: all ranks are passive, for
  /// good.
  bool local_is_quiet(Counts mine);

  /// Asks all ranks to become passive: local_stop_was_asked from then on, until all is quiet.
  void local_ask_to_stop();
  bool local_stop_was_asked();

 private:
  bool local_ask(Counts mine);
  bool local_answer(Counts mine);

  Mailbox& mailbox_;
  std::uint64_t quiets_ = 0;  // times that all was quiet
  bool stop_ = false;
  std::uint64_t wave_ = 0;  // the next one to ask for, or to answer
  bool asked_ = false;      // rank 0: the wave is under way
  int answers_ = 0;         // rank 0: ranks that have answered it, in rank order
  Counts sums_;             // rank 0: of those answers
  Counts before_{1, 0};     // rank 0: sums of the wave before; at first none that could be
};

}  // namespace gas
