#include "programs/logistic_regression/proximal/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gas {
namespace {

/// Passes over the weights by `slope(weight)`, the model's slope there, and `tell(weight, step)`,
/// which takes a step to the others; both return how many entries they touched.
template <class Slope, class Tell>
DescentReport pass_until(std::span<ModelWeight> weights, const DescentLimit& limit, Slope slope,
                         Tell tell) {
  std::vector<std::uint32_t> all(weights.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> active = all;
  DescentReport report;
  double first = -1;
  double room = INFINITY;  // a weight at zero whose slope is further inside ±1 is passed over
  while (report.touched <= limit.most) {
    double moved = 0, largest = 0;
    std::size_t kept = 0;
    for (const std::uint32_t i : active) {
      ModelWeight& weight = weights[i];
      const double at = slope(weight, report.touched);
      if (weight.at() == 0 && std::abs(at) + room < 1) continue;
      active[kept++] = i;
      const double step = weight.move(at);
      if (step == 0) continue;
      moved += weight.bend * std::abs(step);
      largest = std::max(largest, weight.bend * std::abs(step));
      tell(weight, step, report.touched);
    }
    const bool whole = room == INFINITY && kept == weights.size();
    active.resize(kept);
    if (first < 0) first = moved;
    if (moved > limit.share * first) {
      room = std::min(largest, 0.1);
    } else if (whole || !limit.look_again) {
      report.enough = true;
      break;
    } else {
      active = all;
      room = INFINITY;
    }
  }
  return report;
}

}  // namespace

double ModelWeight::move(double slope) {
  const double before = d, centre = bend * at() - slope;
  const double to = centre > 1 ? (centre - 1) / bend : centre < -1 ? (centre + 1) / bend : 0;
  d = to == 0 ? -w : to - w;
  d = std::clamp(d, -reach, reach);
  return d - before;
}

DescentReport descend(const Columns& columns, std::span<ModelRow> rows,
                      std::span<ModelWeight> weights, const DescentLimit& limit) {
  const std::uint32_t* const row = columns.rows.data();
  const float* const x = columns.values.data();
  ModelRow* const model = rows.data();
  const auto slope = [=, &columns](const ModelWeight& weight, double& touched) {
    const EdgeOffset first = columns.offsets[weight.column];
    const EdgeOffset last = columns.offsets[weight.column + 1];
    double even = 0, odd = 0;
    EdgeOffset e = first;
    for (; e + 1 < last; e += 2) {
      even += double{x[e]} * model[row[e]].moved;
      odd += double{x[e + 1]} * model[row[e + 1]].moved;
    }
    if (e < last) even += double{x[e]} * model[row[e]].moved;
    touched += static_cast<double>(last - first);
    return weight.gradient + weight.scale * (even + odd) + weight.more * weight.d;
  };
  const auto tell = [=, &columns](const ModelWeight& weight, double step, double& touched) {
    const EdgeOffset first = columns.offsets[weight.column];
    const EdgeOffset last = columns.offsets[weight.column + 1];
    const double scaled = weight.scale * step;
    for (EdgeOffset e = first; e < last; ++e) {
      ModelRow& at = model[row[e]];
      at.moved += at.bend * (scaled * double{x[e]});
    }
    touched += static_cast<double>(last - first);
  };
  return pass_until(weights, limit, slope, tell);
}

DescentReport descend(std::span<const double> hessian, std::span<ModelWeight> weights,
                      const DescentLimit& limit) {
  const std::size_t n = weights.size();
  std::vector<double> slopes(n);
  std::size_t told = 0;  // steps since slopes were made anew, lest rounding adds up
  const auto find_slopes = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      const double* const row = hessian.data() + i * n;
      slopes[i] = weights[i].gradient;
      for (std::size_t k = 0; k < n; ++k) slopes[i] += row[k] * weights[k].d;
    }
  };
  find_slopes();
  const auto slope = [&](const ModelWeight& weight, double& touched) {
    touched += 1;
    return slopes[weight.column];
  };
  const auto tell = [&](const ModelWeight& weight, double step, double& touched) {
    const double* const row = hessian.data() + weight.column * n;
    if (++told % (64 * n) == 0) return find_slopes();
    for (std::size_t k = 0; k < n; ++k) slopes[k] += row[k] * step;
    touched += static_cast<double>(n);
  };
  return pass_until(weights, limit, slope, tell);
}

}  // namespace gas
