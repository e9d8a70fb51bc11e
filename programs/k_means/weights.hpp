#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/base/random.hpp"
#include "programs/calls/points.hpp"
#include "programs/k_means/placed.hpp"
#include "programs/k_means/squared_sums.hpp"

namespace gas::detail {

/// No positive weight may be a smaller share of the sum of all: fixed point tells lesser ones apart
/// too coarsely for means as good as floats.
constexpr double least_weight_share = 0x1p-40;
constexpr const char* weights_name = "the weights";  // in messages

/// The weights of this rank's share: on all ranks, or on none. InputError if they are not one
/// finite number of at least 0 per row. → Are there any? Collective.
inline bool check_weights(Communicator& comm, const PointShares& shares,
                          std::span<const double> share) {
  if (all_max(comm, share.empty() ? 0 : 1) == 0) return false;
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::uint64_t rows = shares.first[rank + 1] - shares.first[rank];
  together(comm, [&] {
    if (share.size() != rows)
      throw located_error(weights_name, 0, 0, fmt::format("{} numbers", share.size()),
                          fmt::format("one for each of {} points", rows));
    const auto bad = std::ranges::find_if(
        share, [](double weight) { return !(weight >= 0) || std::isinf(weight); });
    if (bad != share.end())
      throw located_error(
          weights_name, 0, 0,
          fmt::format("{} of row {} (from 0)", *bad,
                      shares.first[rank] + static_cast<std::uint64_t>(bad - share.begin())),
          "a finite number of at least 0");
  });
  return true;
}

/// Checked weights, where the points are placed. InputError as check_weights, and for sums that
/// hold too little or too much. Collective.
inline Weights weigh(Communicator& comm, const PointShares& shares, std::span<const double> share,
                     const std::vector<int>* rank_of) {
  Weights weights{.sum = static_cast<double>(shares.rows()), .positive = shares.rows()};
  if (!check_weights(comm, shares, share)) return weights;
  weights.given = true;
  double largest = 0, least = std::numeric_limits<double>::max();
  std::uint64_t positive = 0;
  for (const double weight : share)
    if (weight > 0) {
      ++positive;
      largest = std::max(largest, weight);
      least = std::min(least, weight);
    }
  largest = all_max(comm, largest);
  least = all_min(comm, least);
  weights.positive = all_sum(comm, positive);
  together(comm, [&] {
    if (largest == 0)
      throw located_error(weights_name, 0, 0, "0 as every weight", "at least one above 0");
  });
  weights.alike = weights.positive == shares.rows() && least == largest;
  weights.exponent = std::ilogb(largest) + 1;
  const auto placed = place<double>(comm, {1, shares.first}, share, rank_of);
  ExactSum sum;
  for (const double weight : placed.values()) {
    weights.each.push_back(std::ldexp(weight, -weights.exponent));
    add(sum, weights.each.back());
  }
  weights.sum = sum_of(comm, sum);
  together(comm, [&] {
    if (std::ldexp(least, -weights.exponent) < least_weight_share * weights.sum)
      throw located_error(weights_name, 0, 0,
                          fmt::format("the weight {} where all add up to {}", least,
                                      std::ldexp(weights.sum, weights.exponent)),
                          "0, or at least 2^-40 of the sum");
  });
  return weights;
}

/// A number that says which weights these are, alike on all ranks and for every placement.
/// Collective.
inline std::uint64_t fingerprint(Communicator& comm, const Weights& weights,
                                 std::span<const VertexId> rows) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < weights.each.size(); ++i)
    sum += Random(rows[i]).bits(std::bit_cast<std::uint64_t>(weights.each[i]));
  return all_sum(comm, sum) + static_cast<std::uint64_t>(weights.exponent);
}

}  // namespace gas::detail
