#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/random.hpp"

namespace gas {

/// Which columns a round updates. priority: those whose next change, or else last one, is largest,
/// up to a factor; random: drawn, each once before any comes again; cyclic: in their order.
enum class LassoSchedule { priority, random, cyclic };

/// A column that is proposed for a round.
struct Candidate {
  std::uint32_t column = 0;  // of the rank's own
  std::uint32_t place = 0;   // in the queue
  double priority = 1;       // by which those of several ranks are taken
};

/// The order in which a rank proposes its columns. Local.
class ColumnQueue {
 public:
  ColumnQueue(LassoSchedule schedule, std::uint64_t seed) : schedule_(schedule), random_(seed) {}

  /// A new pass. `changes` says by column how much it would change now: by priority those of 0 are
  /// left out, and by the others those below 0. O(columns).
  void begin(std::span<const double> changes);
  /// Appends up to `count` columns to `out` and takes them out. They are put back or updated before
  /// the next call. By priority they are those above a level, in their order, which falls when few
  /// are left: sorted ones would lie all over the memory. O(count), and O(columns that wait) per
  /// time round.
  void propose(std::size_t count, std::vector<Candidate>& out);
  /// One that was proposed and not updated.
  void put_back(const Candidate& candidate);
  /// One that was updated and has changed by so much. What moves others may move it again: it
  /// keeps a part of its priority, even where it has not changed.
  void updated(const Candidate& candidate, double change);
  /// Changes below it wait; 1 where they do not decide.
  double level() const { return level_; }

 private:
  bool by_priority() const { return schedule_ == LassoSchedule::priority; }
  void propose_large(std::size_t count, std::vector<Candidate>& out);
  void refill();

  LassoSchedule schedule_;
  Random random_;
  std::uint64_t drawn_ = 0;
  std::vector<Candidate> waiting_;             // by priority: all that may be proposed
  std::vector<std::uint32_t> all_, sequence_;  // otherwise
  std::size_t next_ = 0;                       // of these
  std::size_t found_ = 0;                      // by priority: since the first
  double level_ = 1;
};

}  // namespace gas
