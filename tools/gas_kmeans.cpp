// gas-kmeans: clusters points, and assigns points to given centroids.
#include <fmt/format.h>

#include <cmath>

#include "gas/graph/error.hpp"
#include "loaders/generate/generate.hpp"
#include "loaders/load_points.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "partition/folder.hpp"
#include "partition/partition.hpp"
#include "tools/cluster_points.hpp"
#include "tools/support/counted.hpp"
#include "tools/support/graph_input.hpp"
#include "tools/support/model_folder.hpp"

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
    return loaders::load_points(run.transport, run.options.input, options);
  }
  loaders::Generated generated =
      loaders::generate(run.transport, loaders::parse_spec(run.options.generate));
  if (!generated.points)
    throw UsageError(input_name(run) + " gives a graph, points are needed (blobs)");
  return std::move(*generated.points);
}

/// Centroids from a file: one row each, as wide as the points; `k` of them if that is not 0.
std::vector<float> read_centroids(Team& team, const std::string& path, std::uint64_t columns,
                                  std::uint64_t k) {
  const loaders::NpyArray array = loaders::read_npy(team, path);
  std::vector<float> centroids;
  together(team, [&] {
    const auto shape = fmt::format("an array of shape ({})", fmt::join(array.shape, ", "));
    if (array.shape.size() != 2 || array.shape[0] == 0 || array.shape[1] != columns ||
        (k != 0 && array.shape[0] != k))
      throw located_error(path, 0, 0, shape,
                          fmt::format("({}, {}): centroids, dimensions of the points",
                                      k != 0 ? std::to_string(k) : "K", columns));
    if (array.shape[0] > most_clusters)
      throw located_error(path, 0, 0, shape, fmt::format("{} centroids at most", most_clusters));
    for (const double value : array.values) {
      centroids.push_back(static_cast<float>(value));
      if (!std::isfinite(centroids.back()))
        throw located_error(path, 0, 0, fmt::format("{}", value), "a number that a float can hold");
    }
  });
  return centroids;
}

/// The rank of each point of this rank's HomeRange, by the parts of the data side of a partition;
/// nothing where the points stay in ranges.
std::optional<std::vector<int>> cut_points(Run& run, std::uint64_t count) {
  Team& team = run.transport;
  const std::string& wish = run.options.partition;
  const auto ranks = static_cast<Part>(team.size());
  run.summary.partition_method = wish;
  run.summary.parts = ranks;
  Partition cut;
  if (run.options.partition_is_folder) {
    partition::Stored stored = partition::read_folder(team, wish);
    together(team, [&] {
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
    cut = partition::make_partition(team, {}, {.sources = count, .targets = 1, .bipartite = true},
                                    options);
  }
  std::vector<int> rank_of;
  for (const Part part : cut.source_master)
    rank_of.push_back(rank_of_part(part, cut.parts, team.size()));
  return rank_of;
}

void write_clusters(Run& run, clustering::Lloyd& lloyd, const clustering::Points& points,
                    std::uint64_t k) {
  run.write_files([&](const std::filesystem::path& folder) {
    std::vector<Row> rows;
    std::vector<float> centroids;
    lloyd.local_centroids([&](Row row, std::span<const float> at) {
      rows.push_back(row);
      centroids.insert(centroids.end(), at.begin(), at.end());
    });
    const std::uint64_t shape[] = {k, points.dimensions};
    loaders::write_npy<float>(run.transport, folder / "centroids.npy", shape, rows, centroids);
    rows.clear();
    std::vector<std::int32_t> nearest;
    lloyd.local_assignments([&](Row row, std::uint32_t centroid) {
      rows.push_back(row);
      nearest.push_back(static_cast<std::int32_t>(centroid));
    });
    const std::uint64_t length[] = {points.count};
    loaders::write_npy<std::int32_t>(run.transport, folder / "assignments.npy", length, rows,
                                     nearest);
  });
}

void cluster(Run& run, const Choices& choices) {
  Team& team = run.transport;
  run.enter(Phase::load);
  loaders::LoadedPoints loaded = read_points(run);
  together(team, [&] {
    if (loaded.rows == 0 || loaded.columns == 0)
      throw located_error(input_name(run), 0, 0,
                          fmt::format("{} points of {} dimensions", loaded.rows, loaded.columns),
                          "at least one of each");
  });
  std::vector<float> start;
  if (!run.options.model.empty())
    start = read_centroids(team,
                           ModelFolder(team, run.options.model, "gas-kmeans").file("centroids.npy"),
                           loaded.columns, choices.k);
  else if (choices.from_file())
    start = read_centroids(team, choices.init, loaded.columns, choices.k);
  const std::uint64_t k = start.empty() ? choices.k : start.size() / loaded.columns;
  together(team, [&] {
    if (loaded.rows < k && !run.options.apply)
      throw located_error(input_name(run), 0, 0, fmt::format("{} points", loaded.rows),
                          fmt::format("at least as many as clusters, {}", k));
  });

  run.enter(Phase::partition);
  const std::optional<std::vector<int>> rank_of = cut_points(run, loaded.rows);
  const int exponent = clustering::exponent_for(team, loaded.values, start);
  const clustering::Points points =
      clustering::place(team, loaded.rows, loaded.columns, exponent, std::move(loaded.values),
                        rank_of ? &*rank_of : nullptr);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  if (!start.empty()) {
    for (float& x : start) x = std::ldexp(x, -exponent);
  } else {
    const std::vector<Row> rows =
        choices.init == "random" ? clustering::random_rows(points.count, k, run.options.seed)
                                 : clustering::spread_rows(run.transport, *executor, points, k,
                                                           run.options.seed, run.interrupted());
    start = clustering::coordinates_of(team, points, rows);
  }
  clustering::Lloyd lloyd(run.transport, *executor, points, start, run.options.tolerance);
  RunReport report;
  if (!run.options.apply) {
    report =
        lloyd.run(run.engine_options(run.options.iterations),
                  [&](std::uint64_t round, double objective) { run.round_done(round, objective); });
    run.summary.converged = report.converged;
  }
  lloyd.close();
  if (lloyd.empty() > 0 && !run.options.apply)
    run.warn(fmt::format("{} of {} {} no points", lloyd.empty(),
                         counted(k, "centroid", "centroids"), lloyd.empty() == 1 ? "has" : "have"));

  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.saw(lloyd.local_report());
  run.summary.objective = lloyd.objective();
  run.summary.data_vertices = points.count;
  run.summary.parameter_vertices = k;
  run.summary.edges = 0;
  run.summary.set("k", k);
  run.summary.set("empty_reseeded", lloyd.reseeded());
  run.enter(Phase::output);
  run.manifest.model.set("k", k);
  run.manifest.model.set("columns", points.dimensions);
  write_clusters(run, lloyd, points, k);
}

}  // namespace

int main(int argc, char* argv[]) {
  Choices choices;
  return run_tool(
      "gas-kmeans", argc, argv,
      [&](Options& options) {
        options.describe(
            "Clusters points by Lloyd's k-means: the least sum of squared distances to K "
            "centroids.");
        options.take_input({"dense", "npy", "idx"});
        options.take_rounds(100, 1e-4);
        options.take_staleness(gas::Engine<KMeans>::check);
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(partition_methods(), "range");
        options.take_model();
        options.take_output({"centroids.npy", "assignments.npy"});
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
