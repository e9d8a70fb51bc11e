#pragma once

#include <Eigen/Core>

namespace gas::tools {

/// The numbers of at least 0, one per column of `terms` (at most 8), whose sums over the columns
/// are nearest to `seen` by relative errors: least squares over each set of columns, of which the
/// best without a number below 0 is taken. `seen` is above 0.
Eigen::VectorXd fit_not_negative(const Eigen::MatrixXd& terms, const Eigen::VectorXd& seen);

}  // namespace gas::tools
