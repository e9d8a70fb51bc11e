#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

/// k distinct rows of n ≥ k, all sets equally likely (Floyd's algorithm). Local.
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

/// The same, each row beginning a cache line.
template <class Form>
Inputs<typename KMeansOf<Form>::Coordinate> rows_of(Communicator& comm,
                                                    const FramedPoints<Form>& points,
                                                    std::span<const VertexId> rows) {
  const auto found = coordinates_of(comm, points, rows);
  Inputs<typename KMeansOf<Form>::Coordinate> coordinates(points.dimensions, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(std::span(found).subspan(i * points.dimensions, points.dimensions),
                      coordinates[i].begin());
  return coordinates;
}

}  // namespace gas::detail
