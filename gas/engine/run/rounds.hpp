#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "gas/engine/run_options.hpp"

namespace gas {

/// What ranks' records of a step tell beside the Summary, added.
struct RecordSums {
  std::uint64_t active = 0;                 // of the round, over all ranks
  std::uint64_t interrupted = 0;            // ranks that were
  std::uint64_t least = ~std::uint64_t{0};  // bucket of any rank, where they visit by buckets
  std::uint64_t next = ~std::uint64_t{0};   // the least of all ranks but one that has `least`
  RecordSums& operator+=(const RecordSums& more) {
    active += more.active;
    interrupted += more.interrupted;
    next = std::min({next, more.next, std::max(least, more.least)});
    least = std::min(least, more.least);
    return *this;
  }
};

/// The rounds of one program on one rank, as Running sees them: Round<P>. It calls a few of these
/// per run and per round. Collective but for those with `local_`.
class Rounds {
 public:
  virtual ~Rounds() = default;

  /// UsageError for options that the program or the graph does not allow.
  virtual void local_check(const RunOptions& options) const = 0;
  /// Before each run. UsageError if what the program's width() returns has changed, or the topology
  /// does not suit the graph.
  virtual void local_prepare(Topology topology, Staleness staleness) = 0;
  /// Edge consistency, if wanted: colours the vertices. To be called before a rank can fail alone.
  virtual void colour(bool wanted) = 0;

  /// Round 0: init.
  virtual void start() = 0;
  virtual void begin_run(const RunOptions& options) = 0;
  virtual void end_run() = 0;
  /// In the place of begin_run, for rounds at rest.
  virtual void begin_at_rest() = 0;
  /// Makes all vertices active in the next round.
  virtual void local_wake_all() = 0;

  /// Everything of earlier rounds has been taken in, on every rank.
  virtual void begin(Staleness staleness) = 0;
  virtual void run_round(const std::function<bool()>& interrupted) = 0;
  /// Waits for the records of a round: the Summaries that converged() sees are then those of it.
  virtual RecordSums collect(std::uint64_t round) = 0;
  /// What the program's converged() returns; false if it has none.
  virtual bool converged() = 0;
  /// Partial accumulators that came while ranks lagged stand in no push: who is woken pulls.
  virtual void local_end_lag() = 0;
  /// This rank's active vertices.
  virtual std::uint64_t local_active() const = 0;
  /// Takes in what has arrived for any step.
  virtual void local_take_in() = 0;

  // In async:
  /// Do ranks visit vertices one by one, and see what they publish at once?
  virtual bool visits_in_place() const = 0;
  virtual void local_begin_visits(Order order) = 0;
  virtual void local_end_visits() = 0;
  /// Have all ranks told of the next round that is not collected?
  virtual bool local_all_told() const = 0;
  /// What has arrived of the next round to tell of.
  virtual void local_collect() = 0;
  /// Is a vertex active? Where all are in every round: may a visit change something, or has another
  /// rank run more rounds? (It tells what all have run.)
  virtual bool local_has_work() = 0;
  /// Other ranks' records that have arrived, of all rounds.
  virtual std::uint64_t local_arrived() const = 0;
};

}  // namespace gas
