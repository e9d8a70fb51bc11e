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
/// To be given: Example::label, and w in Weight::of. After every round `search` tells objective and
/// so on of these w; the gap one round later.
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
  struct Weight {
    std::vector<NewtonWeight> of;  // by class
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = Slopes;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& of;
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
    w.of.resize(classes);
    for (std::size_t k = 0; k < classes; ++k) out[k] = w.of[k].attempt(search, v.summary().newton);
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
      // What is left to the other classes is summed, as 1 − p would lose it where p is near 1.
      const std::size_t likeliest = place_of_most(products.values);
      const double most = products.values[likeliest];
      double others = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        e.chances[k] = std::exp(products.values[k] - most);
        if (k != likeliest) others += e.chances[k];
      }
      const double loss = most - products.values[e.label] + std::log1p(others);
      v.summary().loss += loss;
      v.summary().cost += cost * loss;
      sums.correct += likeliest == e.label ? 1 : 0;
      double missed = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        e.chances[k] /= 1 + others;
        out[k] = cost * e.chances[k];
        if (k != e.label) missed += out[k];
        e.along[k] = 0;
      }
      out[e.label] = -missed;
      out[classes] = cost;
      return;
    }
    for (std::size_t k = 0; k < classes; ++k)
      e.along[k] = products.values[k] + search.beta * e.along[k];
    const double base = e.along[place_of_most(e.chances)];  // apart from it: as above
    double mean = 0, bend = 0;
    for (std::size_t k = 0; k < classes; ++k) mean += e.chances[k] * (e.along[k] - base);
    for (std::size_t k = 0; k < classes; ++k) {
      const double apart = e.along[k] - base - mean;
      out[k] = cost * e.chances[k] * apart;
      bend += out[k] * apart;
    }
    sums.along += bend;
  }

  void apply(Weight& w, const Slopes& total, gas::RowView<double> out, auto& v) const {
    for (std::size_t k = 0; k < classes; ++k)
      out[k] = w.of[k].next(search, total.values[k], total.values[classes + k], v.summary().newton);
  }

 private:
  static std::size_t place_of_most(std::span<const double> values) {
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  }
  /// into += factor · row.
  static void add(double* __restrict into, const double* __restrict row, double factor,
                  std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) into[k] += factor * row[k];
  }
};

}  // namespace gas
