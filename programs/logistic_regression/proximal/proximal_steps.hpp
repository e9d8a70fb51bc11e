#pragma once

#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/threads/executor.hpp"
#include "programs/logistic_regression/example_groups.hpp"
#include "programs/logistic_regression/penalty.hpp"
#include "programs/logistic_regression/proximal/coordinate_descent.hpp"
#include "programs/logistic_regression/proximal/filtered_sums.hpp"

namespace gas {

/// What the steps learn of the problem, alike on all ranks; a checkpoint keeps it.
struct ProximalState {
  double objective = 0;  // of the weights after the last step
  double bound = 0;      // no weights have an objective below it; the largest that was proved
  double damping = 1;    // of steps on several ranks: how large H's diagonal is taken; at least 1
  double reach = 20;     // how far a step goes along one weight, in units of margins
  bool dense = false;    // the curvature is added up as a matrix, where it is small enough
  bool still = false;    // the last step changed nothing, nor will any after it

  double gap() const { return objective > bound ? (objective - bound) / objective : 0; }
};

/// The steps of ProximalNewton on a rank: from its examples' margins to the next weights. Every
/// rank has all weights, and a copy of its own examples by columns.
///
/// A step minimises R(w + d) + g·d + ½ d·Hd, H = Σ C σ' x xᵀ, by coordinate descent over the
/// weights that are not zero or may cease to be, and then searches along d (newGLMNET; Yuan, Ho,
/// Lin, JMLR 13, 2012). On several ranks each takes the H of its own examples, with rows and
/// columns scaled so that the diagonal is that of all; d is the mean, weighted by each rank's share
/// of the diagonal: local Newton steps with the gradient of all (GIANT; Wang et al., NeurIPS 2018).
/// Where the curvature along d turns out to be more than the ranks' models say, `damping` makes the
/// diagonal larger, and so their steps shorter and more alike. Where descent takes long and few
/// weights are left, ranks add up H as a matrix instead, and all descend on it alike.
///
/// Certificate: no weights have an objective below the dual one, for Penalty::l1 Σ C entropy(α/C)
/// for an α in [0, C] with ‖Xᵀα‖∞ ≤ 1 (Koh, Kim, Boyd, JMLR 8, 2007), for l2 that less ½‖Xᵀα‖² for
/// any α in [0, C]. Tried are, for l1 scaled into it, the α = C σ(−m) of the weights before a step,
/// and α − C σ' Xd of the model after it, whose Xᵀα descent has, on one rank, brought near ±1 or w.
///
/// Everything is collective.
class ProximalSteps {
 public:
  /// `columns` has y x of this rank's examples by its own columns, which are the weights `ids` of
  /// `count`; `groups` are of these examples. `comm` and `executor` must outlive this.
  ProximalSteps(Communicator& comm, Executor& executor, const GroupCosts& costs, Columns columns,
                std::vector<VertexId> ids, std::vector<std::uint8_t> groups, std::size_t count,
                Penalty penalty, const Filters& filters = {});

  /// What one takes, of so many entries, examples and columns of a rank, and weights.
  static double bytes(double entries, double examples, double columns, double count) {
    return entries * (sizeof(std::uint32_t) + sizeof(float)) +
           examples * (3 * sizeof(double) + sizeof(Slope) + sizeof(ModelRow) + 1) +
           columns * (sizeof(Slope) + 2 * sizeof(double) + sizeof(EdgeOffset) + sizeof(VertexId) +
                      sizeof(ModelWeight) + 2 * sizeof(std::uint32_t)) +
           count * (5 * sizeof(double) + sizeof(Slope));
  }

  std::vector<double> weights;  // all, by id
  std::vector<double> margins;  // y w·x of this rank's examples

  /// Takes a step from weights whose margins are set. `loss` and `met` are Σ C log(1 + e^−m) and
  /// Σ C m σ(−m) over the margins m of all ranks' examples. Nothing moves if the gap is at most
  /// `tolerance` before, or if no step makes the objective less.
  void step(ProximalState& state, double loss, double met, double tolerance);
  /// What filters did on this rank.
  const FilterLedger& ledger() const { return sums_.ledger(); }

 private:
  void step_together(ProximalState& state, double loss, double met, double tolerance);
  struct Slope {  // first and second derivative
    double gradient = 0, bend = 0;
  };

  void find_slopes();
  void add_up_slopes();
  template <class Gradient>
  FilteredSums::Flags to_add_up(Gradient gradient);
  void add_up_direction(const std::vector<ModelWeight>& model);
  double bound_before(double objective, double penalty, double met, double tolerance);
  double ridge_gap() const;
  double steepest() const;
  double bound_after();
  template <class Alpha>
  double dual_at(Alpha alpha, double steepest);
  bool may_move(std::size_t id) const;
  void let_go();
  void descend_here(const ProximalState& state, double budget);
  void descend_together(const ProximalState& state, const std::vector<std::size_t>& chosen,
                        double budget);
  double search(ProximalState& state);
  void find_along();
  double slope_of_penalty(std::size_t id) const { return ridge_ * weights[id]; }
  double loss_at(double length);
  double penalty_at(double length) const;
  void add_up(std::span<double> numbers);
  template <class Body>
  void in_pieces(std::size_t count, Body body);
  template <class Value>
  double sum_over_rows(Value value);

  Communicator& comm_;
  Executor& executor_;
  double kink_, ridge_;  // R(w) = kink ‖w‖₁ + ½ ridge ‖w‖²
  FilteredSums sums_;
  GroupCosts costs_;
  std::vector<std::uint8_t> groups_;  // of this rank's examples
  Columns columns_;
  std::vector<VertexId> ids_;
  // By example of this rank: of the loss along its margin; y d·x.
  std::vector<Slope> bends_;
  std::vector<ModelRow> rows_;
  std::vector<double> along_;
  std::vector<Slope> mine_;   // by own column: of this rank's loss along the weight
  std::vector<double> told_;  // by own column: the gradient that was added up last
  // By id, of all ranks.
  std::vector<Slope> slopes_;
  std::vector<double> direction_, largest_, entries_;  // largest_: |x|, added up over ranks
  std::vector<double> room_;  // by id: how far each rank's part of the slope may change unsent
  double examples_ = 0;       // of a rank, on average
  bool together_ = false;     // the direction is one that all ranks found alike
  bool unfinished_ = false;   // descent ended at its budget
  bool cramped_ = false;      // it would have gone further than it may
  bool moved_ = false;        // the search came to other weights
};

}  // namespace gas
