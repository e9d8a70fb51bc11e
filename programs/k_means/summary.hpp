#pragma once

#include <compare>
#include <cstdint>

#include "gas/base/types.hpp"
#include "gas/program/members.hpp"
#include "programs/k_means/exact_sum.hpp"
#include "programs/k_means/least.hpp"

namespace gas {

/// A point that would gain so much from a centroid of its own; those that gain most come first.
struct FarPoint {
  float gain = 0;
  VertexId row = 0;
  bool operator<(const FarPoint& other) const {
    return gain > other.gain || (gain == other.gain && row < other.row);
  }
};

struct VacantCentroid {
  std::uint32_t row = none;
  auto operator<=>(const VacantCentroid&) const = default;
};

/// What a round of k-means tells: that of points, and of centroids.
struct KMeansSummary {
  ExactSum objective;  // Σ squared distance to the centroids that the points were given to
  ExactSum before;     // unless in_step: the same of the visits before, at first 0
  std::uint64_t moved = 0, reseeded = 0, empty = 0;
  Least<FarPoint, 8> far;           // points that would gain most from a centroid of their own
  Least<VacantCentroid, 8> vacant;  // centroids without points
  KMeansSummary& operator+=(const KMeansSummary& other) {
    objective += other.objective;
    before += other.before;
    moved += other.moved;
    reseeded += other.reseeded;
    empty += other.empty;
    far += other.far;
    vacant += other.vacant;
    return *this;
  }
};

}  // namespace gas
