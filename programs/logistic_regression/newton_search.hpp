#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "programs/logistic_regression/example_groups.hpp"

namespace gas {

/// Sums of one step of a regularised Newton search over all vertices of a kind.
struct NewtonSums {
  // Of the examples: the loss; how many are right; towards a direction d, Σ curvature (x·d)².
  GroupLosses losses;
  double correct = 0, along = 0;
  // Of weights to be tried: R, P's fall to first order.
  double penalty = 0, fall = 0;
  // Of weights towards a direction, with the residual r: r·r, r·z, z·z, z·d, d·d.
  double squares = 0, rz = 0, zz = 0, zd = 0, dd = 0;
  void operator+=(const NewtonSums& o) {
    losses += o.losses, correct += o.correct, along += o.along;
    penalty += o.penalty, fall += o.fall;
    squares += o.squares, rz += o.rz, zz += o.zz, zd += o.zd, dd += o.dd;
  }
};

/// The scalars of the search, the same on all ranks. It alternates between a round that tries
/// weights and rounds of conjugate gradients towards the next direction; each is prepared from the
/// sums of the steps before. See LogisticRegression for the method.
struct NewtonSearch {
  GroupCosts costs = {1, 1, 0};
  double tolerance = 1e-4;  // of the gap, relative to the objective; 0: never done

  // Of the weights last taken; infinite until known.
  double objective = std::numeric_limits<double>::infinity(), gap = objective;
  double loss = 0, correct = 0;  // whatever the costs
  bool done = false;
  bool trying = true, accepted = false;  // this round tries weights; they are taken
  bool fresh = false, ending = false;    // first, last round towards a direction
  double alpha = 0, beta = 0;            // of conjugate gradients
  double length = 1;                     // of the step along the direction

  /// Before the examples' step of a round.
  void before_examples(bool first, const NewtonSums& weights) {
    trying = first || (trying ? !accepted : ending);
    if (trying) {
      tried_ = weights;
    } else {
      direct(weights);
    }
  }

  /// Before the weights' step.
  void before_weights(const NewtonSums& examples) {
    before_weights(examples, examples.losses.cost(costs), examples.losses.cost({1, 1, 0}));
  }
  /// The same where the losses, with their costs and without, are known in another way.
  void before_weights(const NewtonSums& examples, double cost_of_losses, double losses) {
    if (trying) {
      judge(cost_of_losses);
      if (accepted) loss = losses, correct = examples.correct;
    } else {
      descend(examples);
    }
  }

 private:
  /// Are the weights that were tried good enough?
  void judge(double cost_of_losses) {
    const double now = cost_of_losses + tried_.penalty;
    accepted = std::isinf(objective) || now <= objective + 0.01 * tried_.fall + 1e-13 * objective;
    if (!accepted) {
      length *= ++rejected_ <= 3 ? 0.5 : 0.1;
      return;
    }
    objective = now;
    fresh = true, ending = false;
    rejected_ = 0, length = 1;
  }

  /// β, and whether this is the last round: the residual is small, or the gap asks for no less.
  void direct(const NewtonSums& weights) {
    if (fresh) rz_first_ = weights.rz;
    beta = fresh || !(rz_ > 0) ? 0 : weights.rz / rz_;
    rz_ = weights.rz, squares_ = weights.squares;
    bend_ = weights.zz + beta * (2 * weights.zd + beta * weights.dd);
    const bool small = rz_ <= std::min(0.1, gap) * rz_first_;
    ending = !fresh && (small || 0.5 * squares_ <= 0.25 * tolerance * objective);
  }

  /// α; and the certificate of the weights last taken: P − D is half of r·r.
  void descend(const NewtonSums& examples) {
    if (fresh) {
      const double found = objective > 0 ? 0.5 * squares_ / objective : 0;
      gap = found < 0 ? 0 : found;  // of numbers beyond the range of doubles none is known
      done = tolerance > 0 && gap <= tolerance;
    }
    const double bend = examples.along + bend_;
    alpha = bend > 0 ? rz_ / bend : 0;
    ending = ending || !(bend > 0);
    fresh = false;
  }

  NewtonSums tried_;  // what the weights said of those being tried
  double rz_ = 0, rz_first_ = 0, squares_ = 0, bend_ = 0;
  int rejected_ = 0;
};

/// What the search keeps of a weight; `gradient` and `curvature` are those of the loss at w.
struct NewtonWeight {
  double w = 0, trial = 0, gradient = 0, curvature = 0;
  double residual = 0, direction = 0, step = 0;  // r, d and Σ αd

  /// The weight to try: a step along the direction.
  double attempt(const NewtonSearch& search, NewtonSums& sums) {
    trial = w + search.length * step;
    sums.penalty += 0.5 * trial * trial;
    sums.fall += (gradient + w) * (trial - w);
    return trial;
  }
  /// Takes in the totals of the examples' answers, a slope and, where weights are tried, a
  /// curvature. Returns what to publish.
  double next(const NewtonSearch& search, double slope, double bend, NewtonSums& sums) {
    if (search.trying && !search.accepted) return attempt(search, sums);
    if (search.trying) {
      w = trial;
      gradient = slope;
      curvature = bend;
      residual = -(gradient + w);
      direction = step = 0;
    } else {
      direction = residual / (curvature + 1) + search.beta * direction;
      step += search.alpha * direction;
      residual -= search.alpha * (slope + direction);
      if (search.ending) return attempt(search, sums);
    }
    const double z = residual / (curvature + 1);
    sums.squares += residual * residual;
    sums.rz += residual * z;
    sums.zz += z * z;
    sums.zd += z * direction;
    sums.dd += direction * direction;
    return z;
  }
};

/// What a checkpoint keeps of a search. The tolerance is that of the run that goes on.
template <class Archive>
void save_search(Archive& archive, NewtonSearch& search) {
  const double tolerance = search.tolerance;
  archive& search;
  search.tolerance = tolerance;
}

}  // namespace gas
