#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/logistic_regression/newton_search.hpp"

namespace gas {

/// Softmax regression on the bipartite graph examples – weights: of K classes, a row of K weights
/// per column, the minimum of
///   P(W) = Σ C (log Σ_k exp(w_k·x) − w_y·x) + ½‖W‖²,  C being that of the example's class y,
/// by Newton's method with conjugate gradients, round by round as in LogisticRegression, with rows
/// where it has numbers. An example's Hessian along its products is C (diag p − p pᵀ), p being the
/// classes' chances. Its diagonal follows from the slopes C (p_k − [k = y]), so that C is all that
/// an example publishes beside these.
///
/// Certificate: α_k = C ([k = y] − p_k) is feasible for the dual, and what P(W) is above its value
/// there is ½‖W − Xᵀα‖², half the gradient's square, as with two classes.
///
/// To be given: Example::label, Weight::w. After every round `search` tells objective and so on of
/// Weight::w; the gap one round later.
struct SoftmaxRegression {
  static constexpr gas::Stands stands{
      .reason = "Newton's method needs the same sums on all ranks in every round"};
  NewtonSearch search = {};
  std::size_t classes = 3;
  std::vector<double> costs = {};  // by class

  /// Σ of the loss's slope by class, and behind it of its curvature.
  struct Slopes : gas::VectorSum<double> {
    using VectorSum::VectorSum;
  };
  struct Example {
    std::uint32_t label = 0;      // the place of its class
    std::vector<double> chances;  // of the classes
    std::vector<double> along;    // x·d of each
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = gas::VectorSum<double>;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& label& chances& along;
    }
  };
  /// By class; `gradient` and `curvature` of the loss at w.
  struct Weight {
    std::vector<double> w, trial, gradient, curvature, residual, direction, step;
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = Slopes;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& w& trial& gradient& curvature& residual& direction& step;
    }
  };
  using Data = Example;
  using Parameter = Weight;
  using Edge = float;
  struct Summary {
    NewtonSums newton;
    double cost = 0, loss = 0;  // Σ C loss, Σ loss
    void operator+=(const Summary& o) { newton += o.newton, cost += o.cost, loss += o.loss; }
  };

  std::size_t width(gas::PublishedOf<Example>) const { return classes + 1; }
  std::size_t width(gas::AccumulatorOf<Example>) const { return classes; }
  std::size_t width(gas::PublishedOf<Weight>) const { return classes; }
  std::size_t width(gas::AccumulatorOf<Weight>) const { return 2 * classes; }

  void init(Example& e, gas::RowView<double> out, auto&) const {
    e.chances.assign(classes, 0);
    e.along.assign(classes, 0);
    std::ranges::fill(out, 0);
  }
  void init(Weight& w, gas::RowView<double> out, auto& v) const {
    for (auto* const row :
         {&w.trial, &w.gradient, &w.curvature, &w.residual, &w.direction, &w.step})
      row->assign(classes, 0);
    w.w.resize(classes);
    for (std::size_t k = 0; k < classes; ++k) out[k] = attempt(w, k, v.summary().newton);
  }

  void gather(Example::Accumulator& products, gas::RowView<const double> published, float x) const {
    add(products.values.data(), published.data(), double{x}, classes);
  }
  void gather(Slopes& total, gas::RowView<const double> of_example, float x) const {
    const double value{x};
    const double* const slopes = of_example.data();
    add(total.values.data(), slopes, value, classes);
    if (!search.trying) return;
    const double share = 1 / slopes[classes], squared = value * value;
    double* const curvatures = total.values.data() + classes;
    for (std::size_t k = 0; k < classes; ++k) {
      const double size = std::abs(slopes[k]);
      curvatures[k] += size * (1 - size * share) * squared;  // C p (1 − p), by either sign
    }
  }

  void before_step(const auto& step, const auto& last) {
    if (step.is_parameter()) {
      const Summary& seen = last.data();
      search.before_weights(seen.newton, seen.cost, seen.loss);
    } else {
      search.before_examples(step.round == 1, last.parameter().newton);
    }
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    save_search(archive, search);
  }
  bool converged(const auto&) const { return search.done; }

  void apply(Example& e, const Example::Accumulator& products, gas::RowView<double> out,
             auto& v) const {
    const double cost = costs[e.label];
    NewtonSums& sums = v.summary().newton;
    if (search.trying) {
      const auto likeliest = std::ranges::max_element(products.values);
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k)
        sum += e.chances[k] = std::exp(products.values[k] - *likeliest);
      const double loss = std::log(sum) + *likeliest - products.values[e.label];
      v.summary().loss += loss;
      v.summary().cost += cost * loss;
      sums.correct += likeliest - products.values.begin() == std::ptrdiff_t{e.label} ? 1 : 0;
      for (std::size_t k = 0; k < classes; ++k) {
        const double chance = e.chances[k] /= sum;
        out[k] = cost * (chance - (k == e.label ? 1 : 0));
        e.along[k] = 0;
      }
      out[classes] = cost;
      return;
    }
    double mean = 0, bend = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      e.along[k] = products.values[k] + search.beta * e.along[k];
      mean += e.chances[k] * e.along[k];
    }
    for (std::size_t k = 0; k < classes; ++k) {
      const double apart = e.along[k] - mean;
      out[k] = cost * e.chances[k] * apart;
      bend += out[k] * apart;
    }
    sums.along += bend;
  }

  void apply(Weight& w, const Slopes& total, gas::RowView<double> out, auto& v) const {
    for (std::size_t k = 0; k < classes; ++k)
      out[k] = step(w, k, total.values[k], total.values[classes + k], v.summary().newton);
  }

 private:
  /// into += factor · row.
  static void add(double* __restrict into, const double* __restrict row, double factor,
                  std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) into[k] += factor * row[k];
  }
  /// What class k's weight publishes after its visit.
  double step(Weight& w, std::size_t k, double slope, double curvature, NewtonSums& sums) const {
    if (search.trying && !search.accepted) return attempt(w, k, sums);
    if (search.trying) {
      w.w[k] = w.trial[k];
      w.gradient[k] = slope;
      w.curvature[k] = curvature;
      w.residual[k] = -(slope + w.w[k]);
      w.direction[k] = w.step[k] = 0;
    } else {
      w.direction[k] = w.residual[k] / (w.curvature[k] + 1) + search.beta * w.direction[k];
      w.step[k] += search.alpha * w.direction[k];
      w.residual[k] -= search.alpha * (slope + w.direction[k]);
      if (search.ending) return attempt(w, k, sums);
    }
    const double r = w.residual[k], d = w.direction[k], z = r / (w.curvature[k] + 1);
    sums.squares += r * r;
    sums.rz += r * z;
    sums.zz += z * z;
    sums.zd += z * d;
    sums.dd += d * d;
    return z;
  }
  /// The weight to try: a step along the direction.
  double attempt(Weight& w, std::size_t k, NewtonSums& sums) const {
    const double from = w.w[k];
    w.trial[k] = from + search.length * w.step[k];
    sums.penalty += 0.5 * w.trial[k] * w.trial[k];
    sums.fall += (w.gradient[k] + from) * (w.trial[k] - from);
    return w.trial[k];
  }
};

}  // namespace gas
