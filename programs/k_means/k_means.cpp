#include "programs/k_means/k_means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "programs/calls/engine_bytes.hpp"
#include "programs/k_means/clustering.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/large/two_level.hpp"

namespace gas {
namespace {

/// What all ranks see alike.
void check(const KMeansOptions& options, std::uint64_t k) {
  check_k_means(options.run);
  if (k == 0 || k > max_clusters)
    throw UsageError(fmt::format("found k = {}, expected 1 to {}", k, max_clusters));
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
  if (options.restarts == 0) throw UsageError("found 0 starts, expected at least 1");
  if (options.levels == 0 || options.levels > 2)
    throw UsageError(fmt::format("found {} levels, expected 1 or 2", options.levels));
  if (options.levels == 2 &&
      (!options.start.empty() || options.restarts > 1 || !options.run.checkpoint.folder.empty()))
    throw UsageError(
        "levels = 2 draws one start at random: leave out start, restarts and the checkpoint "
        "folder");
  if (options.full_rounds > 0 && options.levels == 1)
    throw UsageError("full_rounds needs levels = 2");
  if (options.restarts > 1 && !options.start.empty())
    throw UsageError("restarts above 1 draws all starts at random: leave out start");
  if (options.restarts > 1 && !options.run.checkpoint.folder.empty())
    throw UsageError(
        "if restarts is above 1, checkpoints are not possible: leave out the checkpoint folder");
}

void check_start(const std::vector<double>& start, std::uint64_t k, std::uint64_t columns) {
  if (start.empty()) return;
  if (start.size() != k * columns)
    throw UsageError(fmt::format(
        "found {} numbers as initial centroids, expected {}: {} centroids of {} numbers",
        start.size(), k * columns, k, columns));
  if (!std::ranges::all_of(start, [](double x) { return std::isfinite(x); }))
    throw UsageError(
        "found a number in the initial centroids that is not finite, expected finite numbers");
}

void to_directions(std::vector<double>& start, std::uint64_t columns) {
  for (std::size_t at = 0; at < start.size(); at += columns)
    if (!detail::make_direction(std::span(start).subspan(at, columns)))
      throw UsageError(
          "found an initial centroid of length 0, expected a number other than 0 in it, as cosine "
          "distances need");
}

void check_rank_of(Communicator& comm, const std::vector<int>& rank_of, std::uint64_t rows) {
  together(comm, [&] {
    if (rank_of.size() != rows)
      throw UsageError(fmt::format("rank_of has {} entries, expected one for each of {} rows",
                                   rank_of.size(), rows));
    if (!std::ranges::all_of(rank_of, [&](int rank) { return rank >= 0 && rank < comm.size(); }))
      throw UsageError(
          fmt::format("found a rank in rank_of outside the run, expected ranks from 0 and below {}",
                      comm.size()));
  });
}

void check_count(Communicator& comm, const std::string& name, std::uint64_t rows, std::uint64_t k) {
  together(comm, [&] {
    if (rows < k)
      throw located_error(name, 0, 0, fmt::format("{} points that weigh more than 0", rows),
                          fmt::format("at least as many as clusters, {}", k));
  });
}

/// Of points that are placed, in whatever form.
template <class Value>
KMeansResult cluster(const Context& context, const std::string& name, const PointShares& shares,
                     detail::Placed<Value> all, const std::vector<int>* rank_of, std::uint64_t k,
                     const KMeansOptions& options, std::vector<double> start) {
  Communicator& comm = context.transport();
  all.weights = detail::weigh(comm, shares, options.weights, rank_of);
  if (start.empty()) check_count(comm, name, all.weights.positive, k);
  if (options.metric == KMeansMetric::cosine) {
    const auto id = [&](std::size_t i) { return all.rows[i]; };
    if constexpr (std::is_same_v<Value, SparseReal>)
      all.factors = detail::unit_factors(comm, *all.entries, name, id);
    else
      all.factors = detail::unit_factors(comm, all.values(), shares.columns, name, id);
    together(comm, [&] { to_directions(start, shares.columns); });
  }
  detail::Clustering<Value> clustering(context, name, std::move(all), k, options, std::move(start));
  KMeansResult found = clustering.find();
  found.labels = detail::to_shares(comm, shares, clustering.placed(), std::move(found.labels));
  return found;
}

/// options.rank_of, checked, where any rank gives it. Collective.
const std::vector<int>* rank_of(Communicator& comm, const KMeansOptions& options,
                                std::uint64_t rows) {
  if (all_max(comm, options.rank_of.empty() ? 0 : 1) == 0) return nullptr;
  check_rank_of(comm, options.rank_of, rows);
  return &options.rank_of;
}

template <class Value>
KMeansResult cluster(const Context& context, const Points<Value>& points, const PointShares& shares,
                     std::uint64_t k, const KMeansOptions& options, std::vector<double> start) {
  Communicator& comm = context.transport();
  const std::vector<int>* const to = rank_of(comm, options, points.rows());
  return cluster<Value>(context, std::string(points.name), shares,
                        detail::place(comm, shares, points.values, to), to, k, options,
                        std::move(start));
}

float narrow(double x) { return static_cast<float>(x); }

/// What the call is of, once all of it is found to make sense. Collective.
template <class Given>
PointShares check(const Context& context, const Given& points, std::uint64_t k,
                  const KMeansOptions& options) {
  together(context.transport(), [&] { check(options, k); });
  check_alike(context.transport(), {{"clusters", std::to_string(k)}});
  const PointShares shares = check_points(context.transport(), context.executor(), points);
  const bool assigns = options.run.iterations == 0 && !options.start.empty();
  together(context.transport(), [&] {
    if (shares.rows() == 0 || (shares.rows() < k && !assigns))
      throw located_error(std::string(points.name), 0, 0, fmt::format("{} points", shares.rows()),
                          fmt::format("at least as many as clusters, {}", k));
    check_start(options.start, k, shares.columns);
  });
  return shares;
}

template <class T>
KMeansResult fit(const Context& context, const Points<T>& points, std::uint64_t k,
                 const KMeansOptions& options) {
  const PointShares shares = check(context, points, k, options);
  if (options.levels == 2) return detail::two_level(context, points, k, options);
  std::vector<double> start = options.start;
  if constexpr (std::is_same_v<T, float>) {
    if (detail::start_stays_wide(options)) {
      const std::vector<double> values(points.values.begin(), points.values.end());
      return cluster<double>(context, {values, points.columns, points.name}, shares, k, options,
                             std::move(start));
    }
    for (double& x : start) x = static_cast<double>(narrow(x));
  }
  return cluster<T>(context, points, shares, k, options, std::move(start));
}

}  // namespace

void check_k_means(const RunOptions& options) { Engine<KMeans<>>::check(options); }

std::string_view name_of(KMeansInit init) {
  return init == KMeansInit::plus_plus  ? "k-means++"
         : init == KMeansInit::parallel ? "k-means||"
                                        : "random";
}

std::optional<KMeansInit> k_means_init(std::string_view name) {
  for (const KMeansInit init : {KMeansInit::plus_plus, KMeansInit::parallel, KMeansInit::random})
    if (name == name_of(init)) return init;
  return std::nullopt;
}

KMeansResult k_means(const Context& context, const Points<float>& points, std::uint64_t k,
                     const KMeansOptions& options) {
  return fit(context, points, k, options);
}
KMeansResult k_means(const Context& context, const Points<double>& points, std::uint64_t k,
                     const KMeansOptions& options) {
  return fit(context, points, k, options);
}
KMeansResult k_means(const Context& context, const SparsePoints& points, std::uint64_t k,
                     const KMeansOptions& options) {
  Communicator& comm = context.transport();
  const PointShares shares = check(context, points, k, options);
  together(comm, [&] {
    if (options.levels == 2) throw UsageError("levels = 2 needs dense points");
  });
  std::vector<double> start = options.start;
  const bool wide = all_max(comm, points.wide() ? 1 : 0) == 1;
  if (!wide && !detail::start_stays_wide(options))
    for (double& x : start) x = static_cast<double>(narrow(x));
  const std::vector<int>* const to = rank_of(comm, options, points.rows());
  return cluster<SparseReal>(context, std::string(points.name), shares,
                             detail::place(comm, shares, points, to), to, k, options,
                             std::move(start));
}

namespace {

template <class Form>
double bytes_in(double points, double columns, double clusters, double input, double entries,
                int ranks, unsigned threads, const KMeansExtras& extras) {
  KMeans<Form> program;
  program.dimensions = static_cast<std::size_t>(columns);
  PieceSizes piece;
  piece.owner = {points * ranks, points, 0, 0};
  piece.parameter = {clusters, clusters / ranks, clusters / ranks, clusters - clusters / ranks};
  piece.ranks = ranks;
  piece.threads = threads;
  const double framed = points * (static_cast<double>(row_stride(static_cast<std::size_t>(input))) *
                                      sizeof(typename KMeans<Form>::Number) +
                                  2 * sizeof(VertexId));
  const double rounds = points * sizeof(VertexId) + detail::engine_bytes(program, piece);
  const double factors = extras.directions ? points * sizeof(double) : 0;
  const double weights = extras.weights ? 2 * points * sizeof(double) : 0;  // given and placed
  const double sums =
      extras.staged && ranks > 1 ? clusters * (columns + 1) * sizeof(std::int64_t) : 0;
  // What came from other ranks, which lies beside what stays here until all is split.
  const double moved =
      extras.two_level
          ? points * (columns * sizeof(typename KMeans<Form>::Number) * (ranks > 1 ? 1 : 0) +
                      sizeof(void*))
          : 0;
  const double beside = framed + factors + weights + sums + moved;
  return extras.stays ? beside + entries + rounds : beside + std::max(entries, rounds);
}

}  // namespace

double k_means_bytes(double points, double columns, double clusters, bool wide, int ranks,
                     unsigned threads, KMeansExtras extras) {
  const double input = columns + (extras.weights ? 1 : 0);
  extras.stays = wide;
  if (wide)
    return bytes_in<double>(points, columns, clusters, input, points * columns * sizeof(double),
                            ranks, threads, extras);
  return bytes_in<float>(points, columns, clusters, input, points * columns * sizeof(float), ranks,
                         threads, extras);
}

double k_means_bytes(const SparseSizes& sizes, double columns, double clusters, int ranks,
                     unsigned threads, KMeansExtras extras) {
  const double entries =
      sizes.points * sizeof(std::uint64_t) +
      sizes.entries * (sizeof(VertexId) + (sizes.wide ? sizeof(double) : sizeof(float)));
  extras.stays = true;
  // Sums by thread, and the panels' floats. What the engine is counted with is as much more as the
  // list at the end: by measurement.
  const double dense = clusters * columns * double{sizeof(std::int64_t)} * threads;
  const double panels = (clusters + double{panel_columns}) * columns * sizeof(float);
  return dense + panels +
         bytes_in<SparseReal>(sizes.points, columns, clusters, detail::SparseInput::width, entries,
                              ranks, threads, extras);
}

}  // namespace gas
