#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "programs/k_means.hpp"
#include "programs/k_means_seeding.hpp"

/// From points to clusters: hands points and starts over to the programs KMeans and KMeansSeeding,
/// and reads back what they found. All ranks call everything that is not named local.
namespace clustering {

/// The points of one rank, in units of 2^exponent, so that no coordinate's magnitude is above 1:
/// scaling by a power of two is exact, and squares neither overflow nor vanish.
struct Points {
  std::uint64_t count = 0;  // on all ranks
  std::size_t dimensions = 0;
  int exponent = 0;
  std::vector<gas::Row> rows;  // ascending
  std::shared_ptr<gas::Inputs<float>> inputs;

  double unit() const { return std::ldexp(1.0, exponent); }
};

/// The least exponent for the coordinates of these points, of all ranks, and starts; all finite.
inline int exponent_for(gas::Team& team, std::span<const float> points,
                        std::span<const float> starts) {
  float largest = 0;
  for (const auto values : {points, starts})
    for (const float x : values) largest = std::max(largest, std::abs(x));
  largest = gas::all_max(team, largest);
  return largest > 0 ? std::ilogb(largest) + 1 : 0;
}

/// Sends the points of this rank's HomeRange, row after row in `home_values`, to their ranks:
/// (*rank_of)[i] for the i-th; null on all ranks: they stay. `exponent`: of points and starts.
inline Points place(gas::Team& team, std::uint64_t count, std::size_t dimensions, int exponent,
                    std::vector<float> home_values, const std::vector<int>* rank_of) {
  const gas::HomeRange home{count, team.size()};
  Points points{count, dimensions, exponent, {}, nullptr};
  const std::uint64_t first = home.first(team.rank());
  std::vector<float> values;
  if (rank_of == nullptr) {
    for (std::uint64_t i = 0; i < home.count(team.rank()); ++i)
      points.rows.push_back(gas::to_row(first + i));
    values = std::move(home_values);
  } else {
    std::vector<std::vector<gas::Row>> rows(static_cast<std::size_t>(team.size()));
    std::vector<std::vector<float>> coordinates(rows.size());
    for (std::size_t i = 0; i < rank_of->size(); ++i) {
      const auto to = static_cast<std::size_t>((*rank_of)[i]);
      rows[to].push_back(gas::to_row(first + i));
      const float* x = home_values.data() + i * dimensions;
      coordinates[to].insert(coordinates[to].end(), x, x + dimensions);
    }
    // By rank, so by home range: the rows arrive in ascending order.
    for (const auto& block : gas::all_to_all(team, rows))
      points.rows.insert(points.rows.end(), block.begin(), block.end());
    for (const auto& block : gas::all_to_all(team, coordinates))
      values.insert(values.end(), block.begin(), block.end());
  }
  points.inputs = std::make_shared<gas::Inputs<float>>(dimensions, points.rows.size());
  const auto scale = static_cast<double>(std::ldexp(1.0, -exponent));
  for (std::size_t i = 0; i < points.rows.size(); ++i)
    for (std::size_t d = 0; d < dimensions; ++d)
      (*points.inputs)[i][d] =
          static_cast<float>(static_cast<double>(values[i * dimensions + d]) * scale);
  return points;
}

/// The graph of these points and `parameters` parameter vertices that all ranks mirror.
inline std::shared_ptr<const gas::LocalGraph> complete_graph(const gas::Team& team,
                                                             const Points& points,
                                                             std::uint64_t parameters) {
  auto graph = std::make_shared<gas::LocalGraph>();
  graph->bipartite = true;
  graph->home = gas::unshared_layout(points.count, points.rows);
  graph->parameter = gas::replicated_layout(team, parameters);
  return graph;
}

/// k distinct rows of n ≥ k, each set alike likely (Floyd's algorithm).
inline std::vector<gas::Row> random_rows(std::uint64_t n, std::uint64_t k, std::uint64_t seed) {
  const gas::Random random = gas::Random(seed).stream(0x72616e646f6dU);
  std::set<gas::Row> chosen;
  std::vector<gas::Row> rows;
  for (std::uint64_t j = n - k; j < n; ++j) {
    const gas::Row row = gas::to_row(random.below(j + 1, j));
    rows.push_back(chosen.insert(row).second ? row : gas::to_row(j));
    chosen.insert(rows.back());
  }
  return rows;
}

/// k rows by k-means++; if it is interrupted the rest is drawn at random.
inline std::vector<gas::Row> spread_rows(gas::Transport& transport, gas::Executor& executor,
                                         const Points& points, std::uint64_t k, std::uint64_t seed,
                                         const std::atomic<bool>* interrupted = nullptr) {
  KMeansSeeding program;
  program.dimensions = points.dimensions;
  gas::Engine<KMeansSeeding> engine(transport, executor, complete_graph(transport, points, 1),
                                    program, seed);
  engine.local_set_inputs(points.inputs);
  engine.local_give<KMeansSeeding::Point>([](gas::Row) { return gas::none; });
  // Where no point is, so that the first start differs from it.
  engine.local_give<KMeansSeeding::Start>(
      [](gas::Row, gas::RowView<float> out) { std::ranges::fill(out, 2.0F); });
  std::vector<gas::Row> rows;
  engine.run({.iterations = 2 * k - 1, .interrupted = interrupted}, [&](const auto& report) {
    if (KMeansSeeding::draws(report.round)) rows.push_back(report.summaries.data().pick());
  });
  for (const gas::Row row : random_rows(points.count, k - rows.size(), seed)) rows.push_back(row);
  return rows;
}

/// The coordinates of these rows (the same on every rank), in the points' units, on every rank.
inline std::vector<float> coordinates_of(gas::Team& team, const Points& points,
                                         std::span<const gas::Row> rows) {
  std::vector<std::uint64_t> places;
  std::vector<float> mine;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = std::ranges::lower_bound(points.rows, rows[i]);
    if (at == points.rows.end() || *at != rows[i]) continue;
    places.push_back(i);
    const auto x = (*points.inputs)[static_cast<std::size_t>(at - points.rows.begin())];
    mine.insert(mine.end(), x.begin(), x.end());
  }
  std::vector<float> found(rows.size() * points.dimensions);
  const auto all_places = gas::all_gather(team, std::span<const std::uint64_t>(places));
  const auto all_values = gas::all_gather(team, std::span<const float>(mine));
  for (std::size_t rank = 0; rank < all_places.size(); ++rank)
    for (std::size_t i = 0; i < all_places[rank].size(); ++i)
      std::copy_n(
          all_values[rank].begin() + static_cast<std::ptrdiff_t>(i * points.dimensions),
          points.dimensions,
          found.begin() + static_cast<std::ptrdiff_t>(all_places[rank][i] * points.dimensions));
  return found;
}

/// One run of k-means. `start` holds K rows, the same on every rank, in the points' units.
class Lloyd {
 public:
  Lloyd(gas::Transport& transport, gas::Executor& executor, const Points& points,
        const std::vector<float>& start, double tolerance)
      : unit_(points.unit()),
        engine_(transport, executor,
                complete_graph(transport, points, start.size() / points.dimensions),
                program_for(transport, points, tolerance)) {
    engine_.local_set_inputs(points.inputs);
    engine_.local_give<KMeans::Centroid>([&](gas::Row row, gas::RowView<float> out) {
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
    rounds_ = report.rounds;
    lagged_ = options.staleness.bound > 0;
    return report;
  }

  /// Ends the run: assigns all points to the centroids as they are now. Where the last round moved
  /// no point, and nobody lagged, they are what it was measured with, and nothing is done.
  void close() {
    if (rounds_ > 0 && engine_.last().data().moved == 0 && !lagged_) return;
    engine_.program().closing = true;
    engine_.run({.iterations = rounds_ + 1});
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
    engine_.local_for_each<KMeans::Point>(
        [&](gas::Row row, const KMeans::Point& point) { f(row, point.nearest); });
  }
  template <class F>
  void local_centroids(F f) const {
    std::vector<float> scaled;
    engine_.local_for_each_published<KMeans::Centroid>(
        [&](gas::Row row, gas::RowView<const float> at) {
          scaled.assign(at.begin(), at.end());
          for (float& x : scaled) x = static_cast<float>(static_cast<double>(x) * unit_);
          f(row, std::span<const float>(scaled));
        });
  }

 private:
  double in_units(const KMeans::Summary& summary) const {
    return summary.objective.value() * unit_ * unit_;
  }

  static KMeans program_for(gas::Team& team, const Points& points, double tolerance) {
    std::vector<float> largest(points.dimensions, 0.0F);
    for (std::size_t i = 0; i < points.rows.size(); ++i)
      for (std::size_t d = 0; d < points.dimensions; ++d)
        largest[d] = std::max(largest[d], std::abs((*points.inputs)[i][d]));
    std::vector<double> scales(points.dimensions);
    for (const auto& block : gas::all_gather(team, std::span<const float>(largest)))
      for (std::size_t d = 0; d < points.dimensions; ++d)
        largest[d] = std::max(largest[d], block[d]);
    for (std::size_t d = 0; d < points.dimensions; ++d)
      scales[d] = gas::RunningRowSum::scale_for(static_cast<double>(largest[d]), points.count);
    KMeans program;
    program.dimensions = points.dimensions;
    program.scales = std::make_shared<const std::vector<double>>(std::move(scales));
    program.tolerance = tolerance;
    // Coordinates and means are rounded by 2^-25 at most: what is nearer cannot be told apart.
    program.least_gain = static_cast<float>(points.dimensions) * 0x1.0p-48F;
    return program;
  }

  double unit_;
  std::uint64_t rounds_ = 0, reseeded_ = 0;
  bool lagged_ = false;
  gas::Engine<KMeans> engine_;
};

}  // namespace clustering
