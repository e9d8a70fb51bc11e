// k_means by topologies of its exchange, on simulated ranks and on threads.
#include <catch2/catch.hpp>
#include <random>

#include "gas/exchange/simulated_transport.hpp"
#include "programs/k_means/k_means.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using gas::Topology;

namespace {

constexpr std::size_t columns = 3, points = 150, k = 7;
constexpr Topology topologies[] = {Topology::flat, Topology::groups, Topology::tree};

const std::vector<float>& coordinates() {
  static const std::vector<float> all = [] {
    std::mt19937 draw(11);
    std::normal_distribution<float> normal;
    std::vector<float> made(points * columns);
    for (float& x : made) x = normal(draw);
    return made;
  }();
  return all;
}

struct Found {
  std::vector<double> centroids, objectives;
  std::uint64_t rounds = 0;
  std::uint64_t messages = 0;  // of this rank
  bool same(const Found& other) const {
    return centroids == other.centroids && objectives == other.objectives && rounds == other.rounds;
  }
};

Found cluster(gas::Transport& transport, Topology topology, std::uint64_t clusters = k) {
  const gas::Context context(transport, gas_test::make_executor(1));
  const gas::BlockDistribution blocks{points, transport.size()};
  const auto at = [&](int rank) {
    return coordinates().begin() + static_cast<std::ptrdiff_t>(blocks.first(rank) * columns);
  };
  const std::vector<float> mine(at(transport.rank()), at(transport.rank() + 1));
  Found found;
  gas::KMeansOptions options{.start = {},
                             .tolerance = 0,
                             .run = {.iterations = 12, .topology = topology},
                             .on_round = [&](const gas::RoundTold& told) {
                               found.objectives.push_back(told.objective.value());
                               return true;
                             }};
  for (std::size_t i = 0; i < clusters * columns; ++i)
    options.start.push_back(double{coordinates()[i]});
  const std::uint64_t before = transport.messages_sent();
  const gas::KMeansResult result = gas::k_means(context, {mine, columns}, clusters, options);
  found.messages = transport.messages_sent() - before;
  found.centroids = result.model.centroids;
  found.rounds = result.outcome.rounds;
  return found;
}

}  // namespace

TEST_CASE("parts that come twice, late and in any order leave the same bits, by any topology",
          "[topologies]") {
  const auto expected = gas_test::run_ranks<Found>(
      1, [](gas::Transport& transport) { return cluster(transport, Topology::flat); })[0];
  REQUIRE(expected.rounds > 5);
  std::uint64_t deliveries[2] = {};  // once each; some twice
  for (const int ranks : {2, 3, 4, 5, 9, 13})
    for (const Topology topology : topologies)
      for (std::uint64_t seed = 0; seed < 8; ++seed)
        for (const bool twice : {false, true}) {
          INFO("ranks " << ranks << " topology " << static_cast<int>(topology) << " seed " << seed);
          auto network = gas::SimulatedNetwork::drawn(seed);
          network.twice_chance = twice ? 0.5 : 0;
          network.in_order = !twice;
          gas::SimulatedRun report;
          std::vector<Found> found(static_cast<std::size_t>(ranks));
          gas::run_simulated_ranks(
              ranks, network,
              [&](gas::SimulatedTransport& transport) {
                cluster(transport, topology, k - 1);  // what comes late is no part of the next one
                found[static_cast<std::size_t>(transport.rank())] = cluster(transport, topology);
              },
              &report);
          for (const Found& one : found) CHECK(one.same(expected));
          deliveries[twice ? 1 : 0] += report.deliveries;
        }
  CHECK(deliveries[1] > deliveries[0] + deliveries[0] / 4);
}

TEST_CASE(
    "topologies come to the same bits with fewer messages, also with fewer centroids than "
    "ranks",
    "[topologies][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const std::uint64_t clusters : {std::uint64_t{2}, std::uint64_t{k}}) {
      std::vector<Found> flat;
      for (const Topology topology : topologies) {
        INFO("ranks " << ranks << " topology " << static_cast<int>(topology));
        const auto found = gas_test::run_ranks<Found>(ranks, [&](gas::Transport& transport) {
          return cluster(transport, topology, clusters);
        });
        if (topology == Topology::flat) flat = found;
        for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].same(flat[0]));
        if (ranks == 4 && clusters == k && topology == Topology::tree)
          for (std::size_t i = 0; i < found.size(); ++i)
            CHECK(found[i].messages < flat[i].messages);
      }
    }
}

TEST_CASE("a topology is refused where it makes no sense", "[topologies]") {
  using Catch::Matchers::Contains;
  for (const Topology topology : {Topology::groups, Topology::tree}) {
    gas::RunOptions options{.staleness = {1, false}, .topology = topology};
    CHECK_THROWS_WITH(gas::check_k_means(options),
                      Contains("topology") && Contains("needs staleness 0"));
    options.staleness.bound = gas::Staleness::async;
    CHECK_THROWS_WITH(gas::check_k_means(options), Contains("needs staleness 0"));
    options.staleness.bound = 0;
    CHECK_NOTHROW(gas::check_k_means(options));
  }
}
