// gas-kmeans: clusters points, and assigns points to given centroids.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>

#include "gas/base/error.hpp"
#include "loaders/generate/generate.hpp"
#include "loaders/load_points.hpp"
#include "loaders/read_small.hpp"
#include "partition/folder/folder.hpp"
#include "partition/partition.hpp"
#include "tools/cluster_points.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

constexpr std::uint32_t most_clusters = 0x7fffffff;  // assignments are written as i4

struct Choices {
  std::uint32_t k = 0;  // 0: as many as the model has
  std::string init = "k-means++";

  bool from_file() const { return init.ends_with(".npy"); }
};

std::string input_name(const Run& run) {
  return run.options.generate.empty() ? run.options.input : "--generate " + run.options.generate;
}

loaders::LoadedPoints read_points(Run& run) {
  if (run.options.generate.empty()) {
    loaders::PointOptions options;
    options.format = loaders::parse_format(run.options.format);
    options.threads = run.options.threads;
    options.wide = true;
    options.table = run.options.table;
    loaders::LoadedPoints points = loaders::load_points(run.transport, run.options.inputs, options);
    for (const std::string& note : points.notes) run.warn(note);
    return points;
  }
  loaders::Generated generated =
      loaders::generate(run.transport, loaders::parse_spec(run.options.generate));
  if (!generated.points)
    throw UsageError(input_name(run) + " gives a graph, points are needed (blobs)");
  return std::move(*generated.points);
}

/// Centroids from a file: one row each, as wide as the points; `k` of them if that is not 0.
std::vector<double> read_centroids(Communicator& comm, const std::string& path,
                                   std::uint64_t columns, std::uint64_t k) {
  loaders::NpyArray array = loaders::read_npy(comm, path);
  together(comm, [&] {
    const auto shape = fmt::format("an array of shape ({})", fmt::join(array.shape, ", "));
    if (array.shape.size() != 2 || array.shape[0] == 0 || array.shape[1] != columns ||
        (k != 0 && array.shape[0] != k))
      throw located_error(path, 0, 0, shape,
                          fmt::format("({}, {}): centroids, dimensions of the points",
                                      k != 0 ? std::to_string(k) : "K", columns));
    if (array.shape[0] > most_clusters)
      throw located_error(path, 0, 0, shape, fmt::format("{} centroids at most", most_clusters));
  });
  return std::move(array.values);
}

/// The rank of each point of this rank's BlockDistribution, by the parts of the data side of a
/// partition; nothing where the points stay in ranges.
std::optional<std::vector<int>> cut_points(Run& run, std::uint64_t count) {
  Communicator& comm = run.transport;
  const std::string& wish = run.options.partition;
  const auto ranks = static_cast<Part>(comm.size());
  run.summary.partition_method = wish;
  run.summary.parts = ranks;
  Partition cut;
  if (run.options.partition_is_folder) {
    partition::Stored stored = partition::read_folder(comm, wish);
    together(comm, [&] {
      if (stored.manifest.shape.sources != count)
        throw located_error(
            wish, 0, 0,
            fmt::format("a partition of {} data vertices", stored.manifest.shape.sources),
            fmt::format("one of {} points", count));
    });
    cut = std::move(stored.partition);
    run.summary.partition_method = stored.manifest.method;
    run.summary.parts = cut.parts;
  } else {
    if (wish == "range") return std::nullopt;
    partition::Options options;
    options.method = wish;
    options.parts = ranks;
    options.seed = run.options.seed;
    cut = partition::make_partition(comm, {}, {.sources = count, .targets = 1, .bipartite = true},
                                    options);
  }
  std::vector<int> rank_of;
  for (const Part part : cut.source_master)
    rank_of.push_back(rank_of_part(part, cut.parts, comm.size()));
  return rank_of;
}

/// What a run came to, of this rank's points and centroids.
struct Clusters {
  std::vector<VertexId> points, centroids;  // rows
  std::vector<std::int32_t> nearest;        // by point
  std::vector<double> places;               // of the centroids, one after the other
  double objective = 0;
  std::uint64_t empty = 0, reseeded = 0;
  std::uint64_t iterations = 0;  // with those before
  bool converged = false, interrupted = false;
  RankReport report;
};

/// Value: of the coordinates in files, read and written; float where it holds them.
template <class Value>
void write_clusters(Run& run, const Clusters& found, std::uint64_t count, std::uint64_t dimensions,
                    std::uint64_t k) {
  run.write_files([&](const std::filesystem::path& folder) {
    const std::vector<Value> places(found.places.begin(), found.places.end());
    write_rows<Value>(run, folder, "centroids", loaders::RowIds(k, 0), dimensions, found.centroids,
                      places);
    write_rows<std::int32_t>(run, folder, "assignments", loaders::RowIds(count, 0), 0, found.points,
                             found.nearest);
  });
}

/// All ranks' centroids, by row.
std::vector<double> gather_centroids(Communicator& comm, const Clusters& found, std::uint64_t k) {
  const std::size_t dimensions =
      found.centroids.empty() ? 0 : found.places.size() / found.centroids.size();
  const std::size_t width = all_max(comm, dimensions);
  std::vector<double> all(static_cast<std::size_t>(k) * width);
  const auto rows = all_gather(comm, std::span<const VertexId>(found.centroids));
  const auto places = all_gather(comm, std::span<const double>(found.places));
  for (std::size_t rank = 0; rank < rows.size(); ++rank)
    for (std::size_t i = 0; i < rows[rank].size(); ++i)
      std::copy_n(places[rank].begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  all.begin() + static_cast<std::ptrdiff_t>(rows[rank][i] * width));
  return all;
}

/// K-means of points that came as Value.
template <class Value>
class Clustering {
 public:
  Clustering(Run& run, const Choices& choices, std::uint64_t k, clustering::Placed<Value> placed,
             std::vector<double> start)
      : run_(run),
        choices_(choices),
        k_(k),
        placed_(std::move(placed)),
        start_(std::move(start)),
        executor_(make_tbb_executor(run.options.threads)) {
    const std::vector<Value> starts(start_.begin(), start_.end());
    frame_ =
        clustering::frame_for<Value>(run.transport, placed_.dimensions, placed_.values, starts);
    check_sum();
  }

  /// In floats, as long as these tell the points apart well enough; else in double, from the start
  /// or from where the floats came to.
  Clusters find() {
    if constexpr (std::is_same_v<Value, float>) {
      return *find<float>(start_, 0);
    } else {
      std::optional<Clusters> found = find<float>(start_, 0);
      if (!found) return *find<double>(start_, 0);
      if (!too_coarse(found->objective)) return *found;
      const std::uint64_t done = found->iterations;
      return *find<double>(gather_centroids(run_.transport, *found, k_), done);
    }
  }

 private:
  /// The objective is finite wherever centroids between the points are. Collective.
  void check_sum() {
    const double squares = 4.0 * static_cast<double>(placed_.count) *
                           static_cast<double>(placed_.dimensions) * frame_.unit() * frame_.unit();
    together(run_.transport, [&] {
      if (!std::isfinite(squares))
        throw located_error(run_.options.input_name(), 0, 0,
                            fmt::format("coordinates up to 2^{} apart", frame_.exponent + 1),
                            "points whose squared distances have a finite sum");
    });
  }

  /// Whether rounding of floats shows in an objective that ought to be so much.
  bool too_coarse(double objective) const { return rounding_ > 0x1p-20 * objective; }

  /// Rounds behind `done` others. Nothing if Real is too coarse for the start.
  template <class Real>
  std::optional<Clusters> find(const std::vector<double>& given, std::uint64_t done) {
    Communicator& comm = run_.transport;
    const clustering::Points<Real> points = clustering::points_in<Real>(frame_, placed_);
    if constexpr (std::is_same_v<Value, float>) placed_.values = {};
    run_.enter(Phase::compute);
    std::vector<Real> start;
    for (std::size_t i = 0; i < given.size(); ++i)
      start.push_back(static_cast<Real>(frame_.inward(given[i], i % points.dimensions)));
    if (start.empty()) start = clustering::coordinates_of(comm, points, draw(points));
    if constexpr (!std::is_same_v<Value, float> && std::is_same_v<Real, float>) {
      rounding_ = clustering::rounding_of(comm, points, placed_);
      if (rounding_ > 0) {
        clustering::Lloyd<Real> first(run_.transport, *executor_, points, start, 0);
        first.close();
        if (too_coarse(first.objective())) return std::nullopt;
      }
    }
    clustering::Lloyd<Real> lloyd(run_.transport, *executor_, points, start,
                                  run_.options.tolerance);
    Clusters found;
    found.iterations = done;
    if (!run_.options.apply && run_.options.iterations > done) {
      const RunReport report = lloyd.run(
          run_.engine_options(run_.options.iterations - done),
          [&](std::uint64_t round, double objective) { run_.round_done(done + round, objective); });
      found.iterations += report.rounds;
      found.converged = report.converged;
      found.interrupted = report.interrupted;
    }
    lloyd.close();
    found.report = lloyd.local_report();
    found.empty = lloyd.empty();
    found.reseeded = lloyd.reseeded();
    found.objective = lloyd.objective();
    lloyd.local_centroids([&](VertexId row, std::span<const double> at) {
      found.centroids.push_back(row);
      found.places.insert(found.places.end(), at.begin(), at.end());
    });
    lloyd.local_assignments([&](VertexId row, std::uint32_t centroid) {
      found.points.push_back(row);
      found.nearest.push_back(static_cast<std::int32_t>(centroid));
    });
    if constexpr (!std::is_same_v<Value, float>) {
      if (found.iterations == 0 && !given.empty()) keep(given, found);  // to the last bit
      found.objective = clustering::objective_of(
          comm, placed_, frame_, gather_centroids(comm, found, k_),
          [&](std::size_t i) { return static_cast<std::size_t>(found.nearest[i]); });
    }
    return found;
  }

  template <class Real>
  std::vector<VertexId> draw(const clustering::Points<Real>& points) {
    return choices_.init == "random"
               ? clustering::random_rows(points.count, k_, run_.options.seed)
               : clustering::spread_rows(run_.transport, *executor_, points, k_, run_.options.seed,
                                         [this] { return run_.interrupted(); });
  }

  void keep(const std::vector<double>& given, Clusters& found) const {
    const std::size_t width = placed_.dimensions;
    for (std::size_t i = 0; i < found.centroids.size(); ++i)
      std::copy_n(given.begin() + static_cast<std::ptrdiff_t>(found.centroids[i] * width), width,
                  found.places.begin() + static_cast<std::ptrdiff_t>(i * width));
  }

  Run& run_;
  const Choices& choices_;
  std::uint64_t k_;
  clustering::Placed<Value> placed_;
  std::vector<double> start_;  // empty: drawn from the points
  std::unique_ptr<Executor> executor_;
  clustering::Frame frame_;
  double rounding_ = 0;  // Σ squares of what floats lose of the points
};

template <class Value>
void cluster(Run& run, const Choices& choices, std::uint64_t k, loaders::LoadedPoints& loaded,
             std::vector<Value> values, std::vector<double> start) {
  Communicator& comm = run.transport;
  run.enter(Phase::partition);
  const std::optional<std::vector<int>> rank_of = cut_points(run, loaded.rows);
  auto placed = clustering::place(comm, loaded.rows, loaded.columns, std::move(values),
                                  rank_of ? &*rank_of : nullptr);
  const Clusters found =
      Clustering<Value>(run, choices, k, std::move(placed), std::move(start)).find();
  if (found.empty > 0 && !run.options.apply)
    run.warn(fmt::format("{} of {} {} no points", found.empty, counted(k, "centroid", "centroids"),
                         found.empty == 1 ? "has" : "have"));
  run.saw(found.report);
  if (!run.options.apply) run.summary.converged = found.converged;
  run.summary.iterations = found.iterations;
  run.summary.interrupted = found.interrupted;
  run.summary.objective = found.objective;
  run.summary.data_vertices = loaded.rows;
  run.summary.parameter_vertices = k;
  run.summary.edges = 0;
  run.summary.set("k", k);
  run.summary.set("empty_reseeded", found.reseeded);
  run.enter(Phase::output);
  run.manifest.model.set("k", k);
  run.manifest.model.set("columns", loaded.columns);
  run.show([&] {
    const Top largest =
        most_frequent(comm, k, {found.nearest.begin(), found.nearest.end()}, run.options.top);
    return summary_lines(run.summary, {"points", "clusters"}, {"objective"}) +
           top_table(comm, loaders::RowIds(k, 0), largest, "cluster", "points");
  });
  write_clusters<Value>(run, found, loaded.rows, loaded.columns, k);
}

/// --allow-empty: no points, so no clusters.
void cluster_nothing(Run& run, std::uint64_t columns) {
  run.summary.data_vertices = run.summary.parameter_vertices = run.summary.edges = 0;
  run.summary.iterations = 0;
  run.summary.objective = 0;
  run.summary.set("k", std::uint64_t{0});
  run.enter(Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    const std::uint64_t centroids[] = {0, columns}, assignments[] = {0};
    if (!run.options.apply)
      loaders::write_npy<float>(run.transport, folder / "centroids.npy", centroids, {}, {});
    loaders::write_npy<std::int32_t>(run.transport, folder / "assignments.npy", assignments, {},
                                     {});
  });
}

void cluster(Run& run, const Choices& choices) {
  Communicator& comm = run.transport;
  run.enter(Phase::load);
  loaders::LoadedPoints loaded = read_points(run);
  if (loaded.rows == 0 && run.options.allow_empty) return cluster_nothing(run, loaded.columns);
  together(comm, [&] {
    if (loaded.rows == 0)
      throw located_error(input_name(run), 0, 0, "no points", "some, or --allow-empty");
    if (loaded.rows == 0 || loaded.columns == 0)
      throw located_error(input_name(run), 0, 0,
                          fmt::format("{} points of {} dimensions", loaded.rows, loaded.columns),
                          "at least one of each");
  });
  std::vector<double> start;
  if (!run.options.model.empty())
    start = read_centroids(comm,
                           ModelFolder(comm, run.options.model, "gas-kmeans").file("centroids.npy"),
                           loaded.columns, choices.k);
  else if (choices.from_file())
    start = read_centroids(comm, choices.init, loaded.columns, choices.k);
  const std::uint64_t k = start.empty() ? choices.k : start.size() / loaded.columns;
  together(comm, [&] {
    if (loaded.rows < k && !run.options.apply)
      throw located_error(input_name(run), 0, 0, fmt::format("{} points", loaded.rows),
                          fmt::format("at least as many as clusters, {}", k));
  });
  // A start is rounded as the points are; a model stays as it is, or --apply would change it.
  const bool wide = loaded.wide || std::any_of(start.begin(), start.end(), [&](double x) {
                      const auto narrow = static_cast<float>(x);
                      return std::isinf(narrow) ||
                             (!run.options.model.empty() && static_cast<double>(narrow) != x);
                    });
  if (!wide) return cluster(run, choices, k, loaded, std::move(loaded.values), std::move(start));
  if (!loaded.wide) loaded.wide_values.assign(loaded.values.begin(), loaded.values.end());
  return cluster(run, choices, k, loaded, std::move(loaded.wide_values), std::move(start));
}

}  // namespace

int main(int argc, char* argv[]) {
  Choices choices;
  return run_tool(
      "gas-kmeans", argc, argv,
      [&](Options& options) {
        options.describe(
            "Clusters points by Lloyd's k-means: the least sum of squared distances to K "
            "centroids.",
            "mpirun -n 2 gas-kmeans points.npy -k 5 -o clusters");
        options.take_input({"dense", "npy", "idx"});
        options.take_rounds(100, 1e-4);
        options.take_staleness(gas::Engine<KMeans<>>::check);
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(partition_methods(), "range");
        options.take_model({"--init"});
        options.take_output({"centroids.npy", "assignments.npy"});
        options.take_text();
        options.take_top("of the largest clusters");
        options.count("-k", choices.k, 1, "Clusters", most_clusters);
        options.text("--init", choices.init, "k-means++|random|FILE.npy", "Where centroids start");
        options.summary_keys({"k", "empty_reseeded"});
        options.check([&options, &choices] {
          if (choices.init != "k-means++" && choices.init != "random" && !choices.from_file())
            throw UsageError("--init " + choices.init +
                             ": unknown, expected k-means++, random or a FILE.npy");
          if (!options.given("-k") && options.common.model.empty())
            throw UsageError("-k is required (or --model)");
          if (options.given("--init") && !options.common.model.empty())
            throw UsageError("--init and --model are two starts: give one");
        });
      },
      [&](Run& run) { return cluster(run, choices); });
}
