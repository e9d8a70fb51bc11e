// Every algorithm leaves at a checkpoint on two ranks and goes on, on as many and on three: its
// result is that of a run without checkpoints.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "gas/base/random.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/als/als.hpp"
#include "programs/breadth_first_search/breadth_first_search.hpp"
#include "programs/components/components.hpp"
#include "programs/harmonic_centrality/harmonic_centrality.hpp"
#include "programs/k_core/k_core.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/label_propagation/label_propagation.hpp"
#include "programs/lda/lda.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"
#include "programs/logistic_regression/multiclass/multiclass.hpp"
#include "programs/page_rank/page_rank.hpp"
#include "programs/shortest_paths/shortest_paths.hpp"
#include "programs/triangles/triangles.hpp"

using namespace gas;
namespace fs = std::filesystem;

namespace {

/// Numbers that say what came out, and the rounds.
struct Result {
  std::vector<double> values;
  std::uint64_t rounds = 0;
  std::uint64_t first = 0;  // the first round that was told
  bool left = false;
};

struct Told {
  std::uint64_t first = 0;
  OnRound on_round() {
    return [this](const RoundTold& round) {
      if (first == 0) first = round.round;
      return true;
    };
  }
};

using Call = std::function<std::vector<double>(const Context&, const RunOptions&, const OnRound&,
                                               std::uint64_t& rounds)>;

Result run(int ranks, const CheckpointOptions& checkpoint, const Call& call) {
  Result result;
  try {
    run_local_ranks(ranks, [&](Transport& transport) {
      const Context context(transport, 1);
      RunOptions options;
      options.checkpoint = checkpoint;
      Told told;
      std::uint64_t rounds = 0;
      std::vector<double> values = call(context, options, told.on_round(), rounds);
      if (transport.rank() == 0) result = {std::move(values), rounds, told.first, false};
    });
  } catch (const LeftAtCheckpoint&) {
    result.left = true;
  }
  return result;
}

double off_by(const Result& found, const Result& expected) {
  if (found.values.size() != expected.values.size()) return INFINITY;
  double off = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i)
    if (!(found.values[i] == expected.values[i])) {  // also a NaN
      const double apart = std::abs(found.values[i] - expected.values[i]);
      off = std::isnan(apart) ? INFINITY : std::max(off, apart);
    }
  return off;
}

/// Leaves after so many looks at the clock of rounds; before, a run writes a checkpoint `every` so
/// many rounds, and ends as without. Some calls go on from a checkpoint on as many ranks alone.
enum class GoesOn { on_others, on_as_many };
void resumes(unsigned after, double tolerance, const Call& call, std::uint64_t every = 1,
             GoesOn goes_on = GoesOn::on_others) {
  static int number = 0;
  const fs::path folder = fs::temp_directory_path() / ("gas-resume-" + std::to_string(::getpid()) +
                                                       "-" + std::to_string(++number));
  const Result whole = run(2, {}, call);
  CheckpointOptions often;
  often.folder = folder;
  often.every_rounds = every;
  CHECK(off_by(run(2, often, call), whole) <= tolerance);
  for (const int ranks : {2, 3}) {
    INFO("goes on on " << ranks << " ranks");
    fs::remove_all(folder);
    CheckpointOptions checkpoint;
    checkpoint.folder = folder;
    checkpoint.leaves = [left = after]() mutable { return left == 0 || --left == 0; };
    REQUIRE(run(2, checkpoint, call).left);
    checkpoint.leaves = nullptr;
    checkpoint.resume = true;
    std::atomic<std::uint64_t> from{0};
    checkpoint.resumed = [&](std::uint64_t round) { from = round; };
    const Result again = run(ranks, checkpoint, call);
    CHECK((from > 0 || (goes_on == GoesOn::on_as_many && ranks != 2)));
    CHECK(again.rounds == whole.rounds);
    CHECK((again.rounds == 1 || again.first > 1));
    CHECK(off_by(again, whole) <= tolerance);
  }
  fs::remove_all(folder);
}

template <class T>
std::vector<double> all_of(const Context& context, const std::vector<T>& block) {
  const std::vector<T> values = whole(context.transport(), block);
  return {values.begin(), values.end()};
}

constexpr std::uint64_t vertices = 300;

/// A ring of blocks, so that news take rounds to go round, or one in which each edge goes at most
/// `far`; given by rank 0.
Graph a_graph(const Context& context, bool undirected, std::uint64_t far = 12) {
  std::vector<std::uint64_t> sources, targets;
  std::vector<double> lengths;
  const Random random(3);
  for (std::uint64_t e = 0; context.rank() == 0 && e < 3 * vertices; ++e) {
    const std::uint64_t source = random.below(vertices, 3 * e);
    sources.push_back(source);
    targets.push_back((source + 1 + random.below(far, 3 * e + 1)) % vertices);
    lengths.push_back(1 + random.uniform(3 * e + 2));
  }
  return Graph::from_edges(context, sources, targets, lengths,
                           {.vertices = vertices, .undirected = undirected});
}

/// Rows of counts, given by rank 0.
Matrix a_matrix(const Context& context, std::uint64_t rows, std::uint64_t columns) {
  std::vector<std::uint64_t> row, column;
  std::vector<double> counts;
  const Random random(4);
  for (std::uint64_t e = 0; context.rank() == 0 && e < 12 * rows; ++e) {
    row.push_back(e / 12);
    column.push_back((e % 12) * columns / 12 + random.below(columns / 12, 2 * e));
    counts.push_back(1 + static_cast<double>(random.below(3, 2 * e + 1)));
  }
  return Matrix::from_entries(context, row, column, counts, {.rows = rows, .columns = columns});
}

template <class Options>
Options options_for(const RunOptions& run, const OnRound& on_round, std::uint64_t iterations) {
  Options options;
  options.run.checkpoint = run.checkpoint;
  options.run.iterations = iterations;
  options.on_round = on_round;
  return options;
}

}  // namespace

TEST_CASE("graph algorithms go on from a checkpoint") {
  const auto on = [](bool undirected, auto call) {
    return [=](const Context& context, const RunOptions& run, const OnRound& on_round,
               std::uint64_t& rounds) {
      return call(context, a_graph(context, undirected), run, on_round, rounds);
    };
  };
  SECTION("PageRank") {
    for (const bool by_need : {false, true})
      resumes(5, 2e-9,  // each is at most 1e-9 off
              on(false, [=](const Context& context, const Graph& graph, const RunOptions& run,
                            const OnRound& told, std::uint64_t& rounds) {
                // By need a rank that waits goes through many rounds: only the tolerance ends them.
                auto options =
                    options_for<PageRankOptions>(run, told, by_need ? ~std::uint64_t{0} : 60);
                options.tolerance = 1e-9;
                if (by_need)
                  options.run.order = Order::priority,
                  options.run.staleness.bound = Staleness::async;
                const PageRanks found = page_rank(context, graph, options);
                rounds = by_need ? 1 : found.outcome.rounds;
                return all_of(context, found.ranks);
              }));
  }
  SECTION("shortest paths, by priority and by sweep") {
    for (const Order order : {Order::priority, Order::sweep})
      resumes(2, 0,
              on(false, [=](const Context& context, const Graph& graph, const RunOptions& run,
                            const OnRound& told, std::uint64_t& rounds) {
                auto options = options_for<ShortestPathsOptions>(run, told, ~std::uint64_t{0});
                options.run.order = order;
                const Distances found = shortest_paths(context, graph, 7, options);
                rounds = 1;
                return all_of(context, found.distances);
              }));
  }
  SECTION("breadth-first search") {
    resumes(4, 0,
            on(false, [](const Context& context, const Graph& graph, const RunOptions& run,
                         const OnRound& told, std::uint64_t& rounds) {
              const auto options = options_for<BreadthFirstOptions>(run, told, ~std::uint64_t{0});
              const BreadthFirstTree tree = breadth_first_search(context, graph, 7, options);
              rounds = 1;
              return all_of(context, tree.hops);
            }));
  }
  SECTION("harmonic centrality, after any round") {
    for (unsigned after = 1; after <= 4; ++after)
      resumes(after, 0,
              on(false, [](const Context& context, const Graph& graph, const RunOptions& run,
                           const OnRound& told, std::uint64_t& rounds) {
                auto options = options_for<HarmonicOptions>(run, told, ~std::uint64_t{0});
                const HarmonicCentralities found = harmonic_centrality(context, graph, options);
                rounds = found.outcome.rounds;
                return all_of(context, found.centrality);
              }));
  }
  const auto cores = [](Order order, std::uint64_t far) {
    return [=](const Context& context, const RunOptions& run, const OnRound& told,
               std::uint64_t& rounds) {
      auto options = options_for<KCoreOptions>(run, told, ~std::uint64_t{0});
      options.run.order = order;
      const Cores found = k_core(context, a_graph(context, true, far), options);
      rounds = 1;
      return all_of(context, found.cores);
    };
  };
  SECTION("cores, by levels and by sweep") {
    for (const Order order : {Order::priority, Order::sweep}) resumes(3, 0, cores(order, 12));
  }
  SECTION("cores by levels, after any round") {
    for (unsigned after = 1; after <= 12; ++after) resumes(after, 0, cores(Order::priority, 300));
  }
  SECTION("triangles") {
    for (const unsigned after : {1U, 2U})
      resumes(after, 0,
              on(true, [](const Context& context, const Graph& graph, const RunOptions& run,
                          const OnRound& told, std::uint64_t& rounds) {
                const auto options = options_for<TrianglesOptions>(run, told, ~std::uint64_t{0});
                const TriangleCounts found = triangles(context, graph, options);
                rounds = found.outcome.rounds;
                return all_of(context, found.triangles);
              }));
  }
  SECTION("label propagation") {
    resumes(3, 0,
            on(true, [](const Context& context, const Graph& graph, const RunOptions& run,
                        const OnRound& told, std::uint64_t& rounds) {
              const auto options = options_for<LabelPropagationOptions>(run, told, 50);
              const Communities found = label_propagation(context, graph, options);
              rounds = found.outcome.rounds;
              return all_of(context, found.labels);
            }));
  }
  SECTION("components, which begin anew on other ranks") {
    resumes(
        1, 0,
        [](const Context& context, const RunOptions& run, const OnRound& told,
           std::uint64_t& rounds) {
          std::vector<std::uint64_t> sources, targets;  // two paths, back and forth over ranks
          for (std::uint64_t v = 0; context.rank() == 0 && v + 2 < vertices; ++v) {
            sources.push_back(v * 97 % vertices);
            targets.push_back((v + 2) * 97 % vertices);
          }
          const Graph graph = Graph::from_edges(context, sources, targets,
                                                {.vertices = vertices, .undirected = true});
          const auto options = options_for<ComponentsOptions>(run, told, ~std::uint64_t{0});
          const Components found = components(context, graph, options);
          rounds = 1;
          return all_of(context, found.labels);
        },
        1, GoesOn::on_as_many);
  }
}

TEST_CASE("clustering goes on from a checkpoint, in floats and in doubles") {
  for (const bool wide : {false, true}) {
    const Call call = [=](const Context& context, const RunOptions& run, const OnRound& told,
                          std::uint64_t& rounds) {
      std::vector<double> points;
      const Random random(5);
      for (std::uint64_t i = 0; context.rank() == 0 && i < 4 * 400; ++i)
        points.push_back((wide ? 1.7e9 : 0) + random.uniform(i));
      const std::vector<float> narrow(points.begin(), points.end());
      auto options = options_for<KMeansOptions>(run, told, 100);
      options.tolerance = 0;
      const KMeansResult found = wide ? k_means(context, Points<double>{points, 4}, 9, options)
                                      : k_means(context, Points<float>{narrow, 4}, 9, options);
      rounds = found.outcome.rounds;
      std::vector<double> values = found.model.centroids;
      values.push_back(found.objective);
      return values;
    };
    resumes(4, 0, call);
  }
}

TEST_CASE("topics go on from a checkpoint, also between measures") {
  for (const auto sampler : {LdaSampler::gibbs, LdaSampler::mh})
    for (const unsigned after : {7U, 23U})
      resumes(after, 0,
              [=](const Context& context, const RunOptions& run, const OnRound& told,
                  std::uint64_t& rounds) {
                auto options = options_for<LdaOptions>(run, told, 45);
                options.topics = 8;
                options.sampler = sampler;
                options.objectives = true;
                const LdaFit fit = lda(context, a_matrix(context, 60, 48), options);
                rounds = fit.outcome.rounds;
                return std::vector<double>{fit.objective.value()};
              });
}

TEST_CASE("logistic regression goes on from a checkpoint") {
  const auto with = [](LogisticSolver solver, Penalty penalty) -> Call {
    return [=](const Context& context, const RunOptions& run, const OnRound& told,
               std::uint64_t& rounds) {
      const Matrix examples = a_matrix(context, 200, 36);
      std::vector<double> labels;
      const RowShares& shares = examples.shares(context);
      for (std::uint64_t i = 0; i < shares.count(context.rank()); ++i)
        labels.push_back(Random(6).bits(shares.first(context.rank()) + i) % 2 == 0 ? 1 : -1);
      auto options = options_for<LogisticRegressionOptions>(run, told, 10000);
      options.solver = solver;
      options.penalty = penalty;
      options.tolerance = 1e-9;
      const LogisticFit fit = logistic_regression(context, examples, labels, options);
      rounds = 1;
      return fit.weights;
    };
  };
  SECTION("Newton, l2") { resumes(9, 1e-4, with(LogisticSolver::newton, Penalty::l2)); }
  SECTION("local Newton") { resumes(3, 1e-4, with(LogisticSolver::local_newton, Penalty::l2)); }
  SECTION("Newton, l1") { resumes(3, 1e-4, with(LogisticSolver::newton, Penalty::l1)); }
  SECTION("dual") {  // takes 2000 rounds
    resumes(9, 1e-4, with(LogisticSolver::dual, Penalty::l2), 16);
  }
  SECTION("softmax of three classes") {
    resumes(5, 1e-4,
            [](const Context& context, const RunOptions& run, const OnRound& told,
               std::uint64_t& rounds) {
              const Matrix examples = a_matrix(context, 200, 36);
              std::vector<double> labels;
              const RowShares& shares = examples.shares(context);
              for (std::uint64_t i = 0; i < shares.count(context.rank()); ++i)
                labels.push_back(
                    static_cast<double>(Random(6).below(3, shares.first(context.rank()) + i)));
              MulticlassOptions options;
              options.fit = options_for<LogisticRegressionOptions>(run, told, 10000);
              options.fit.tolerance = 1e-9;
              const MulticlassFit fit = multiclass_regression(context, examples, labels, options);
              rounds = 1;
              return fit.weights;
            });
  }
}

TEST_CASE("a factorisation goes on from a checkpoint") {
  resumes(4, 1e-4,
          [](const Context& context, const RunOptions& run, const OnRound& told,
             std::uint64_t& rounds) {
            auto options = options_for<AlsOptions>(run, told, 15);
            options.rank = 4;
            options.tolerance = 0;
            const AlsFit fit = als(context, a_matrix(context, 60, 48), options);
            rounds = fit.outcome.rounds;
            return std::vector<double>(fit.model.items.begin(), fit.model.items.end());
          });
}
