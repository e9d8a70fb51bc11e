#pragma once

#include <cstddef>
#include <vector>

#include "programs/logistic_regression/newton_search.hpp"

namespace gas {

/// What Newton's method keeps of the weights of a column, by class; `gradient` and `curvature` are
/// those of the loss at w.
struct WeightRows {
  std::vector<double> w, trial, gradient, curvature, residual, direction, step;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& w& trial& gradient& curvature& residual& direction& step;
  }
  void begin(std::size_t classes) {
    for (auto* const row : {&trial, &gradient, &curvature, &residual, &direction, &step})
      row->assign(classes, 0);
    w.resize(classes);
  }
  /// What class k's weight publishes after its visit.
  double next(std::size_t k, const NewtonSearch& search, double slope, double bend,
              NewtonSums& sums) {
    if (search.trying && !search.accepted) return attempt(k, search, sums);
    if (search.trying) {
      w[k] = trial[k];
      gradient[k] = slope;
      curvature[k] = bend;
      residual[k] = -(slope + w[k]);
      direction[k] = step[k] = 0;
    } else {
      direction[k] = residual[k] / (curvature[k] + 1) + search.beta * direction[k];
      step[k] += search.alpha * direction[k];
      residual[k] -= search.alpha * (slope + direction[k]);
      if (search.ending) return attempt(k, search, sums);
    }
    const double r = residual[k], d = direction[k], z = r / (curvature[k] + 1);
    sums.squares += r * r;
    sums.rz += r * z;
    sums.zz += z * z;
    sums.zd += z * d;
    sums.dd += d * d;
    return z;
  }
  /// The weight to try: a step along the direction.
  double attempt(std::size_t k, const NewtonSearch& search, NewtonSums& sums) {
    const double from = w[k];
    trial[k] = from + search.length * step[k];
    sums.penalty += 0.5 * trial[k] * trial[k];
    sums.fall += (gradient[k] + from) * (trial[k] - from);
    return trial[k];
  }
};

}  // namespace gas
