#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "programs/logistic_regression/log_product.hpp"

namespace gas {

/// Examples whose loss costs alike: those of the smaller label, those of the larger, and those that
/// are left out, whose loss costs nothing.
constexpr std::size_t example_groups = 3;
constexpr std::uint32_t left_out = 2;

/// What the loss of an example costs, by its group.
using GroupCosts = std::array<double, example_groups>;

/// Σ log(1 + exp(−margin)) of some examples.
struct LossSum {
  double below = 0;  // how far margins are below 0
  LogProduct odds;   // Π 1 + exp(−|margin|)

  /// `odds`: exp(−|margin|).
  void add(double margin, double of_margin) {
    below += margin < 0 ? -margin : 0;
    odds.multiply_one_plus(of_margin);
  }
  LossSum& operator+=(const LossSum& other) {
    below += other.below, odds += other.odds;
    return *this;
  }
  double value() const { return below + odds.log(); }
};

/// The same by group.
struct GroupLosses {
  std::array<LossSum, example_groups> of = {};

  GroupLosses& operator+=(const GroupLosses& other) {
    for (std::size_t group = 0; group < of.size(); ++group) of[group] += other.of[group];
    return *this;
  }
  double cost(const GroupCosts& costs) const {
    double sum = 0;
    for (std::size_t group = 0; group < left_out; ++group) sum += costs[group] * of[group].value();
    return sum;
  }
};

}  // namespace gas
