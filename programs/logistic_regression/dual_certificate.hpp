#pragma once

#include <algorithm>
#include <cmath>

#include "gas/program/accumulators.hpp"
#include "programs/logistic_regression/example_groups.hpp"

namespace gas {

/// Primal and dual objective of logistic regression with R = ½‖w‖² (see DualAscent) at given
/// weights and given a, by their definitions, in one round: P(w), and D(a) = Σ C H(aᵢ) − ½‖Σ C aᵢ
/// yᵢ xᵢ‖², which no weights' P is below. Shares no sum with the ascent: weights that lost or
/// doubled a change of a show as a gap.
///
/// To be given: Example::label, Example::group, Example::share (a, in [0, 1]) and Weight::w.
struct DualCertificate {
  GroupCosts costs = {1, 1, 0};

  struct Example {
    float label = 1;
    std::uint32_t group = 0;
    double share = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;  // C a y
    using Accumulator = gas::Sum<double>;
  };
  struct Weight {
    double w = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Data = Example;
  using Parameter = Weight;
  using Edge = float;
  struct Summary {
    double loss = 0, entropy = 0, correct = 0, squares = 0, dual_squares = 0;  // first two: costs
    void operator+=(const Summary& o) {
      loss += o.loss, entropy += o.entropy, correct += o.correct;
      squares += o.squares, dual_squares += o.dual_squares;
    }
  };

  double primal(const auto& last) const {
    return last.data().loss + 0.5 * last.parameter().squares;
  }
  double dual(const auto& last) const {
    return last.data().entropy - 0.5 * last.parameter().dual_squares;
  }

  double init(Example&, auto&) const { return 0; }
  double init(Weight& weight, auto&) const { return weight.w; }
  void gather(gas::Sum<double>& total, double value, float x) const { total += value * x; }

  double apply(Example& e, const gas::Sum<double>& product, auto& v) const {
    const double label{e.label}, cost = costs[e.group];
    const double margin = label * product.value, a = e.share;
    v.summary().loss += cost * (std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin))));
    if (a > 0) v.summary().entropy -= cost * a * std::log(a);
    if (a < 1) v.summary().entropy -= cost * (1 - a) * std::log1p(-a);
    v.summary().correct += e.group != left_out && (product.value > 0) == (label > 0) ? 1 : 0;
    return cost * label * a;
  }
  double apply(Weight& weight, const gas::Sum<double>& pull, auto& v) const {
    v.summary().squares += weight.w * weight.w;
    v.summary().dual_squares += pull.value * pull.value;
    return weight.w;
  }
};

}  // namespace gas
