#pragma once

#include <algorithm>
#include <cmath>

#include "gas/program/accumulators.hpp"
#include "gas/program/own_pushes.hpp"
#include "programs/logistic_regression/example_groups.hpp"

namespace gas {

/// Logistic regression with R = ½‖w‖² (see LogisticRegression) by coordinate ascent on the dual
///   D(a) = Σ C H(aᵢ) − ½‖w‖²,  w = Σ C aᵢ yᵢ xᵢ,  H(a) = −a log a − (1 − a) log(1 − a),
/// in place (Yu, Huang, Lin, Mach. Learn. 85, 2011): each example owns its a = σ(logit), and pushes
/// what its step along it changes to the weights' running totals. A shard's examples see each
/// other's steps at once; shards see each other's a round later, or, at a staleness of N, what
/// other ranks work on up to τ = 2N + 1 rounds after that (weights pass on what partial
/// accumulators told). So the shard counts its own changes of weight j κⱼ = `cover` times, and
/// `caution` times that where other ranks change it, too. CoCoA+ (Ma et al., ICML 2015, "adding")
/// counts every weight as often as there are shards; here only the shards with examples of a weight
/// count, as in separable overapproximation (Richtárik, Takáč, Math. Program. 156, 2016), most of
/// all those with few.
///
/// Why a caution of 1 + 2τ is enough (less often is, see ascend_dual). Let Aᵤ be the change of a
/// weight in round u, A the sum of those in rounds that a shard does not see, at most τ of them,
/// none of a weight that one rank has to itself. What D loses by that weight of the sum of the
/// shards' own gains is ½Aᵤ² + AᵤA ≤ ½(1 + τ)Aᵤ² + ½ ΣA_v² over these v < u, and any v is unseen in
/// at most τ rounds: added over all rounds at most ½(1 + 2τ)Aᵤ² for each, which is at most ½(1 +
/// 2τ) times the sum over the shards of κⱼ times their own change squared. That is what the damped
/// steps have paid for. So D rises in sum by a multiple of Σ(Δa)², as H bends by 4 at least: steps
/// vanish, and then what is unseen, too; a step of 0 in every example is the optimum. No change is
/// lost or added twice: the running totals keep w = Σ C a y x whatever arrives when, which holds
/// exactly (to rounding) at rest.
///
/// To be given: labels in Example::label, −1 or +1, and Example::group; with `warm` weights in
/// Weight::w, from which round 1 takes a = σ(−y w·x). `objective` and `gap` tell what the examples
/// saw just before their steps; of one w, and a certificate, only after rounds at rest, which take
/// no steps: one, or two if weights lag.
struct DualAscent {
  static constexpr gas::Stands stands = gas::any_staleness;
  GroupCosts costs = {1, 1, 0};
  double tolerance = 1e-4;  // of the gap, relative to the objective; 0: never done
  bool warm = false;
  double caution = 1;
  double alone = 1, among = 1;  // set by before_step: weights of one rank, of several
  bool goes_back = false;       // a round takes each example to its Example::kept

  struct Reach {
    double product = 0,
           squares = 0;  // w·x as this shard sees it, Σ xⱼ², each as often as it counts
    void operator+=(const Reach& o) { product += o.product, squares += o.squares; }
  };
  struct Example {
    float label = 1;
    std::uint32_t group = 0;
    double logit = -1000, share = 0, odds = 0;  // a = σ(logit), exp(−|logit|)
    double kept = -1000;                        // a logit to go back to

    void take(double t) {
      logit = t;
      odds = std::exp(-std::abs(t));
      share = (t > 0 ? 1 : odds) / (1 + odds);
    }
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;  // the change of C a y
    using Accumulator = Reach;
  };
  struct Weight {
    double w = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::RunningSum<double>;
  };
  using Data = Example;
  using Parameter = Weight;
  using Edge = float;
  /// By group Σ log(1 + e^−m) of margins m = y w·x, and Σ log(1 + e^logit); Σ C a (m + logit); Σ
  /// w².
  struct Summary {
    gas::GroupLosses miss, held;
    double met = 0, squares = 0;
    void operator+=(const Summary& o) {
      miss += o.miss, held += o.held, met += o.met, squares += o.squares;
    }
  };

  double objective(const auto& last) const {
    return last.data().miss.cost(costs) + 0.5 * last.parameter().squares;
  }
  /// (P − D) / P: by w·w = Σ C a m a sum over examples, none of them below 0.
  double gap(const auto& last) const {
    const Summary& seen = last.data();
    const double above = seen.miss.cost(costs) - seen.held.cost(costs) + seen.met;
    const double relative = above / objective(last);
    return relative < 0 ? 0 : relative;  // NaN stays, and is above every tolerance
  }

  double init(Example&, auto&) const { return 0; }
  double init(Weight& w, auto&) const { return w.w; }
  void gather(Reach& reach, double w, const gas::OwnPushes<gas::RunningSum<double>>& own,
              float x) const {
    const double counts = double{own.cover} * (own.shared ? among : alone);
    reach.product += (w + counts * own.total.value) * x;
    reach.squares += counts * x * x;
  }
  void gather(gas::RunningSum<double>& total, double change, float x) const { total += change * x; }

  void before_step(const auto& step, const auto&) {
    alone = warm && step.round == 1 ? 0 : 1;
    among = alone * caution;
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& tolerance& caution;
  }
  bool converged(const auto& last) const { return tolerance > 0 && gap(last) <= tolerance; }

  double apply(Example& e, const Reach& reach, auto& v) const {
    const double label{e.label}, margin = label * reach.product, cost = costs[e.group];
    Summary& sums = v.summary();
    sums.miss.of[e.group].add(margin, std::exp(-std::abs(margin)));
    sums.held.of[e.group].add(-e.logit, e.odds);
    sums.met += cost * e.share * (margin + e.logit);
    if (v.at_rest()) return 0;
    const double before = e.share;
    if (goes_back)
      e.take(e.kept);
    else
      step(e, margin, cost * reach.squares);
    return cost * label * (e.share - before);
  }
  double apply(Weight& w, const gas::RunningSum<double>& total, auto& v) const {
    w.w = total.value;
    v.summary().squares += w.w * w.w;
    return w.w;
  }

 private:
  /// Towards the root t of the slope t + margin + bend (σ(t) − a), until a tenth of it is left:
  /// by Newton's method between two bounds. The root lies between the logit and −margin. In the
  /// tails of σ a step of Newton's is about 1: |log(bend)| steps are needed there, at most 710.
  static void step(Example& e, double margin, double bend) {
    const double share = e.share, left = 0.1 * std::abs(e.logit + margin);
    double low = std::max(std::min(e.logit, -margin), -margin - bend * (1 - share));
    double high = std::min(std::max(e.logit, -margin), -margin + bend * share);
    double slope = e.logit + margin, t = e.logit;
    for (int i = 0; i < 1000 && std::abs(slope) > left; ++i) {
      const double before = t;
      t -= slope / (1 + bend * e.share * (1 - e.share));
      if (!(t > low && t < high) && i > 0) t = 0.5 * (low + high);
      t = std::clamp(t, low, high);
      if (t == before) break;
      e.take(t);
      slope = t + margin + bend * (e.share - share);
      (slope > 0 ? high : low) = t;
    }
  }
};

}  // namespace gas
