#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "programs/logistic_regression/logistic_regression.hpp"

namespace gas {

/// What the weights of one cost C say of the examples that were held out, and how they came about.
struct LogisticOfCost {
  double cost = 1;
  double log_loss = 0, accuracy = 0, auc = 0;  // as LogisticScore has them
  std::uint64_t nonzeros = 0;
  std::uint64_t rounds = 0;
  bool converged = false;
};

struct LogisticPath {
  std::vector<LogisticOfCost> tried = {};  // by ascending cost
  double cost = 1;             // the one with the least log-loss held out, the least of equals
  LogisticFit fit = {};        // to all examples at this cost
  std::uint64_t held_out = 0;  // examples
};

/// Logistic regression for each of several costs, the least first; each starts from the weights of
/// the one before, and is judged by the examples that are held out of all: each one with the chance
/// `held_out`, by the seed and its row. Then all examples are learnt from at the chosen cost. Other
/// options are those of one fit; rounds that are told count on. Ends after the cost at which it is
/// interrupted, with its weights. UsageError for costs that are not different numbers above 0, a
/// share that is not between 0 and 1, and with checkpoints; InputError where the examples are too
/// few for both parts. Collective.
LogisticPath logistic_path(const Context& context, const Matrix& examples,
                           std::span<const double> labels, std::span<const double> costs,
                           double held_out, const LogisticRegressionOptions& options = {});

}  // namespace gas
