#pragma once

#include <algorithm>
#include <cmath>

#include "gas/program/accumulators.hpp"
#include "programs/logistic_regression/example_groups.hpp"
#include "programs/logistic_regression/proximal/proximal_steps.hpp"

namespace gas {

/// Logistic regression with either penalty (see LogisticRegression) by a proximal Newton method. In
/// a round the examples find their margins from the weights; then ProximalSteps takes a step, alike
/// on all ranks, and the weights publish where they have come.
///
/// To be given: labels in Example::label (−1 or +1), Example::group as `steps` has them, examples'
/// places among the rank's own in Example::place, and in `steps` the weights, which are also those
/// of Weight::w. After every round `state` tells the objective of Weight::w, and its gap.
struct ProximalNewton {
  static constexpr gas::Stands stands{
      .reason =
          "Newton's method needs the same sums on all ranks in every round; for other staleness, "
          "choose --penalty l2 with --solver dual"};
  GroupCosts costs = {1, 1, 0};
  ProximalSteps* steps = nullptr;  // this rank's; must outlive the engine
  double tolerance = 1e-4;         // of the gap; 0: never done
  ProximalState state;
  double correct = 0;  // examples, by the weights before the last step

  struct Example {
    float label = 1;
    std::uint32_t group = 0, place = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::Sum<double>;
  };
  struct Weight {
    double w = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
  };
  using Data = Example;
  using Parameter = Weight;
  using Edge = float;
  struct Summary {
    gas::GroupLosses losses;
    double met = 0, correct = 0;  // Σ C m σ(−m); right ones
    void operator+=(const Summary& o) { losses += o.losses, met += o.met, correct += o.correct; }
  };

  double init(Weight& w, auto&) const { return w.w; }
  void gather(gas::Sum<double>& product, double w, float x) const { product += w * x; }

  void before_step(const auto& step, const auto& last) {
    if (!step.is_parameter()) return;
    const Summary& seen = last.data();
    correct = seen.correct;
    steps->step(state, seen.losses.cost(costs), seen.met, tolerance);
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& state;
  }
  bool converged(const auto&) const {
    return tolerance > 0 && (state.gap() <= tolerance || state.still);
  }

  void apply(Example& e, const gas::Sum<double>& product, auto& v) const {
    const double label{e.label}, margin = label * product.value;
    const double odds = std::exp(-std::abs(margin));
    steps->margins[e.place] = margin;
    Summary& sums = v.summary();
    sums.losses.of[e.group].add(margin, odds);
    sums.met += costs[e.group] * margin * (margin > 0 ? odds : 1) / (1 + odds);
    sums.correct += e.group != left_out && (product.value > 0) == (label > 0) ? 1 : 0;
  }
  double apply(Weight& w, const auto&, const auto& v) const {
    w.w = steps->weights[v.id()];
    return w.w;
  }
};

}  // namespace gas
