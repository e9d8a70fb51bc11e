#pragma once

#include <algorithm>
#include <cmath>

#include "gas/program/accumulators.hpp"
#include "programs/logistic_regression/newton_search.hpp"

namespace gas {

/// Logistic regression on the bipartite graph examples – weights: the minimum of
///   P(w) = Σ C log(1 + exp(−y w·x)) + R(w),  R = ½‖w‖², C being that of the example's group,
/// by Newton's method with conjugate gradients, one pass over the edges per round. A round either
/// tries weights (the examples answer with slope and curvature of the loss, whose totals are its
/// gradient and the diagonal of its Hessian) or is one iteration towards the Newton direction: the
/// weights publish the preconditioned residual z, each example keeps its own x·d of d = z + βd, so
/// that α and β are known when they are needed. For R = ‖w‖₁ see ProximalNewton.
///
/// Certificate: α = C σ(−y w·x) is feasible for the dual, so no weights have an objective below its
/// value Σ C entropy(α/C) − ½‖Xᵀα‖². What P(w) is above that is ½‖w − Xᵀα‖², half the gradient's
/// square.
///
/// To be given: labels in Example::label (−1 or +1), Example::group, and the weights to start from
/// in Weight::w. After every round `search` tells objective and so on of Weight::w; the gap one
/// round later.
struct LogisticRegression {
  static constexpr gas::Stands stands{
      .reason =
          "Newton's method needs the same sums on all ranks in every round; dual ascent (--solver "
          "dual) tolerates any staleness"};
  NewtonSearch search;

  struct Slope {
    double gradient = 0, curvature = 0;  // of the loss along w·x
    bool operator==(const Slope&) const = default;
    void operator+=(const Slope& o) { gradient += o.gradient, curvature += o.curvature; }
  };
  struct Example {
    float label = 1;  // ±1
    std::uint32_t group = 0;
    double margin = 0, miss = 0.5;    // y w·x, σ(−margin)
    double curvature = 0, along = 0;  // of the loss; x·d
    static constexpr auto activity = gas::Active::every_round;
    using Published = Slope;
    using Accumulator = gas::Sum<double>;
  };
  struct Weight : NewtonWeight {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = Slope;
  };
  using Data = Example;
  using Parameter = Weight;
  using Edge = float;
  using Summary = NewtonSums;

  Slope init(Example&, auto&) const { return {}; }
  double init(Weight& w, auto& v) const { return w.attempt(search, v.summary()); }

  void gather(Example::Accumulator& product, double published, float x) const {
    product += published * x;
  }
  void gather(Slope& total, Slope of_example, float x) const {
    total.gradient += of_example.gradient * x;
    total.curvature += of_example.curvature * x * x;
  }

  void before_step(const auto& step, const auto& last) {
    if (step.is_parameter()) {
      search.before_weights(last.data());
    } else {
      search.before_examples(step.round == 1, last.parameter());
    }
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    save_search(archive, search);
  }
  bool converged(const auto&) const { return search.done; }
  Slope apply(Example& e, const Example::Accumulator& product, auto& v) const {
    Summary& sums = v.summary();
    if (search.trying) {
      const double label{e.label}, cost = search.costs[e.group];
      e.margin = label * product.value;
      const double odds = std::exp(-std::abs(e.margin)), rare = odds / (1 + odds);
      e.miss = e.margin > 0 ? rare : 1 - rare;
      e.curvature = cost * rare * (1 - rare);
      e.along = 0;
      sums.losses.of[e.group].add(e.margin, odds);
      sums.correct += e.group != left_out && (product.value > 0) == (label > 0) ? 1 : 0;
      return {-cost * label * e.miss, e.curvature};
    }
    e.along = product.value + search.beta * e.along;
    sums.along += e.curvature * e.along * e.along;
    return {e.curvature * e.along, 0};
  }

  double apply(Weight& w, const Slope& total, auto& v) const {
    return w.next(search, total.gradient, total.curvature, v.summary());
  }
};

}  // namespace gas
