#pragma once

#include <cstdint>
#include <vector>

#include "programs/k_means/k_means.hpp"

namespace gas {

/// What mini-batches have made so far: centroids, and what the points that each has taken weigh in
/// all. Alike on all ranks. Empty before the first batch.
struct KMeansOfBatches {
  KMeansModel model = {};
  std::vector<double> weights = {};  // of each centroid
  /// By cosine, the length of the mean of each centroid's directions; the centroid is the direction
  /// of that mean. Empty by Euclidean distances.
  std::vector<double> lengths = {};
  std::uint64_t batches = 0;
  bool wide = false;  // points of some batch were doubles, or taken as doubles
};

/// Of a batch, before it moved centroids.
struct BatchFound {
  std::vector<std::int32_t> labels =
      {};                    // row of the nearest centroid, of each row that this rank gave
  double objective = 0;      // Σ weight · squared distance to it, of all ranks' points; by cosine
                             // Σ weight · (1 − cosine)
  bool interrupted = false;  // while the first batch was clustered
};

/// Mini-batch k-means (Sculley 2010): points that do not fit into memory are handed over batch by
/// batch; the ranks give a share of each, of any number of rows. A batch is assigned to the
/// centroids as they are; then each centroid moves to the mean of all points that it has ever been
/// given, those of this batch with the others: its learning rate is 1 over their number. By cosine
/// it takes the direction of the mean of their directions. Centroids begin at `options.start`, or
/// where k_means of the first batch ends, which then needs at least k points. The same for any
/// number of ranks and threads, bit for bit; memory and time are those of k_means without rounds on
/// a batch. Only `metric`, the same for all batches, `weights`, `seed`, `init`, `start`,
/// `tolerance`, `run.iterations` (of k_means) and `run.interrupted` of the options count. Errors as
/// of k_means. Collective.
BatchFound add_batch(const Context& context, KMeansOfBatches& made, const Points<float>& points,
                     std::uint64_t k, const KMeansOptions& options = {});
BatchFound add_batch(const Context& context, KMeansOfBatches& made, const Points<double>& points,
                     std::uint64_t k, const KMeansOptions& options = {});
BatchFound add_batch(const Context& context, KMeansOfBatches& made, const SparsePoints& points,
                     std::uint64_t k, const KMeansOptions& options = {});

}  // namespace gas
