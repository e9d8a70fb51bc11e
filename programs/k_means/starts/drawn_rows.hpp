#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

/// k distinct rows of n ≥ k, each set alike likely (Floyd's algorithm). Local.
std::vector<VertexId> random_rows(std::uint64_t n, std::uint64_t k, std::uint64_t seed);

/// k distinct rows of at least as many that weigh more than 0: each next one of those left with a
/// chance in proportion to its weight. Collective.
template <class Form>
std::vector<VertexId> weighted_rows(Communicator& comm, const FramedPoints<Form>& points,
                                    std::uint64_t k, std::uint64_t seed);

/// The coordinates of these rows (the same on every rank), in the points' frame, on every rank.
/// Collective.
template <class Form>
std::vector<typename KMeansOf<Form>::Coordinate> coordinates_of(Communicator& comm,
                                                                const FramedPoints<Form>& points,
                                                                std::span<const VertexId> rows);

}  // namespace gas::detail
