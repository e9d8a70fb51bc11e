#include "programs/logistic_regression/proximal/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gas {
namespace {

/// Along a line: first and second derivative of the model without kinks; and its d·Hd.
struct Along {
  double slope = 0, bend = 0, curvature = 0;
};

/// How far beyond `weights` to go along their `steps`, so that the model becomes less: to the least
/// there would be if no weight changed its sign, or a part of it. 0 if the gain may be rounding.
double stretch_of(std::span<const ModelWeight> weights, std::span<const double> steps,
                  const Along& along) {
  constexpr double rounding = 1e-12;  // of the curvature, with digits to spare
  double slope = along.slope;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double at = weights[i].at(), step = steps[i];
    slope += weights[i].kink * (at == 0 ? std::abs(step) : std::copysign(1, at) * step);
  }
  if (!(slope < 0) || !(along.bend > 0)) return 0;
  double t = std::min(-slope / along.bend, 100.0);  // further goes what is rounding
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (steps[i] != 0)
      t = std::min(t, (weights[i].reach - std::abs(weights[i].d)) / std::abs(steps[i]));
  const auto beyond_zero = [&](double far) {  // what weights that change their sign add
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double at = weights[i].at(), to = at + far * steps[i];
      if (at * to < 0) sum += weights[i].kink * 2 * std::abs(to);
    }
    return sum;
  };
  for (int tries = 0; tries < 4; ++tries, t /= 2)
    if (t * slope + t * t * along.bend / 2 + beyond_zero(t) < -rounding * along.curvature) return t;
  return 0;
}

/// Passes over the weights, each by model.slope(weight), the model's slope there, and
/// model.tell(weight, step), which takes a step to the others; both count the entries they touch.
/// After each second pass it goes on along what the pass did, where that costs less than passes do:
/// where many weights must move together, a pass gets a part of the way only. (After each pass, the
/// two would undo each other's work.)
template <class Model>
DescentReport pass_until(std::span<ModelWeight> weights, const DescentLimit& limit, Model model) {
  std::vector<std::uint32_t> all(weights.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> active = all;
  std::vector<double> steps(weights.size());
  DescentReport report;
  double first = -1;
  int passes = 0;
  double room = INFINITY;  // a weight at zero whose slope is further inside ±kink is passed over
  while (model.touched <= limit.most) {
    double moved = 0, largest = 0;
    std::size_t kept = 0;
    const bool goes_on = limit.stretch && passes % 2 == 1 && model.touched >= passes * model.size();
    ++passes;
    if (goes_on) {
      std::ranges::fill(steps, 0.0);
      model.begin();
    }
    for (const std::uint32_t i : active) {
      ModelWeight& weight = weights[i];
      const double at = model.slope(weight);
      if (weight.at() == 0 && std::abs(at) + room < weight.kink) continue;
      active[kept++] = i;
      const double step = steps[i] = weight.move(at);
      if (step == 0) continue;
      moved += weight.bend * std::abs(step);
      largest = std::max(largest, weight.bend * std::abs(step));
      model.tell(weight, step);
    }
    const bool whole = room == INFINITY;
    active.resize(kept);
    if (first < 0) first = moved;
    if (moved <= limit.share * first && (whole || !limit.look_again)) {
      report.enough = true;
      break;
    }
    room = std::min(largest, 0.1);
    if (moved <= limit.share * first) {
      active = all;
      room = INFINITY;
    }
    if (!goes_on) continue;
    const double t = stretch_of(weights, steps, model.along(weights, steps));
    if (t == 0) continue;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i].d += t * steps[i];
    model.go_on(t);
  }
  report.touched = model.touched;
  return report;
}

class ColumnModel {
 public:
  ColumnModel(const Columns& columns, std::span<ModelRow> rows)
      : columns_(columns), rows_(rows), before_(rows.size()) {}

  double touched = 0;
  double size() const { return static_cast<double>(rows_.size()); }

  double slope(const ModelWeight& weight) {
    const std::uint32_t* const row = columns_.rows.data();
    const float* const x = columns_.values.data();
    const ModelRow* const model = rows_.data();
    const EdgeOffset first = columns_.offsets[weight.column];
    const EdgeOffset last = columns_.offsets[weight.column + 1];
    double even = 0, odd = 0;
    EdgeOffset e = first;
    for (; e + 1 < last; e += 2) {
      even += double{x[e]} * model[row[e]].moved;
      odd += double{x[e + 1]} * model[row[e + 1]].moved;
    }
    if (e < last) even += double{x[e]} * model[row[e]].moved;
    touched += static_cast<double>(last - first);
    return weight.gradient + weight.scale * (even + odd) + weight.more * weight.d;
  }
  void tell(const ModelWeight& weight, double step) {
    const std::uint32_t* const row = columns_.rows.data();
    const float* const x = columns_.values.data();
    ModelRow* const model = rows_.data();
    const EdgeOffset first = columns_.offsets[weight.column];
    const EdgeOffset last = columns_.offsets[weight.column + 1];
    const double scaled = weight.scale * step;
    for (EdgeOffset e = first; e < last; ++e) {
      ModelRow& at = model[row[e]];
      at.moved += at.bend * (scaled * double{x[e]});
    }
    touched += static_cast<double>(last - first);
  }

  /// Before a pass along which along() and go_on() go.
  void begin() {
    for (std::size_t i = 0; i < rows_.size(); ++i) before_[i] = rows_[i].moved;
    touched += size();
  }
  Along along(std::span<const ModelWeight> weights, std::span<const double> steps) const {
    constexpr double least = 1e-290;  // of a bend that division by gives as many digits
    Along along;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!(rows_[i].bend > least)) continue;
      const double change = rows_[i].moved - before_[i], scaled = change / rows_[i].bend;
      along.slope += rows_[i].moved * scaled;
      along.curvature += rows_[i].moved * rows_[i].moved / rows_[i].bend;
      along.bend += change * scaled;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      along.slope += (weights[i].gradient + weights[i].more * weights[i].d) * steps[i];
      along.bend += weights[i].more * steps[i] * steps[i];
    }
    return along;
  }
  void go_on(double t) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      rows_[i].moved += t * (rows_[i].moved - before_[i]);
  }

 private:
  const Columns& columns_;
  std::span<ModelRow> rows_;
  std::vector<double> before_;  // rows' moved, before the pass
};

class MatrixModel {
 public:
  MatrixModel(std::span<const double> hessian, std::span<const ModelWeight> weights)
      : hessian_(hessian), weights_(weights), slopes_(weights.size()), before_(weights.size()) {
    find_slopes();
  }

  double touched = 0;
  double size() const { return static_cast<double>(slopes_.size()); }

  double slope(const ModelWeight& weight) {
    touched += 1;
    return slopes_[weight.column];
  }
  void tell(const ModelWeight& weight, double step) {
    const std::size_t n = slopes_.size();
    const double* const row = hessian_.data() + weight.column * n;
    for (std::size_t k = 0; k < n; ++k) slopes_[k] += row[k] * step;
    touched += static_cast<double>(n);
    if (++told_ % (64 * n) == 0) find_slopes();
  }

  void begin() { before_ = slopes_; }
  Along along(std::span<const ModelWeight> weights, std::span<const double> steps) const {
    Along along;
    for (std::size_t i = 0; i < slopes_.size(); ++i) {
      along.curvature += (slopes_[i] - weights[i].gradient) * weights[i].d;
      along.slope += slopes_[i] * steps[i];
      along.bend += (slopes_[i] - before_[i]) * steps[i];
    }
    return along;
  }
  void go_on(double t) {
    for (std::size_t i = 0; i < slopes_.size(); ++i) slopes_[i] += t * (slopes_[i] - before_[i]);
  }

 private:
  /// What was rounded is put right in both, lest go_on() makes it larger.
  void find_slopes() {
    const std::size_t n = slopes_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double* const row = hessian_.data() + i * n;
      double slope = weights_[i].gradient;
      for (std::size_t k = 0; k < n; ++k) slope += row[k] * weights_[k].d;
      before_[i] += slope - slopes_[i];
      slopes_[i] = slope;
    }
  }

  std::span<const double> hessian_;
  std::span<const ModelWeight> weights_;
  std::vector<double> slopes_, before_;
  std::size_t told_ = 0;  // steps since slopes were made anew, lest rounding adds up
};

}  // namespace

double ModelWeight::move(double slope) {
  const double before = d, centre = bend * at() - slope;
  const double to = centre > kink    ? (centre - kink) / bend
                    : centre < -kink ? (centre + kink) / bend
                                     : 0;
  d = to == 0 ? -w : to - w;
  d = std::clamp(d, -reach, reach);
  return d - before;
}

DescentReport descend(const Columns& columns, std::span<ModelRow> rows,
                      std::span<ModelWeight> weights, const DescentLimit& limit) {
  return pass_until(weights, limit, ColumnModel(columns, rows));
}

DescentReport descend(std::span<const double> hessian, std::span<ModelWeight> weights,
                      const DescentLimit& limit) {
  return pass_until(weights, limit, MatrixModel(hessian, weights));
}

}  // namespace gas
