#include "tools/plan/fit.hpp"

#include <Eigen/QR>
#include <limits>
#include <vector>

namespace gas::tools {

Eigen::VectorXd fit_not_negative(const Eigen::MatrixXd& terms, const Eigen::VectorXd& seen) {
  const Eigen::MatrixXd scaled = seen.cwiseInverse().asDiagonal() * terms;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(seen.size());
  Eigen::VectorXd best = Eigen::VectorXd::Zero(terms.cols());
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1U << terms.cols(); ++set) {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index c = 0; c < terms.cols(); ++c)
      if ((set >> c & 1U) != 0) columns.push_back(c);
    if (static_cast<Eigen::Index>(columns.size()) > seen.size()) continue;
    const Eigen::MatrixXd chosen = scaled(Eigen::all, columns);
    const Eigen::VectorXd found = chosen.colPivHouseholderQr().solve(ones);
    const double error = (chosen * found - ones).squaredNorm();
    // Of sets that are as near, the first, which has the fewest late terms.
    if ((found.array() < 0).any() || error >= least * (1 - 1e-9)) continue;
    least = error;
    best.setZero();
    best(columns) = found;
  }
  return best;
}

}  // namespace gas::tools
