#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/threads/executor.hpp"
#include "programs/calls/columns.hpp"
#include "programs/lasso/correlation.hpp"
#include "programs/lasso/schedule.hpp"

namespace gas {

/// What the passes are to do, alike on all ranks.
struct DescentPlan {
  double penalty = 1;  // of ‖w‖₁ beside ½‖y − Xw‖²
  bool centred = false;
  LassoSchedule schedule = LassoSchedule::priority;
  std::uint64_t block = 64;  // columns of a round, of all ranks; at least 1
  double correlation = 0.1;  // 1 or more: nothing is looked at
  std::uint64_t seed = 1;
};

/// What the passes have learned, alike on all ranks; a checkpoint keeps it.
struct DescentState {
  double objective = -1;  // ½‖y − Xw‖² + penalty ‖w‖₁ of the weights; below 0: not known yet
  double dual = 0;          // no weights have an objective below it
  double gap = 1;           // relative, of the weights before the last pass
  double intercept = 0;     // likewise
  std::uint64_t block = 0;  // that rounds have now; 0: as the plan says
  std::uint64_t rounds = 0, updates = 0, rejected = 0;
};

/// Coordinate descent on ½‖y − Xw‖² + penalty ‖w‖₁ by blocks of columns that several ranks update
/// at once, after STRADS (Lee, Kim, Zheng, Ho, Gibson, Xing, NIPS 2014). Each rank owns columns and
/// has a copy of the residual y − Xw of all rows and of all weights.
///
/// A pass begins with the slopes x·r of all columns, which tell the duality gap and by how much
/// each would change. Then come rounds. In each every rank proposes its share of a block, by the
/// schedule; all take them in the order of their priority, but those that correlate with one of
/// another rank that was taken. A rank updates its own one after the other, each as far as is best,
/// and tells the others their new weights together with its next proposals. A column's entries go
/// to the others once, when it is first proposed. The pass ends when as much work was done as
/// begins one, a few times over, or, by priority, when changes have become small.
///
/// Where columns are checked and a pass yet makes the objective larger, rounds become half as
/// large, down to one column, which cannot do so. Threads share the slopes; rounds are too short
/// for them. Everything is collective.
class ScheduledDescent {
 public:
  /// `columns` are those of this rank, `first` … of `count` in all, over so many rows. `comm` and
  /// `executor` must outlive this.
  ScheduledDescent(Communicator& comm, Executor& executor, const DescentPlan& plan, Columns columns,
                   std::size_t first, std::size_t count, std::size_t rows);

  /// What one takes, of so many entries and columns of this rank, rows and columns in all.
  static double bytes(double entries, double own, double rows, double count, int ranks);

  std::vector<double> weights;  // all
  std::vector<double> mine;     // this rank's part of the residual; all ranks' make the rows

  /// The least penalty at which all weights are 0, if `mine` is the residual there.
  double largest_penalty();
  void set_penalty(double penalty) { plan_.penalty = penalty; }
  /// Weights of constant columns become 0 on all ranks; the intercept has their part. Collective.
  void drop_constant_columns();
  /// From weights whose residual is set; `met` is Σ y r over all rows. Nothing moves where the gap
  /// is at most `tolerance`.
  void pass(DescentState& state, double met, double tolerance);

 private:
  struct Proposal {
    double priority;
    int rank;
    std::uint32_t id, place;  // place: among the rank's
  };
  struct Progress {  // of all ranks
    double touched = 0, level = 0;
  };

  void pass_together(DescentState& state, double met, double tolerance);
  void gather_residual(DescentState& state);
  void find_slopes();
  ColumnView own(std::uint32_t column) const;
  ColumnView known(std::uint32_t id) const;
  double objective() const;
  double best(std::uint32_t column, double slope) const;
  double update(std::uint32_t column);
  void move(const ColumnView& column, double step);
  bool is_over(double touched, double level, double first) const;
  void descend_alone(DescentState& state);
  void descend_with_others(DescentState& state);
  void write_message(std::span<const Candidate> proposed);
  Progress read_messages(const Blocks<double>& told, std::vector<Proposal>& proposals);
  void choose(DescentState& state, std::span<const Candidate> proposed,
              std::vector<Proposal>& proposals);
  void forget_copies();

  Communicator& comm_;
  Executor& executor_;
  DescentPlan plan_;
  bool checks_;  // are columns of several ranks to be unrelated?
  Columns columns_;
  std::size_t first_;
  std::vector<double> means_, squares_;  // of own columns
  std::vector<double> slopes_, changes_;
  std::vector<double> residual_;  // less `shift_`, which is in every row
  double shift_ = 0;
  double entries_ = 0;  // of all ranks
  double touched_ = 0;  // entries that this rank's updates have read or changed in the pass
  ColumnQueue queue_;
  UnrelatedColumns taken_;
  std::vector<Candidate> accepted_;
  std::vector<std::uint32_t> updated_;  // own columns of the last round
  std::vector<double> message_;
  // Of others' columns that were proposed.
  std::unordered_map<std::uint32_t, std::uint32_t> copies_;
  Columns copied_;
  std::vector<double> copied_means_, copied_squares_;
  std::vector<char> told_;   // by own column: the others have it
  double told_entries_ = 0;  // of all ranks
};

}  // namespace gas
