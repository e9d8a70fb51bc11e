#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"

namespace gas {

struct LbfgsOptions {
  double tolerance = 1e-5;  // on max |gradient|; 0: until only rounding is left
  std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();  // most steps
  std::size_t memory = 10;  // pairs that approximate the inverse Hessian; at least 1
};

/// Unconstrained L-BFGS (Nocedal 1980). The caller evaluates the function: until done(), it passes
/// value and gradient at point() to `tell`. So the rounds of a vertex program can evaluate it, too.
/// Steps satisfy the strong Wolfe conditions (Nocedal, Wright 2006, algorithms 3.5 and 3.6, cubic
/// interpolation). Near the end, where values differ by rounding only, they satisfy the approximate
/// ones (Hager, Zhang 2005). Local and deterministic: ranks that pass the same values take the same
/// steps. A tell makes up to 4 × `memory` passes over a vector. It keeps 2 × `memory` + 5 vectors.
///
/// We wrote our own because the libraries of Debian 12 call the function themselves, and LBFGS++
/// 0.1 throws where rounding ends its search.
class Lbfgs {
 public:
  /// UsageError for a tolerance below 0 or NaN, or a memory of 0 pairs.
  explicit Lbfgs(Eigen::VectorXd start, const LbfgsOptions& options = {})
      : options_(options), at_(std::move(start)), point_(at_) {
    if (!(options.tolerance >= 0))
      throw UsageError("L-BFGS: found a tolerance below 0, expected at least 0");
    if (options.memory == 0)
      throw UsageError("L-BFGS: found a memory of 0 pairs, expected at least 1");
  }

  /// Where to evaluate next. After done(): the point with the least value that was found.
  const Eigen::VectorXd& point() const { return done_ ? at_ : point_; }
  bool done() const { return done_; }
  /// Whether the gradient is within the tolerance.
  bool converged() const { return converged_; }
  double value() const { return from_.value; }
  std::uint64_t iterations() const { return iterations_; }
  std::uint64_t evaluations() const { return evaluations_; }

  /// Takes value and gradient of f at point(). A value that is not finite counts as too high.
  /// UsageError if f is not finite at the start, or the gradient has another width. Not after
  /// done().
  void tell(double value, const Eigen::VectorXd& gradient) {
    if (gradient.size() != at_.size())
      throw UsageError("L-BFGS: the gradient does not have as many entries as the point");
    if (evaluations_++ == 0) {
      if (!std::isfinite(value) || !gradient.allFinite())
        throw UsageError(
            "L-BFGS: found a value or gradient at the starting point that is not finite, expected "
            "finite numbers");
      gradient_ = gradient;
      from_.value = value;
      return begin_step();
    }
    const Trial now{trial_, value, gradient.dot(way_)};
    if (!too_high(now) && std::abs(now.slope) <= -curvature * from_.slope)
      return take(now, gradient);
    if (++trials_ == most_trials) return give_up();
    narrow(now);
    point_ = at_ + trial_ * way_;
  }

 private:
  static constexpr double decrease = 1e-4, curvature = 0.9, rounding = 1e-13;
  static constexpr int most_trials = 30;
  struct Trial {
    double step = 0, value = 0, slope = 0;
  };
  struct Pair {
    Eigen::VectorXd step, change;  // of x, and of the gradient
    double product;                // step · change
  };

  bool too_high(const Trial& t) const {
    const double most = std::min(low_.value, from_.value + decrease * t.step * from_.slope);
    return !std::isfinite(t.slope) || !(t.value <= most + rounding * std::abs(from_.value));
  }

  void begin_step() {
    converged_ = gradient_.lpNorm<Eigen::Infinity>() <= options_.tolerance;
    done_ = converged_ || iterations_ == options_.iterations;
    if (done_) return;
    way_ = -gradient_;  // becomes −H g, H an inverse Hessian made of the pairs
    std::vector<double> along;
    for (auto p = pairs_.rbegin(); p != pairs_.rend(); ++p) {
      along.push_back(p->step.dot(way_) / p->product);
      way_ -= along.back() * p->change;
    }
    if (!pairs_.empty()) way_ *= pairs_.back().product / pairs_.back().change.squaredNorm();
    for (const Pair& p : pairs_) {
      way_ += (along.back() - p.change.dot(way_) / p.product) * p.step;
      along.pop_back();
    }
    from_.slope = gradient_.dot(way_);
    if (!(from_.slope < 0)) return give_up();
    low_ = from_;
    bracketed_ = false;
    trials_ = 0;
    trial_ = pairs_.empty() ? 1 / way_.norm() : 1;
    point_ = at_ + trial_ * way_;
  }

  /// Once bracketed_, a minimum along way_ lies between low_ and high_. low_ is the best trial so
  /// far.
  void narrow(const Trial& now) {
    const bool high = too_high(now);
    const bool past = now.slope * (bracketed_ ? high_.step - low_.step : 1) >= 0;
    if (high || past) high_ = high ? now : low_;
    if (!high) low_ = now;
    bracketed_ = bracketed_ || high || past;
    if (!bracketed_) return void(trial_ *= 3);
    const double width = high_.step - low_.step;
    const double bend = low_.slope + high_.slope - 3 * (high_.value - low_.value) / width;
    const double root = std::copysign(std::sqrt(bend * bend - low_.slope * high_.slope), width);
    double to = (high_.slope + root - bend) / (high_.slope - low_.slope + 2 * root);  // from high_
    to = std::isfinite(to) ? std::clamp(to, 0.1, 0.9) : 0.5;
    trial_ = high_.step - to * width;
  }

  void take(const Trial& now, const Eigen::VectorXd& gradient) {
    Pair pair{point_ - at_, gradient - gradient_, 0};
    pair.product = pair.step.dot(pair.change);
    at_ = point_;
    gradient_ = gradient;
    from_.value = now.value;
    ++iterations_;
    if (pair.product > 0) pairs_.push_back(std::move(pair));
    if (pairs_.size() > options_.memory) pairs_.pop_front();
    begin_step();
  }

  /// No step was low enough. Tries once more along the negative gradient. If that was the direction
  /// already, only rounding is left.
  void give_up() {
    done_ = pairs_.empty();
    pairs_.clear();
    if (!done_) begin_step();
  }

  LbfgsOptions options_;
  Eigen::VectorXd at_, gradient_;  // where the last step ended
  Eigen::VectorXd point_, way_;    // point_ = at_ + trial_ way_
  Trial from_, low_, high_;        // from_: at at_, the other two along the way
  double trial_ = 0;
  int trials_ = 0;
  bool bracketed_ = false, done_ = false, converged_ = false;
  std::uint64_t iterations_ = 0, evaluations_ = 0;
  std::deque<Pair> pairs_;
};

/// Minimises f from `start`. f(x, gradient) returns the value at x and sets the gradient. If f is
/// collective, all ranks must call this, and f must return the same bits on all of them, as
/// map_reduce does. Returns the finished search: point(), value() and its counts.
template <class F>
Lbfgs l_bfgs(F f, Eigen::VectorXd start, const LbfgsOptions& options = {}) {
  Eigen::VectorXd gradient(start.size());
  Lbfgs search(std::move(start), options);
  while (!search.done()) {
    const double value = f(search.point(), gradient);
    search.tell(value, gradient);
  }
  return search;
}

}  // namespace gas
