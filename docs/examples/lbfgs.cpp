// Logistic regression by L-BFGS (Nocedal 1980): its loss and gradient are a map_reduce.
//
//     mpirun -n 4 lbfgs POINTS
//
// reads rows of numbers, the first of each a label 0 or 1, and prints a weight per further column.
#include <fmt/format.h>

#include <Eigen/Core>
#include <deque>

#include "gas/gas.hpp"
#include "loaders/load_points.hpp"

using Eigen::VectorXd, Eigen::Index;

/// Where the smooth convex function f is least. f(x) is its value at x, followed by its gradient:
/// the same on all ranks, so that they all go the same way.
VectorXd minimise(auto f, VectorXd x, double tolerance = 1e-8, std::size_t memory = 10) {
  struct Pair {
    VectorXd step, change;  // of x, and of the gradient
    double product;         // step · change
  };
  std::deque<Pair> pairs;
  VectorXd at = f(x);
  while (at.tail(x.size()).norm() > tolerance) {
    VectorXd way = -at.tail(x.size());  // becomes −H g, H an inverse Hessian made of the pairs
    std::vector<double> along;
    for (auto p = pairs.rbegin(); p != pairs.rend(); ++p) {
      along.push_back(p->step.dot(way) / p->product);
      way -= along.back() * p->change;
    }
    if (!pairs.empty()) way *= pairs.back().product / pairs.back().change.squaredNorm();
    for (const Pair& p : pairs) {
      way += (along.back() - p.change.dot(way) / p.product) * p.step;
      along.pop_back();
    }
    VectorXd next = f(x + way);
    while (!(next[0] <= at[0] + 1e-4 * way.dot(at.tail(x.size()))))  // not far enough down: Armijo
      next = f(x + (way /= 2));
    const VectorXd change = (next - at).tail(x.size());
    if (!(way.dot(change) > 0)) break;  // what is left is rounding
    pairs.push_back({way, change, way.dot(change)});
    if (pairs.size() > memory) pairs.pop_front();
    x += way;
    at = next;
  }
  return x;
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    const gas::Context context(ranks);
    const auto points = gas::loaders::load_points(ranks, argc > 1 ? argv[1] : "-");
    const Index d = Index(points.columns) - 1, rows = Index(points.values.size()) / (d + 1);
    using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> all(points.values.data(), rows, d + 1);  // of this rank
    const auto slices = std::views::iota(Index{0}, (rows + 255) / 256);
    const auto loss = [&](const VectorXd& w) -> VectorXd {
      VectorXd sum = gas::map_reduce(context, slices, [&](Index i) -> VectorXd {
        const Index count = std::min(Index{256}, rows - 256 * i);
        const Eigen::MatrixXd slice = all.middleRows(256 * i, count).cast<double>();
        const Eigen::ArrayXd sign = 2 * slice.col(0).array() - 1;
        const Eigen::ArrayXd odds = (-sign * (slice.rightCols(d) * w).array()).exp();
        const VectorXd slopes = -sign * odds / (1 + odds);
        return (VectorXd(1 + d) << odds.log1p().sum(), slice.rightCols(d).transpose() * slopes)
            .finished();
      });
      return sum +
             (VectorXd(1 + d) << w.squaredNorm() / 2, w).finished();  // and the penalty |w|²/2
    };
    const VectorXd w = minimise(loss, VectorXd::Zero(d));
    for (Index i = 0; ranks.rank() == 0 && i < d; ++i) fmt::print("{} {:.9f}\n", i + 1, w[i]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
