#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/engine/engine.hpp"
#include "programs/als/normal_equations.hpp"

namespace gas {

/// Matrix factorisation on the bipartite graph of users and items, whose edges are ratings r, by
/// alternating least squares (Zhou, Wilkinson, Schreiber, Pan 2008): rows u and v at a minimum of
///   Σ (r − u·v)² + λ (Σ |u|² + Σ |v|²),   `weighted`: each |·|² times the number of its ratings.
/// (From each r the number `mean` is subtracted.)
/// A visit gathers the normal equations of its row from the other side's rows, solves them, and has
/// the errors of its ratings from the same sums, so a round ends with the objective of its rows.
///
/// A row is always the exact minimum for the rows that were read, however old these are, and sums
/// of different ages are still those of a ridge regression. So the states in which no visit changes
/// a row are the same under any staleness and order: the gradient is zero there. That no round
/// makes the objective worse, and that a round tells the objective of its rows, is promised at
/// staleness 0 only. It ends by how much the visits lowered their own shares of the objective,
/// which every rank sums alike.
///
/// With `alpha` the ratings are implicit feedback (Hu, Koren, Volinsky 2008): every pair of a user
/// and an item counts, with r = 1 and weight 1 + alpha · rating where it has a rating above 0, with
/// r = 0 and weight 1 elsewhere. So a visit needs Σ x xᵀ over all rows of the other side, which the
/// Summary of their step brings: the call refuses staleness.
struct AlternatingLeastSquares {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::size_t rank = 10;
  double lambda = 0.1;  // above 0
  bool weighted = false;
  std::optional<double> alpha = {};
  double mean = 0;  // not with alpha
  std::uint64_t seed = 1;
  double tolerance = 1e-4;   // relative fall of the objective in a round at which to stop; 0: never
  bool solves_items = true;  // else their rows stay and are only measured, as all are at rest

  struct User {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
    using Accumulator = NormalEquations;
  };
  struct Item {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
    using Accumulator = NormalEquations;
  };
  using Data = User;
  using Parameter = Item;
  using Edge = float;
  using Scratch = NormalEquations::Scratch;
  struct Summary {  // Σ w (r − u·v)², Σ |row|², fall of the objective; with alpha: Σ row rowᵀ
    using Element = double;
    std::span<double> sums;
    explicit Summary(std::span<double> memory) : sums(memory) {}
    std::span<double> elements() const { return sums; }
    static void combine(double& into, double from) { into += from; }
    double& error() const { return sums[0]; }
    double& penalty() const { return sums[1]; }
    double& fall() const { return sums[2]; }
    std::span<double> square() const { return sums.subspan(3); }
  };
  /// With alpha: Σ x xᵀ over all rows of the side that is read, as an upper triangle. To be set to
  /// that of the items before the first round.
  std::vector<double> others = {};
  bool began = false;

  template <class Kind>
  std::size_t width(gas::PublishedOf<Kind>) const {
    return rank;
  }
  template <class Kind>
  std::size_t width(gas::AccumulatorOf<Kind>) const {
    return NormalEquations::width(rank);
  }
  std::size_t width(gas::SummaryOf) const {
    return 3 + (alpha ? NormalEquations::triangle(rank) : 0);
  }
  double objective(const auto& last) const {
    return last.parameter().error() + lambda * (last.data().penalty() + last.parameter().penalty());
  }
  void before_step(gas::Step step, const auto& last) {
    const bool first = !std::exchange(began, true);
    if (!alpha || first) return;
    const std::span<const double> read =
        step.is_parameter() ? last.data().square() : last.parameter().square();
    others.assign(read.begin(), read.end());
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& began;
  }

  void init(User&, gas::RowView<float> out, const auto&) const { std::ranges::fill(out, 0.0F); }
  void init(Item&, gas::RowView<float> out, const auto& v) const { draw(v.id(), out); }
  void draw(gas::VertexId item, gas::RowView<float> out) const {
    const gas::Random random = gas::Random(seed).stream(item);
    const float scale = 1 / std::sqrt(static_cast<float>(rank));
    for (std::size_t k = 0; k < rank; ++k) out[k] = scale * random.uniform_float(k);
  }
  bool converged(const auto& last) const {
    const double fall = last.data().fall() + last.parameter().fall();
    return tolerance > 0 && fall <= tolerance * (objective(last) + fall);
  }

  void gather(NormalEquations& all, gas::RowView<const float> row, float rating) const {
    if (!alpha)
      all.add(row, static_cast<double>(rating) - mean);
    else if (rating > 0)
      all.add_beside(row, 1, *alpha * static_cast<double>(rating));
  }
  void apply(User&, NormalEquations& all, gas::RowView<float> out, auto& v) const {
    visit("user", true, all, out, v);
  }
  void apply(Item&, NormalEquations& all, gas::RowView<float> out, auto& v) const {
    visit("item", solves_items, all, out, v);
  }
  void visit(const char* kind, bool solved, const NormalEquations& all, gas::RowView<float> out,
             auto& v) const {
    const double weight = weighted ? v.degree() : 1.0;
    const auto share = [&] { return all.error(out, others) + lambda * weight * squares(out); };
    const double before = share();
    const bool solves = solved && !v.at_rest();
    if (solves && v.degree() == 0) std::ranges::fill(out, 0.0F);
    if (solves && v.degree() > 0 && !all.solve(lambda * weight, others, out, v.scratch()))
      throw gas::RunError(
          fmt::format("the ratings of {} {} (row, from 0) are too large: its factors exceed the "
                      "range of 32-bit floats",
                      kind, v.id()));
    v.summary().error() += all.error(out, others);
    v.summary().penalty() += weight * squares(out);
    v.summary().fall() += before - share();
    if (alpha) NormalEquations::add_square(v.summary().square().data(), out);
  }
  static double squares(gas::RowView<const float> row) {
    double sum = 0;
    for (const double x : row) sum += x * x;
    return sum;
  }
};

}  // namespace gas
