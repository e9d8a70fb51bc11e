#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "programs/k_means/program.hpp"
#include "programs/k_means/seeding.hpp"

/// From points to clusters: hands points and starts over to the programs KMeans and KMeansSeeding,
/// and reads back what they found. All ranks call everything that is not named local.
namespace clustering {

/// Where the coordinates' origin lies and in units of what they count: exponents of 2, so that no
/// coordinate's magnitude is above 1. Scaling by a power of two is exact, and squares neither
/// overflow nor vanish.
struct Frame {
  std::vector<double> centre = {};  // by dimension; empty: 0
  int exponent = 0;

  double unit() const { return std::ldexp(1.0, exponent); }
  double inward(double x, std::size_t d) const {
    return std::ldexp(centre.empty() ? x : x - centre[d], -exponent);
  }
  double outward(double x, std::size_t d) const {
    return centre.empty() ? x * unit() : centre[d] + x * unit();
  }
};

/// Points on their ranks, in the data's own units: row after row.
template <class Value>
struct Placed {
  std::uint64_t count = 0;  // on all ranks
  std::size_t dimensions = 0;
  std::vector<gas::VertexId> rows;  // ascending
  std::vector<Value> values;
};

/// The points of one rank in a Frame, as Real.
template <class Real = float>
struct Points {
  std::uint64_t count = 0;  // on all ranks
  std::size_t dimensions = 0;
  Frame frame;
  std::vector<gas::VertexId> rows;  // ascending
  std::shared_ptr<gas::Inputs<Real>> inputs;
};

/// The frame of all ranks' points and of starts, which are alike on all. Coordinates in doubles are
/// seen from the middle of each dimension's range, so that floats tell apart what lies far from 0.
template <class Value>
Frame frame_for(gas::Communicator& comm, std::size_t dimensions, std::span<const Value> points,
                std::span<const Value> starts) {
  Frame frame;
  double largest = 0;
  if constexpr (std::is_same_v<Value, double>) {
    constexpr double none = std::numeric_limits<double>::infinity();
    std::vector<double> ends(2 * dimensions, -none);  // −least and most of each dimension
    for (const auto values : {points, starts})
      for (std::size_t i = 0; i < values.size(); ++i) {
        double* const end = ends.data() + 2 * (i % dimensions);
        end[0] = std::max(end[0], -values[i]);
        end[1] = std::max(end[1], values[i]);
      }
    for (const auto& block : gas::all_gather(comm, std::span<const double>(ends)))
      for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = std::max(ends[i], block[i]);
    for (std::size_t d = 0; d < dimensions; ++d) {
      frame.centre.push_back(ends[2 * d + 1] / 2 - ends[2 * d] / 2);
      largest =
          std::max({largest, ends[2 * d] + frame.centre[d], ends[2 * d + 1] - frame.centre[d]});
    }
  } else {
    for (const auto values : {points, starts})
      for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
    largest = gas::all_max(comm, largest);
  }
  frame.exponent = largest > 0 ? std::max(std::ilogb(largest) + 1, -1000) : 0;
  return frame;
}

/// Sends the points of this rank's BlockDistribution, row after row in `home_values`, to their
/// ranks:
/// (*rank_of)[i] for the i-th; null on all ranks: they stay.
template <class Value>
Placed<Value> place(gas::Communicator& comm, std::uint64_t count, std::size_t dimensions,
                    std::vector<Value> home_values, const std::vector<int>* rank_of) {
  const gas::BlockDistribution blocks{count, comm.size()};
  Placed<Value> placed{count, dimensions, {}, {}};
  const std::uint64_t first = blocks.first(comm.rank());
  if (rank_of == nullptr) {
    for (std::uint64_t i = 0; i < blocks.count(comm.rank()); ++i)
      placed.rows.push_back(gas::to_vertex_id(first + i));
    placed.values = std::move(home_values);
    return placed;
  }
  std::vector<std::vector<gas::VertexId>> rows(static_cast<std::size_t>(comm.size()));
  std::vector<std::vector<Value>> coordinates(rows.size());
  for (std::size_t i = 0; i < rank_of->size(); ++i) {
    const auto to = static_cast<std::size_t>((*rank_of)[i]);
    rows[to].push_back(gas::to_vertex_id(first + i));
    const Value* x = home_values.data() + i * dimensions;
    coordinates[to].insert(coordinates[to].end(), x, x + dimensions);
  }
  // By rank, so by block: the rows arrive in ascending order.
  for (const auto& block : gas::all_to_all(comm, rows))
    placed.rows.insert(placed.rows.end(), block.begin(), block.end());
  for (const auto& block : gas::all_to_all(comm, coordinates))
    placed.values.insert(placed.values.end(), block.begin(), block.end());
  return placed;
}

/// The points as Real in this frame (local).
template <class Real, class Value>
Points<Real> points_in(const Frame& frame, const Placed<Value>& placed) {
  const std::size_t dimensions = placed.dimensions;
  Points<Real> points{placed.count, dimensions, frame, placed.rows, nullptr};
  points.inputs = std::make_shared<gas::Inputs<Real>>(dimensions, placed.rows.size());
  const double scale = std::ldexp(1.0, -frame.exponent);
  for (std::size_t i = 0; i < placed.rows.size(); ++i)
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto x = static_cast<double>(placed.values[i * dimensions + d]);
      (*points.inputs)[i][d] =
          static_cast<Real>((frame.centre.empty() ? x : x - frame.centre[d]) * scale);
    }
  return points;
}

/// Adds a number of at least 0 to 2^-47 of it.
inline void add(gas::ExactSum& sum, double x) {
  auto high = static_cast<float>(x);
  if (static_cast<double>(high) > x) high = std::nextafter(high, 0.0F);
  sum += high;
  sum += static_cast<float>(x - static_cast<double>(high));
}

/// Of all ranks.
inline double sum_of(gas::Communicator& comm, const gas::ExactSum& mine) {
  gas::ExactSum sum;
  for (const gas::ExactSum& one : gas::all_gather(comm, mine)) sum += one;
  return sum.value();
}

/// The graph of these points and `parameters` parameter vertices that all ranks mirror.
template <class Real>
std::shared_ptr<const gas::LocalGraph> complete_graph(const gas::Communicator& comm,
                                                      const Points<Real>& points,
                                                      std::uint64_t parameters) {
  auto graph = std::make_shared<gas::LocalGraph>();
  graph->bipartite = true;
  graph->owner = gas::unshared_layout(points.count, points.rows);
  graph->parameter = gas::replicated_layout(comm, parameters);
  return graph;
}

/// k distinct rows of n ≥ k, each set alike likely (Floyd's algorithm).
inline std::vector<gas::VertexId> random_rows(std::uint64_t n, std::uint64_t k,
                                              std::uint64_t seed) {
  const gas::Random random = gas::Random(seed).stream(0x72616e646f6dU);
  std::set<gas::VertexId> chosen;
  std::vector<gas::VertexId> rows;
  for (std::uint64_t j = n - k; j < n; ++j) {
    const gas::VertexId row = gas::to_vertex_id(random.below(j + 1, j));
    rows.push_back(chosen.insert(row).second ? row : gas::to_vertex_id(j));
    chosen.insert(rows.back());
  }
  return rows;
}

/// k rows by k-means++; if it is interrupted the rest is drawn at random.
template <class Real>
std::vector<gas::VertexId> spread_rows(gas::Transport& transport, gas::Executor& executor,
                                       const Points<Real>& points, std::uint64_t k,
                                       std::uint64_t seed, std::function<bool()> interrupted = {}) {
  using Program = gas::KMeansSeeding<Real>;
  Program program;
  program.dimensions = points.dimensions;
  gas::Engine<Program> engine(transport, executor, complete_graph(transport, points, 1), program,
                              seed);
  engine.local_set_inputs(points.inputs);
  engine.template local_give<typename Program::Point>([](gas::VertexId) { return gas::none; });
  // Where no point is, so that the first start differs from it.
  engine.template local_give<typename Program::Start>(
      [](gas::VertexId, gas::RowView<Real> out) { std::ranges::fill(out, Real{2}); });
  std::vector<gas::VertexId> rows;
  engine.run({.iterations = 2 * k - 1, .interrupted = std::move(interrupted)},
             [&](const auto& report) {
               if (Program::draws(report.round)) rows.push_back(report.summaries.data().pick());
             });
  for (const gas::VertexId row : random_rows(points.count, k - rows.size(), seed))
    rows.push_back(row);
  return rows;
}

/// The coordinates of these rows (the same on every rank), in the points' units, on every rank.
template <class Real>
std::vector<Real> coordinates_of(gas::Communicator& comm, const Points<Real>& points,
                                 std::span<const gas::VertexId> rows) {
  std::vector<std::uint64_t> places;
  std::vector<Real> mine;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = std::ranges::lower_bound(points.rows, rows[i]);
    if (at == points.rows.end() || *at != rows[i]) continue;
    places.push_back(i);
    const auto x = (*points.inputs)[static_cast<std::size_t>(at - points.rows.begin())];
    mine.insert(mine.end(), x.begin(), x.end());
  }
  std::vector<Real> found(rows.size() * points.dimensions);
  const auto all_places = gas::all_gather(comm, std::span<const std::uint64_t>(places));
  const auto all_values = gas::all_gather(comm, std::span<const Real>(mine));
  for (std::size_t rank = 0; rank < all_places.size(); ++rank)
    for (std::size_t i = 0; i < all_places[rank].size(); ++i)
      std::copy_n(
          all_values[rank].begin() + static_cast<std::ptrdiff_t>(i * points.dimensions),
          points.dimensions,
          found.begin() + static_cast<std::ptrdiff_t>(all_places[rank][i] * points.dimensions));
  return found;
}

/// One run of k-means. `start` holds K rows, the same on every rank, in the points' frame.
template <class Real>
class Lloyd {
  using Program = gas::KMeans<Real>;

 public:
  Lloyd(gas::Transport& transport, gas::Executor& executor, const Points<Real>& points,
        const std::vector<Real>& start, double tolerance)
      : frame_(points.frame),
        engine_(transport, executor,
                complete_graph(transport, points, start.size() / points.dimensions),
                program_for(transport, points, tolerance)) {
    engine_.local_set_inputs(points.inputs);
    engine_.template local_give<typename Program::Centroid>(
        [&](gas::VertexId row, gas::RowView<Real> out) {
          std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(row * out.size()), out.size(),
                      out.begin());
        });
  }

  /// Rounds until it has converged; on_round(round, objective of the assignments of that round).
  template <class OnRound>
  gas::RunReport run(const gas::RunOptions& options, OnRound on_round) {
    const gas::RunReport report = engine_.run(options, [&](const auto& round) {
      reseeded_ += round.summaries.data().reseeded;
      on_round(round.round, in_units(round.summaries.data()));
    });
    rounds_ += report.rounds;
    lagged_ = options.staleness.bound > 0;
    return report;
  }

  /// Ends the run: assigns all points to the centroids as they are now. Where the last round moved
  /// no point, and nobody lagged, they are what it was measured with, and nothing is done.
  void close() {
    if (rounds_ > 0 && engine_.last().data().moved == 0 && !lagged_) return;
    engine_.run_at_rest();
  }

  /// After close(): Σ squared distance, in the data's own units.
  double objective() const { return in_units(engine_.last().data()); }
  std::uint64_t empty() const { return engine_.last().parameter().empty; }
  std::uint64_t reseeded() const { return reseeded_; }
  gas::RankReport local_report() const { return engine_.local_report(); }

  /// f(row of the point, row of its centroid), f(row of the centroid, coordinates in the data's
  /// units), of this rank.
  template <class F>
  void local_assignments(F f) {
    engine_.template local_for_each<typename Program::Point>(
        [&](gas::VertexId row, const auto& point) { f(row, point.nearest); });
  }
  template <class F>
  void local_centroids(F f) const {
    std::vector<double> own;
    engine_.template local_for_each_published<typename Program::Centroid>(
        [&](gas::VertexId row, gas::RowView<const Real> at) {
          own.clear();
          for (std::size_t d = 0; d < at.size(); ++d)
            own.push_back(frame_.outward(static_cast<double>(at[d]), d));
          f(row, std::span<const double>(own));
        });
  }

 private:
  double in_units(const typename Program::Summary& summary) const {
    return summary.objective.value() * frame_.unit() * frame_.unit();
  }

  static Program program_for(gas::Communicator& comm, const Points<Real>& points,
                             double tolerance) {
    std::vector<Real> largest(points.dimensions, Real{0});
    for (std::size_t i = 0; i < points.rows.size(); ++i)
      for (std::size_t d = 0; d < points.dimensions; ++d)
        largest[d] = std::max(largest[d], std::abs((*points.inputs)[i][d]));
    std::vector<double> scales(points.dimensions);
    for (const auto& block : gas::all_gather(comm, std::span<const Real>(largest)))
      for (std::size_t d = 0; d < points.dimensions; ++d)
        largest[d] = std::max(largest[d], block[d]);
    for (std::size_t d = 0; d < points.dimensions; ++d)
      scales[d] = gas::RunningRowSum::scale_for(static_cast<double>(largest[d]), points.count);
    Program program;
    program.dimensions = points.dimensions;
    program.scales = std::make_shared<const std::vector<double>>(std::move(scales));
    program.tolerance = tolerance;
    // Coordinates and means are rounded by 2^-25 (2^-54 in double) at most: what is nearer cannot
    // be told apart.
    program.least_gain = static_cast<float>(points.dimensions) *
                         (std::is_same_v<Real, float> ? 0x1.0p-48F : 0x1.0p-106F);
    return program;
  }

  Frame frame_;
  std::uint64_t rounds_ = 0, reseeded_ = 0;
  bool lagged_ = false;
  gas::Engine<Program> engine_;
};

/// How far the points in the frame are from those placed, Σ squared distance in the data's own
/// units: what rounding costs. The same on any ranks.
template <class Real, class Value>
double rounding_of(gas::Communicator& comm, const Points<Real>& points,
                   const Placed<Value>& placed) {
  gas::ExactSum sum;
  for (std::size_t i = 0; i < points.rows.size(); ++i) {
    double squares = 0;
    for (std::size_t d = 0; d < points.dimensions; ++d) {
      const double lost = points.frame.inward(placed.values[i * points.dimensions + d], d) -
                          static_cast<double>((*points.inputs)[i][d]);
      squares += lost * lost;
    }
    add(sum, squares);
  }
  return sum_of(comm, sum) * points.frame.unit() * points.frame.unit();
}

/// Σ squared distance of the points placed to the rows of `centroids` (the same on every rank) that
/// nearest(i) gives to the i-th on this rank; in double, the same on any ranks.
template <class Nearest>
double objective_of(gas::Communicator& comm, const Placed<double>& placed, const Frame& frame,
                    std::span<const double> centroids, Nearest nearest) {
  gas::ExactSum sum;
  const double scale = std::ldexp(1.0, -frame.exponent);
  for (std::size_t i = 0; i < placed.rows.size(); ++i) {
    double squares = 0;
    for (std::size_t d = 0; d < placed.dimensions; ++d) {
      const double away = (placed.values[i * placed.dimensions + d] -
                           centroids[nearest(i) * placed.dimensions + d]) *
                          scale;
      squares += away * away;
    }
    add(sum, squares);
  }
  return sum_of(comm, sum) * frame.unit() * frame.unit();
}

}  // namespace clustering
