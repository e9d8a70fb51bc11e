#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "programs/logistic_regression/log_product.hpp"

namespace gas {

/// Sums of one step of a regularised Newton search over all vertices of a kind.
struct NewtonSums {
  // Of the examples: how far margins are below 0, and Π 1 + exp(−|margin|), both of the loss; how
  // many are right; towards a direction d, Σ curvature (x·d)² and the entropy of the dual.
  double below = 0, correct = 0, along = 0, entropy = 0;
  gas::LogProduct odds;
  // Of weights to be tried: how many, how many not zero, R, Σ φ, P's fall to first order.
  double weights = 0, nonzeros = 0, penalty = 0, smooth = 0, fall = 0;
  // Of weights towards a direction: Σ φ at its start, ‖gradient‖∞, r·r, r·z; by φ'': z·z, z·d, d·d.
  double begun = 0, steepest = 0, squares = 0, rz = 0, zz = 0, zd = 0, dd = 0;
  void operator+=(const NewtonSums& o) {
    below += o.below, odds += o.odds, correct += o.correct, along += o.along, entropy += o.entropy;
    weights += o.weights, nonzeros += o.nonzeros, penalty += o.penalty, smooth += o.smooth;
    fall += o.fall, begun += o.begun, steepest = std::max(steepest, o.steepest);
    squares += o.squares, rz += o.rz, zz += o.zz, zd += o.zd, dd += o.dd;
  }
  double loss() const { return below + odds.log(); }
};

/// The separable penalty: R = ½‖w‖² or ‖w‖₁, and the smooth φ that stands for it: w²/2, or the
/// minimum over u of u − ε log(u² − w²), up to a constant, which is within 2ε of |w|.
struct SmoothedPenalty {
  bool l1 = false;

  double exact(double w) const { return l1 ? std::abs(w) : 0.5 * w * w; }
  double smooth(double w, double eps) const {
    if (!l1) return 0.5 * w * w;
    const double u = bound(w, eps);
    return u - 2 * eps - eps * std::log(u / (2 * eps));
  }
  double slope(double w, double eps) const { return l1 ? w / bound(w, eps) : w; }
  /// φ'' with the followed `dual` in the place of φ', of which it believes the share `trust`.
  double bend(double w, double eps, double dual, double trust) const {
    if (!l1) return 1;
    return std::max(1 - trust * dual * w / std::hypot(eps, w), 1e-12) / bound(w, eps);
  }

 private:
  static double bound(double w, double eps) { return eps + std::hypot(eps, w); }
};

/// The scalars of the search, the same on all ranks. It alternates between a round that tries
/// weights and rounds of conjugate gradients towards the next direction; each is prepared from the
/// sums of the steps before. See LogisticRegression for the method.
struct NewtonSearch {
  double cost = 1;  // of the loss
  SmoothedPenalty penalty;
  double tolerance = 1e-4;  // of the gap, relative to the objective; 0: never done

  // Of the weights last taken; infinite until known.
  double objective = std::numeric_limits<double>::infinity(), gap = objective;
  double loss = 0, correct = 0, nonzeros = 0;
  bool done = false;
  bool trying = true, accepted = false;  // this round tries weights; they are taken
  bool fresh = false, ending = false;    // first, last round towards a direction
  bool rounding = false;                // weights that should be zero are made so in the next trial
  double alpha = 0, beta = 0;           // of conjugate gradients
  double length = 1, length_taken = 1;  // of the step along the direction
  double scale = 1;                     // puts the dual point into its bounds
  double epsilon = 1, epsilon_before = 1;  // of φ, and of the φ that led to the weights last taken
  double trust = 1;                        // in the followed dual

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
    if (trying) {
      judge(examples);
    } else {
      descend(examples);
    }
  }

 private:
  /// Are the weights that were tried good enough? If so, what ε, and what trust in the dual, next.
  void judge(const NewtonSums& examples) {
    const bool first = std::isinf(objective);
    const double now = cost * examples.loss() + tried_.smooth;
    accepted = first || rounding || now <= merit_ + 0.01 * tried_.fall + 1e-13 * merit_;
    if (!accepted) {
      length *= ++rejected_ <= 3 ? 0.5 : 0.1;
      return;
    }
    loss = examples.loss(), correct = examples.correct, nonzeros = tried_.nonzeros;
    objective = cost * loss + tried_.penalty;
    const double share = objective / std::max(tried_.weights, 1.0);
    epsilon_before = epsilon;
    if (first) {
      epsilon = 0.05 * share;
    } else if (rejected_ > 0) {
      trust *= 0.25;
    } else if (!rounding) {
      epsilon = std::max(0.3 * epsilon, 1e-15 * share);
      trust = 0.5 + 0.5 * trust;
    }
    exact_ = rounding || first || !penalty.l1;
    fresh = true, rounding = false, ending = false;
    rejected_ = 0, length_taken = length, length = 1;
  }

  /// β, and whether this is the last round: the residual is small, or the gap asks for no less.
  void direct(const NewtonSums& weights) {
    if (fresh) {
      merit_ = cost * loss + weights.begun;
      rz_first_ = weights.rz;
      scale = penalty.l1 ? 1 / std::max(1.0, weights.steepest) : 1;
    }
    beta = fresh || !(rz_ > 0) ? 0 : weights.rz / rz_;
    rz_ = weights.rz, squares_ = weights.squares;
    bend_ = weights.zz + beta * (2 * weights.zd + beta * weights.dd);
    const bool small = rz_ <= std::min(0.1, gap) * rz_first_;
    const bool enough = !penalty.l1 && 0.5 * squares_ <= 0.25 * tolerance * objective;
    ending = !fresh && (small || enough);
  }

  /// α; and the certificate of the weights last taken, which took the examples this round.
  void descend(const NewtonSums& examples) {
    if (fresh) {
      const double dual = penalty.l1 ? cost * examples.entropy : objective - 0.5 * squares_;
      gap = objective > 0 ? std::max(0.0, (objective - dual) / objective) : 0;
      rounding = gap <= tolerance && !exact_;
      done = tolerance > 0 && gap <= tolerance && exact_;
    }
    const double bend = examples.along + bend_;
    alpha = bend > 0 ? rz_ / bend : 0;
    ending = ending || rounding || !(bend > 0);
    fresh = false;
  }

  NewtonSums tried_;    // what the weights said of those being tried
  bool exact_ = false;  // the weights last taken have their zeros
  double merit_ = 0, rz_ = 0, rz_first_ = 0, squares_ = 0, bend_ = 0;
  int rejected_ = 0;
};

}  // namespace gas
