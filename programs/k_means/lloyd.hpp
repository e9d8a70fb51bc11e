#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/calls/call.hpp"
#include "programs/k_means/complete_graph.hpp"
#include "programs/k_means/program.hpp"
#include "programs/k_means/squared_sums.hpp"

namespace gas::detail {

/// One run of k-means. `start` holds K rows, the same on every rank, in the points' frame. All
/// ranks call everything that is not named local.
template <class Form>
class Lloyd {
  using Program = KMeans<Form>;
  using Coordinate = typename Program::Coordinate;

 public:
  Lloyd(Transport& transport, Executor& executor, const FramedPoints<Form>& points,
        const std::vector<Coordinate>& start, double tolerance, bool directions = false)
      : frame_(points.frame),
        unit_(points.unit_of_squares() / (directions ? 2 : 1)),
        points_(points.rows.size()),
        weight_(points.weight),
        clusters_(start.size() / points.dimensions),
        engine_(transport, executor, complete_graph(transport, points, clusters_),
                program_for(transport, points, tolerance, directions)) {
    engine_.local_set_inputs(points.inputs);
    engine_.template local_give<typename Program::Centroid>(
        [&](VertexId row, RowView<Coordinate> out) {
          std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(row * out.size()), out.size(),
                      out.begin());
        });
  }

  /// Rounds until it has converged; tell(RoundTold) of each, with the objective of its assignments.
  /// `before`: those that led to the start; with them `options.iterations` and what is told count.
  template <class Tell>
  Outcome run(RunOptions options, const Outcome& before, Tell tell) {
    engine_.program().in_step = options.staleness.bound == 0;
    progress_ = {before.rounds, 0, 0, before.seconds};
    options.checkpoint.beside = std::as_writable_bytes(std::span(&progress_, 1));
    RunReport done;
    if (!options.checkpoint.folder.empty()) done = engine_.resume(options);
    const std::uint64_t first = progress_.before + done.rounds;
    const double seconds = progress_.seconds;
    options.iterations -= std::min(options.iterations, first);
    const RunReport report = engine_.run(options, [&](const auto& round) {
      progress_.reseeded += round.summaries.data().reseeded;
      progress_.seconds = seconds + round.seconds;
      tell(RoundTold{first + round.round, progress_.seconds, in_units(round.summaries.data())});
    });
    progress_.rounds = done.rounds + report.rounds;
    ran_ = report.rounds > 0;
    lagged_ = options.staleness.bound > 0;
    return {first + report.rounds, report.converged, report.interrupted, seconds + report.seconds};
  }

  /// Ends the run: assigns all points to the centroids as they are now. Where the last round moved
  /// no point, and nobody lagged, they are what it was measured with, and nothing is done.
  void close() {
    if (ran_ && engine_.last().data().moved == 0 && !lagged_) return;
    engine_.run_at_rest();
  }

  /// After close(): Σ weight · squared distance, in the data's own units; of directions half of it,
  /// Σ weight · (1 − cosine).
  double objective() const { return in_units(engine_.last().data()); }
  std::uint64_t empty() const { return engine_.last().parameter().empty; }
  std::uint64_t reseeded() const { return progress_.reseeded; }
  RankReport local_report() const { return engine_.local_report(); }

  /// The row of the centroid of each of this rank's points, in the order of their rows.
  std::vector<std::int32_t> local_labels() {
    std::vector<std::int32_t> labels;
    labels.reserve(points_);
    engine_.template local_for_each<typename Program::Point>([&](VertexId, const auto& point) {
      labels.push_back(static_cast<std::int32_t>(point.nearest));
    });
    return labels;
  }
  /// Which of this rank's points, in the order of their rows, may have another nearest centroid, as
  /// their coordinates and those of centroids are rounded.
  std::vector<std::size_t> local_unsure() {
    std::vector<std::size_t> unsure;
    std::size_t i = 0;
    engine_.template local_for_each<typename Program::Point>([&](VertexId, const auto& point) {
      if (point.bounds.unsure != 0) unsure.push_back(i);
      ++i;
    });
    return unsure;
  }
  /// The share of all points, by weight, whose squared distance in the frame is below this.
  double share_within(Communicator& comm, double squares) {
    ExactSum near;
    engine_.template local_for_each<typename Program::Point>([&](VertexId, const auto& point) {
      if (static_cast<double>(point.distance) < squares * static_cast<double>(point.weight))
        near += point.weight;
    });
    return sum_of(comm, near) / weight_;
  }
  /// All centroids, row after row, in the data's own units, on every rank.
  std::vector<double> centroids(Communicator& comm) {
    const std::size_t width = engine_.program().dimensions;
    std::vector<double> all(clusters_ * width);
    const auto row_of = [&](std::size_t row) { return std::span(all).subspan(row * width, width); };
    std::vector<VertexId> own;
    engine_.template local_for_each_published<typename Program::Centroid>(
        [&](VertexId row, RowView<const Coordinate> at) {
          own.push_back(row);
          for (std::size_t d = 0; d < at.size(); ++d)
            row_of(row)[d] = frame_.outward(static_cast<double>(at[d]), d);
        });
    if (comm.size() == 1) return all;
    // A few rows of each rank at a time, so that there is no second copy of all.
    const auto rows = all_gather(comm, std::span<const VertexId>(own));
    std::size_t most = 0;
    for (const auto& of_rank : rows) most = std::max(most, of_rank.size());
    const std::size_t step =
        std::max<std::size_t>(1, (std::size_t{1} << 16) / std::max(width, 1UL));
    std::vector<double> piece;
    for (std::size_t first = 0; first < most; first += step) {
      piece.clear();
      for (std::size_t i = first; i < std::min(own.size(), first + step); ++i)
        piece.insert(piece.end(), row_of(own[i]).begin(), row_of(own[i]).end());
      const auto told = all_gather(comm, std::span<const double>(piece));
      for (std::size_t rank = 0; rank < rows.size(); ++rank)
        for (std::size_t i = first; i < std::min(rows[rank].size(), first + step); ++i)
          std::ranges::copy(told[rank].subspan((i - first) * width, width),
                            row_of(rows[rank][i]).begin());
    }
    return all;
  }

 private:
  double in_units(const typename Program::Summary& summary) const {
    return summary.objective.value() * unit_;
  }

  static Program program_for(Communicator& comm, const FramedPoints<Form>& points, double tolerance,
                             bool directions) {
    std::vector<double> largest = points.largest, scales(points.dimensions);
    for (const auto& block : all_gather(comm, std::span<const double>(largest)))
      for (std::size_t d = 0; d < points.dimensions; ++d)
        largest[d] = std::max(largest[d], block[d]);
    const auto weight = static_cast<std::uint64_t>(std::ceil(points.weight));
    for (std::size_t d = 0; d < points.dimensions; ++d)
      scales[d] = RunningRowSum::scale_for(largest[d], weight);
    Program program;
    program.of = points.of;
    program.directions = directions;
    if (points.weighted) program.weight_scale = RunningRowSum::scale_for(1, weight);
    program.dimensions = points.dimensions;
    program.scales = std::make_shared<const std::vector<double>>(std::move(scales));
    program.tolerance = tolerance;
    // Coordinates and means are rounded by 2^-25 (2^-54 in double) at most: what is nearer cannot
    // be told apart.
    program.least_gain = static_cast<float>(points.dimensions) *
                         (std::is_same_v<Coordinate, float> ? 0x1.0p-48F : 0x1.0p-106F);
    if constexpr (Program::Of::sparse) program.least_gain = sparse_gain(comm, points);
    return program;
  }

  /// Of sparse points squared lengths are rounded, which distances are differences of.
  static float sparse_gain(Communicator& comm, const FramedPoints<Form>& points) {
    double squares = 0;
    for (std::size_t i = 0; i < points.rows.size(); ++i)
      squares = std::max(squares, SparseInput::in((*points.inputs)[i]).squares);
    return static_cast<float>(all_max(comm, squares)) * 0x1.0p-40F;
  }

  Frame frame_;
  double unit_;         // of the objective
  std::size_t points_;  // of this rank
  double weight_;       // of all ranks' points
  std::size_t clusters_;
  struct Progress {
    std::uint64_t before = 0, rounds = 0;  // that led to the start; since then
    std::uint64_t reseeded = 0;
    double seconds = 0;  // of all
  } progress_;
  bool ran_ = false;  // a round, and not only before the checkpoint that this goes on from
  bool lagged_ = false;
  Engine<Program> engine_;
};

}  // namespace gas::detail
