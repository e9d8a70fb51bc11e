// Logistic regression by L-BFGS: its loss and gradient are a map_reduce.
//
//     mpirun -n 4 lbfgs POINTS
//
// reads rows of numbers, the first of each a label 0 or 1, and prints a weight per further column.
#include <fmt/format.h>

#include <Eigen/Core>

#include "gas/gas.hpp"
#include "gas/l_bfgs.hpp"
#include "loaders/load_points.hpp"

using Eigen::VectorXd, Eigen::Index;

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    const gas::Context context(ranks);
    const auto points = gas::loaders::load_points(ranks, argc > 1 ? argv[1] : "-");
    const Index d = Index(points.columns) - 1, rows = Index(points.values.size()) / (d + 1);
    using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> all(points.values.data(), rows, d + 1);  // of this rank
    const auto slices = std::views::iota(Index{0}, (rows + 255) / 256);
    const auto loss = [&](const VectorXd& w, VectorXd& gradient) {
      const VectorXd sum = gas::map_reduce(context, slices, [&](Index i) -> VectorXd {
        const Index count = std::min(Index{256}, rows - 256 * i);
        const Eigen::MatrixXd slice = all.middleRows(256 * i, count).cast<double>();
        const Eigen::ArrayXd sign = 2 * slice.col(0).array() - 1;
        const Eigen::ArrayXd odds = (-sign * (slice.rightCols(d) * w).array()).exp();
        const VectorXd slopes = -sign * odds / (1 + odds);
        return (VectorXd(1 + d) << odds.log1p().sum(), slice.rightCols(d).transpose() * slopes)
            .finished();
      });
      gradient = sum.tail(d) + w;  // and the penalty |w|²/2
      return sum[0] + w.squaredNorm() / 2;
    };
    const VectorXd w = gas::l_bfgs(loss, VectorXd::Zero(d), {.tolerance = 1e-8}).point();
    for (Index i = 0; ranks.rank() == 0 && i < d; ++i) fmt::print("{} {:.9f}\n", i + 1, w[i]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
