#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "gas/base/communicator.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/starts/drawn_rows.hpp"
#include "programs/k_means/starts/parallel.hpp"
#include "programs/k_means/starts/plus_plus.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

namespace {

struct Data {
  std::size_t count, dimensions;
  std::vector<float> values;
  float at(std::size_t i, std::size_t d) const { return values[i * dimensions + d]; }
};

/// Points around `blobs` planted centres; point i belongs to blob i mod blobs.
Data blobs(std::size_t count, std::size_t dimensions, std::size_t blobs, double spread,
           unsigned seed, double offset = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> centres(blobs * dimensions);
  for (double& x : centres) x = 10 * normal(random) + offset;
  Data data{count, dimensions, {}};
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < dimensions; ++d)
      data.values.push_back(
          static_cast<float>(centres[i % blobs * dimensions + d] + spread * normal(random)));
  return data;
}

std::vector<float> rows_of(const Data& data, const std::vector<gas::VertexId>& rows) {
  std::vector<float> start;
  for (const gas::VertexId row : rows)
    for (std::size_t d = 0; d < data.dimensions; ++d) start.push_back(data.at(row, d));
  return start;
}

struct Wanted {
  std::vector<float> start = {};  // empty: k-means++
  std::size_t k = 0;
  std::uint64_t iterations = 100;
  double tolerance = 0;
  std::uint64_t seed = 1;
  bool scattered = false;  // points on ranks by their row, not in ranges
  gas::Staleness staleness = {};
};

struct Found {
  std::vector<float> centroids;
  std::vector<std::int32_t> assignments;
  std::vector<double> rounds;  // the objective of each
  double objective = 0;
  std::uint64_t empty = 0, reseeded = 0;
  bool converged = false;
  bool operator==(const Found&) const = default;
};

Found cluster(gas::Transport& transport, unsigned threads, const Data& data, const Wanted& wanted) {
  const gas::Context context(transport, gas_test::make_executor(threads));
  const gas::BlockDistribution blocks{data.count, transport.size()};
  const auto first = blocks.first(transport.rank()), count = blocks.count(transport.rank());
  const std::size_t d = data.dimensions;
  const std::vector<float> mine(
      data.values.begin() + static_cast<std::ptrdiff_t>(first * d),
      data.values.begin() + static_cast<std::ptrdiff_t>((first + count) * d));
  Found found;
  gas::KMeansOptions options{
      .start = {wanted.start.begin(), wanted.start.end()},
      .tolerance = wanted.tolerance,
      .seed = wanted.seed,
      .run = {.iterations = wanted.iterations, .staleness = wanted.staleness}};
  options.on_round = [&](const gas::RoundTold& told) {
    found.rounds.push_back(told.objective.value());
    return true;
  };
  for (std::uint64_t i = 0; wanted.scattered && i < count; ++i)
    options.rank_of.push_back(
        static_cast<int>((first + i) * 7 % static_cast<std::uint64_t>(transport.size())));
  const gas::KMeansResult result =
      gas::k_means(context, gas::Points{mine, d},
                   wanted.start.empty() ? wanted.k : wanted.start.size() / d, options);
  found.converged = result.outcome.converged;
  found.objective = result.objective;
  found.empty = result.empty;
  found.reseeded = result.reseeded;
  found.assignments = gas::whole(transport, result.labels);
  found.centroids = {result.model.centroids.begin(), result.model.centroids.end()};
  return found;
}

/// Runs on every rank count × threads × placement, checks that all end in the same bits, and
/// returns what they found.
Found cluster_everywhere(const Data& data, Wanted wanted) {
  std::optional<Found> first;
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U})
      for (const bool scattered : {false, true}) {
        wanted.scattered = scattered;
        const auto results = run_ranks<Found>(
            ranks, [&](gas::Transport& t) { return cluster(t, threads, data, wanted); });
        if (!first) first = results[0];
        for (const Found& found : results) {
          INFO("ranks " << ranks << " threads " << threads << " scattered " << scattered);
          CHECK(found == *first);
        }
      }
  return *first;
}

double squared(const Data& data, std::size_t i, const std::vector<double>& centroids,
               std::size_t c) {
  double sum = 0;
  for (std::size_t d = 0; d < data.dimensions; ++d) {
    const double difference =
        static_cast<double>(data.at(i, d)) - centroids[c * data.dimensions + d];
    sum += difference * difference;
  }
  return sum;
}

/// Lloyd's algorithm, all in double; an empty cluster keeps its centroid.
struct Serial {
  std::vector<double> centroids;
  std::vector<double> rounds;
  std::vector<std::size_t> nearest;

  Serial(const Data& data, const std::vector<float>& start, std::size_t iterations)
      : centroids(start.begin(), start.end()), nearest(data.count) {
    const std::size_t k = centroids.size() / data.dimensions;
    for (std::size_t round = 0; round < iterations; ++round) {
      rounds.push_back(assign(data));
      std::vector<double> sums(centroids.size());
      std::vector<double> members(k);
      for (std::size_t i = 0; i < data.count; ++i) {
        members[nearest[i]] += 1;
        for (std::size_t d = 0; d < data.dimensions; ++d)
          sums[nearest[i] * data.dimensions + d] += static_cast<double>(data.at(i, d));
      }
      for (std::size_t j = 0; j < sums.size(); ++j)
        if (members[j / data.dimensions] > 0) centroids[j] = sums[j] / members[j / data.dimensions];
    }
  }
  double assign(const Data& data) {
    double objective = 0;
    for (std::size_t i = 0; i < data.count; ++i) {
      double least = squared(data, i, centroids, 0);
      nearest[i] = 0;
      for (std::size_t c = 1; c < centroids.size() / data.dimensions; ++c)
        if (const double distance = squared(data, i, centroids, c); distance < least) {
          least = distance;
          nearest[i] = c;
        }
      objective += least;
    }
    return objective;
  }
};

/// Objective and assignments are those of the centroids as written; near ties aside.
void check_consistent(const Data& data, const Found& found) {
  const std::vector<double> centroids(found.centroids.begin(), found.centroids.end());
  double objective = 0, scale = 0;
  for (std::size_t i = 0; i < data.count; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centroids.size() / data.dimensions; ++c)
      least = std::min(least, squared(data, i, centroids, c));
    const double taken =
        squared(data, i, centroids, static_cast<std::size_t>(found.assignments[i]));
    REQUIRE(taken <= least * (1 + 1e-12));
    objective += taken;
  }
  for (const float x : data.values) scale = std::max(scale, std::abs(static_cast<double>(x)));
  CHECK(found.objective == Approx(objective).epsilon(1e-6).margin(1e-20 * scale * scale));
}

std::size_t distinct_rows(const std::vector<float>& values, std::size_t width) {
  std::set<std::vector<float>> rows;
  for (auto at = values.begin(); at != values.end(); at += static_cast<std::ptrdiff_t>(width))
    rows.insert({at, at + static_cast<std::ptrdiff_t>(width)});
  return rows.size();
}

}  // namespace

TEST_CASE("k-means follows an independent serial Lloyd from the same start", "[kmeans][ranks]") {
  // 130 dimensions: points keep bounds from round to round, and centroids far off are left out.
  struct Shape {
    std::size_t dimensions, clusters;
    double spread, offset;
  };
  for (const Shape shape :
       {Shape{5, 12, 4, 0}, Shape{5, 12, 4, 1e4}, Shape{130, 45, 20, 0}, Shape{130, 45, 20, 1e3}}) {
    INFO(shape.dimensions << " dimensions, offset " << shape.offset);
    const Data data = blobs(700, shape.dimensions, 40, shape.spread, 3, shape.offset);
    std::vector<gas::VertexId> rows;
    for (gas::VertexId i = 0; i < shape.clusters; ++i) rows.push_back(i * 31 % 700);
    const std::vector<float> start = rows_of(data, rows);
    const Found found = cluster_everywhere(data, {.start = start, .iterations = 10});
    Serial serial(data, start, 10);
    REQUIRE(found.rounds.size() == 10);
    for (std::size_t round = 0; round < 10; ++round)
      CHECK(found.rounds[round] == Approx(serial.rounds[round]).epsilon(1e-5));
    CHECK(found.objective == Approx(serial.assign(data)).epsilon(1e-5));
    std::size_t differ = 0;
    for (std::size_t i = 0; i < data.count; ++i)
      differ += static_cast<std::size_t>(found.assignments[i]) != serial.nearest[i] ? 1U : 0U;
    CHECK(differ <= 2);
    check_consistent(data, found);
  }
}

TEST_CASE("k-means recovers planted blobs, wherever the origin and whatever the unit",
          "[kmeans][ranks]") {
  struct Place {
    double offset, factor;
  };
  for (const Place place :
       {Place{0, 1}, Place{1e4, 1}, Place{0, 1e-30}, Place{0, 1e30}, Place{0, 1e37}}) {
    INFO("offset " << place.offset << " factor " << place.factor);
    Data data = blobs(600, 4, 6, 0.5, 8, place.offset);
    for (float& x : data.values) x = static_cast<float>(static_cast<double>(x) * place.factor);
    const Found found = cluster_everywhere(data, {.k = 6, .tolerance = 1e-4, .seed = 3});
    CHECK(found.converged);
    std::set<std::int32_t> names(found.assignments.begin(), found.assignments.begin() + 6);
    CHECK(names.size() == 6);
    for (std::size_t i = 6; i < data.count; ++i)
      REQUIRE(found.assignments[i] == found.assignments[i % 6]);
    check_consistent(data, found);
  }
}

TEST_CASE("k-means at the edges: one dimension, one cluster, one point, as many clusters as points",
          "[kmeans][ranks]") {
  SECTION("one dimension") {
    const Data data{8, 1, {0, 10, 1, 11, 2, 12, 21, 20}};
    const Found found = cluster_everywhere(data, {.start = {0, 10, 20}});
    CHECK(found.centroids == std::vector<float>{1, 11, 20.5F});
    CHECK(found.assignments == std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 2, 2});
    CHECK(found.objective == 4.5);
    CHECK(found.converged);
  }
  SECTION("one cluster: the mean") {
    const Data data = blobs(101, 3, 4, 1, 1);
    const Found found = cluster_everywhere(data, {.k = 1});
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0;
      for (std::size_t i = 0; i < data.count; ++i) sum += static_cast<double>(data.at(i, d));
      CHECK(found.centroids[d] == static_cast<float>(sum / 101));
    }
    check_consistent(data, found);
  }
  SECTION("one point, fewer points than ranks") {
    const Found found = cluster_everywhere({1, 2, {3, -4}}, {.k = 1});
    CHECK(found.centroids == std::vector<float>{3, -4});
    CHECK(found.objective == 0);
    CHECK(found.converged);
  }
  SECTION("all zero") {
    const Found found = cluster_everywhere({3, 1, {0, 0, 0}}, {.k = 2});
    CHECK(found.centroids == std::vector<float>{0, 0});
    CHECK(found.empty == 1);
  }
  SECTION("as many clusters as points") {
    const Data data = blobs(23, 3, 23, 1, 5);
    const Found found = cluster_everywhere(data, {.k = 23});
    CHECK(found.objective == 0);
    CHECK(distinct_rows(found.centroids, 3) == 23);
    CHECK(found.empty == 0);
  }
}

TEST_CASE("k-means with fewer distinct points than clusters ends, and says which stay empty",
          "[kmeans][ranks]") {
  Data data{60, 2, {}};
  for (std::size_t i = 0; i < data.count; ++i)
    data.values.insert(data.values.end(), {static_cast<float>(i % 5) * 0.1F, 0.7F});
  const Found found = cluster_everywhere(data, {.k = 9});
  CHECK(found.converged);
  CHECK(found.objective == 0);
  CHECK(found.empty == 4);
  CHECK(found.reseeded == 0);
  CHECK(distinct_rows(found.centroids, 2) == 5);
  CHECK(distinct_rows(data.values, 2) == 5);
}

TEST_CASE("k-means gives empty centroids the points that gain most", "[kmeans][ranks]") {
  const std::size_t dimensions = GENERATE(std::size_t{2}, 130);  // 130: with bounds
  const Data data = blobs(300, dimensions, 10, 0.1, 12);
  // All starts but one lie far off, where no point is nearest to them.
  std::vector<float> start = rows_of(data, {0});
  start.resize(10 * dimensions, 1e5F);
  const Found found = cluster_everywhere(data, {.start = start});
  CHECK(found.converged);
  CHECK(found.empty == 0);
  CHECK(found.reseeded >= 9);
  std::set<std::int32_t> used(found.assignments.begin(), found.assignments.end());
  CHECK(used.size() == 10);
  check_consistent(data, found);
}

TEST_CASE("k-means at any bound ends with an exact round at planted blobs", "[kmeans][ranks]") {
  const Data data = blobs(600, 4, 6, 0.5, 8);
  for (const int ranks : rank_counts())
    for (const std::uint64_t bound : {1U, 4U}) {
      INFO("ranks " << ranks << " bound " << bound);
      const auto results = run_ranks<Found>(ranks, [&](gas::Transport& t) {
        return cluster(t, 2, data, {.k = 6, .seed = 3, .staleness = {bound, true}});
      });
      for (const Found& found : results) {
        CHECK(found.converged);
        CHECK(found.empty == 0);
        for (std::size_t i = 6; i < data.count; ++i)
          REQUIRE(found.assignments[i] == found.assignments[i % 6]);
        check_consistent(data, found);
      }
    }
}

TEST_CASE("k-means at any bound: all ranks end by the tolerance in the same round",
          "[kmeans][ranks]") {
  const Data data = blobs(3000, 5, 40, 3, 1);
  for (const int ranks : rank_counts())
    for (const std::uint64_t bound : {std::uint64_t{2}, gas::Staleness::async})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto results = run_ranks<Found>(ranks, [&](gas::Transport& t) {
          return cluster(t, 2, data,
                         {.k = 12,
                          .iterations = 5000,
                          .tolerance = 1e-4,
                          .seed = seed,
                          .staleness = {bound, false}});
        });
        for (const Found& found : results) {
          INFO("ranks " << ranks << " bound " << bound << " seed " << seed);
          CHECK(found.converged);
          CHECK(found.rounds == results[0].rounds);
          check_consistent(data, found);
        }
      }
}

TEST_CASE("k-means stops when the objective falls by no more than the tolerance", "[kmeans]") {
  const Data data = blobs(2000, 3, 50, 6, 9);
  std::vector<gas::VertexId> rows;
  for (gas::VertexId i = 0; i < 8; ++i) rows.push_back(i);
  const auto found = run_ranks<Found>(1, [&](gas::Transport& t) {
    return cluster(t, 1, data, {.start = rows_of(data, rows), .tolerance = 1e-2});
  })[0];
  REQUIRE(found.converged);
  REQUIRE(found.rounds.size() >= 3);
  for (std::size_t r = 1; r < found.rounds.size(); ++r) {
    const double fall = (found.rounds[r - 1] - found.rounds[r]) / found.rounds[r - 1];
    CHECK(fall >= 0);
    CHECK((fall <= 1e-2) == (r + 1 == found.rounds.size()));
  }
  CHECK(found.objective <= found.rounds.back());
}

using Rows = std::vector<gas::VertexId>;

const auto plus_plus = [](auto&... with) { return gas::detail::plus_plus_rows(with...); };
const auto parallel = [](auto&... with) { return gas::detail::parallel_rows(with...); };

/// What `draw` draws with seeds from 1, in a frame of 2^10, by all ranks.
template <class Draw>
std::vector<std::vector<Rows>> drawn(int ranks, const Data& data, std::uint64_t k,
                                     std::uint64_t seeds, Draw draw) {
  return run_ranks<std::vector<Rows>>(ranks, [&](gas::Transport& transport) {
    const gas::BlockDistribution blocks{data.count, transport.size()};
    gas::PointShares shares{data.dimensions, {}};
    for (int rank = 0; rank <= transport.size(); ++rank) shares.first.push_back(blocks.first(rank));
    const auto share = std::span<const float>(data.values)
                           .subspan(blocks.first(transport.rank()) * data.dimensions,
                                    blocks.count(transport.rank()) * data.dimensions);
    const auto executor = gas_test::make_executor(static_cast<unsigned>(transport.size()));
    const auto points = gas::detail::points_in<float>(
        *executor, {.exponent = 10}, gas::detail::place(transport, shares, share, nullptr));
    std::vector<Rows> rows;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      rows.push_back(draw(transport, *executor, points, k, seed));
    return rows;
  });
}

TEST_CASE("k-means++ draws the first start at random, the others far apart", "[kmeans][ranks]") {
  // 100 points in one spot, 1 far away, 1 at a tenth of that: the first draw is nearly surely one
  // of the 100, the second the far one (chance 100 : 1 against the near one, which is no better).
  Data data{102, 1, std::vector<float>(102, 0.0F)};
  data.values[40] = 1000;
  data.values[77] = 100;
  for (const int ranks : rank_counts())
    for (const auto& seeds : drawn(ranks, data, 3, 100, plus_plus)) {
      int far_second = 0, distinct = 0, first_in_front = 0;
      for (const Rows& rows : seeds) {
        REQUIRE(rows.size() == 3);
        far_second += rows[1] == 40 ? 1 : 0;
        first_in_front += rows[0] < 51 ? 1 : 0;
        std::set<float> values;
        for (const gas::VertexId row : rows) values.insert(data.values[row]);
        distinct += values.size() == 3 ? 1 : 0;
      }
      CHECK(far_second >= 90);
      CHECK(distinct == 100);
      CHECK(first_in_front > 30);
      CHECK(first_in_front < 70);
    }
}

TEST_CASE("k-means++ draws candidates in proportion to squared distance", "[kmeans]") {
  // 997 points in one spot, where the first start is nearly surely, and one point on each of three
  // axes, at squared distances 4, 2 and 1. Two of these are drawn, and the farther one is kept:
  // that at 2 with chance 2/7 · 1/5 + 1/7 · 2/6.
  Data data{1000, 3, std::vector<float>(3000, 0.0F)};
  data.values[std::size_t{3} * 100] = 2;
  data.values[std::size_t{3} * 200 + 1] = std::sqrt(2.0F);
  data.values[std::size_t{3} * 300 + 2] = 1;
  std::map<gas::VertexId, int> second;
  const auto ranks = drawn(2, data, 2, 2000, plus_plus);
  for (const Rows& rows : ranks[0]) ++second[rows.at(1)];
  CHECK(second[300] < 10);
  CHECK(std::abs(second[200] - 2000 * (2.0 / 35 + 1.0 / 21)) < 70);  // 5 standard deviations
  CHECK(second[100] > 1690);
}

TEST_CASE("k-means++ and k-means|| end where all points are at a start", "[kmeans]") {
  const Data data{6, 1, {1, 2, 1, 2, 1, 2}};
  const auto check = [&](auto draw) {
    for (const auto& seeds : drawn(2, data, 4, 5, draw))
      for (const Rows& rows : seeds) {
        REQUIRE(rows.size() == 2);
        CHECK(rows[0] % 2 != rows[1] % 2);
      }
  };
  check(plus_plus);
  check(parallel);
}

TEST_CASE("k-means++ and k-means|| find planted clusters, the same rows on any ranks and threads",
          "[kmeans][ranks]") {
  const Data data = blobs(3000, 10, 40, 0.5, 17);  // row i belongs to cluster i mod 40
  const auto check = [&](auto draw) {
    std::vector<Rows> first;
    for (const int ranks : rank_counts())
      for (const auto& seeds : drawn(ranks, data, 40, 20, draw)) {
        if (first.empty()) first = seeds;
        CHECK(seeds == first);
      }
    // One draw for each start, without a choice, finds all in 6 of these 20 runs.
    int complete = 0;
    for (const Rows& rows : first) {
      std::set<gas::VertexId> clusters;
      for (const gas::VertexId row : rows) clusters.insert(row % 40);
      complete += clusters.size() == 40 ? 1 : 0;
    }
    CHECK(complete >= 18);
  };
  check(plus_plus);
  check(parallel);
}

TEST_CASE("random starts are distinct rows, and differ by seed", "[kmeans]") {
  for (const std::uint64_t k : {1U, 5U, 19U, 20U}) {
    const auto rows = gas::detail::random_rows(20, k, 4);
    CHECK(std::set<gas::VertexId>(rows.begin(), rows.end()).size() == k);
    for (const gas::VertexId row : rows) CHECK(row < 20);
  }
  CHECK(gas::detail::random_rows(1000, 5, 1) != gas::detail::random_rows(1000, 5, 2));
}
