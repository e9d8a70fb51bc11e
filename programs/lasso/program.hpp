#pragma once

#include <cstdint>

#include "gas/program/accumulators.hpp"
#include "programs/lasso/descent.hpp"

namespace gas {

/// Lasso: ½‖y − b − Xw‖² + penalty ‖w‖₁. In a round the examples find their residuals from the
/// weights; then ScheduledDescent makes a pass, alike on all ranks, and the weights publish where
/// they have come. Without one a round finds the residuals alone.
///
/// To be given: targets, places among the rank's own in Example::place, and in `descent` the
/// weights, which are also those of Weight::w. After every round `state` tells the objective of
/// Weight::w, and the gap of the weights before it; they are the same once it is at most the
/// tolerance.
struct LassoDescent {
  static constexpr gas::Stands stands{
      .reason = "all ranks begin each pass together, from the same residual"};
  ScheduledDescent* descent = nullptr;  // this rank's; must outlive the engine
  double tolerance = 1e-4;              // of the gap; 0: never done
  DescentState state = {};

  struct Example {
    double target = 0, residual = 0;
    std::uint32_t place = 0;
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
    double met = 0;  // Σ target × residual
    void operator+=(const Summary& other) { met += other.met; }
  };

  double init(Weight& w, auto&) const { return w.w; }
  void gather(gas::Sum<double>& product, double w, float x) const { product += w * x; }

  void before_step(const auto& step, const auto& last) {
    if (step.is_parameter() && descent != nullptr) descent->pass(state, last.data().met, tolerance);
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& state;
  }
  bool converged(const auto&) const { return tolerance > 0 && state.gap <= tolerance; }

  void apply(Example& e, const gas::Sum<double>& product, auto& v) const {
    e.residual = e.target - product.value;
    v.summary().met += e.target * e.residual;
    if (descent != nullptr) descent->mine[e.place] = e.residual;
  }
  double apply(Weight& w, const auto&, const auto& v) const {
    if (descent != nullptr) w.w = descent->weights[v.id()];
    return w.w;
  }
};

}  // namespace gas
