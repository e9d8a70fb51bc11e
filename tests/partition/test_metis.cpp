#include <metis.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/exchange/local_transport.hpp"
#include "partition/measure/balance.hpp"
#include "partition/metis/graph.hpp"
#include "partition/partition.hpp"
#include "tests/partition/graphs.hpp"
#include "tests/partition/sorts.hpp"
#include "tests/support/ranks.hpp"

namespace {

std::atomic<int> sigterms{0};

using gas::partition::MetisScheme;
using gas_test::Graph;

/// METIS asked directly about the graph, built by sets and maps: the part of each data vertex, or
/// of each vertex of a plain graph, that has an edge. Empty if it left a part too large.
std::map<std::uint64_t, idx_t> direct(const Graph& graph, idx_t parts, idx_t seed, bool kway) {
  const bool bipartite = graph.shape.bipartite;
  const std::uint64_t shift = bipartite ? graph.shape.sources : 0;
  std::map<std::uint64_t, std::map<std::uint64_t, std::set<bool>>> neighbours;
  std::map<std::uint64_t, idx_t> owned;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::uint64_t from = graph.edges.source[i];
    const std::uint64_t to = graph.edges.target[i] + shift;
    ++owned[bipartite ? from : to];
    neighbours[from], neighbours[to];
    if (from == to) continue;
    neighbours[from][to].insert(from < to);
    neighbours[to][from].insert(from < to);
  }
  std::map<std::uint64_t, idx_t> number;
  for (const auto& [v, others] : neighbours) number.emplace(v, static_cast<idx_t>(number.size()));
  std::vector<idx_t> begin{0};
  std::vector<idx_t> neighbour;
  std::vector<idx_t> pair_weight;
  std::vector<idx_t> weight;
  for (const auto& [v, others] : neighbours) {
    for (const auto& [other, directions] : others) {
      neighbour.push_back(number.at(other));
      pair_weight.push_back(static_cast<idx_t>(directions.size()));
    }
    begin.push_back(static_cast<idx_t>(neighbour.size()));
    weight.push_back(bipartite && v >= shift ? 0 : 16 * owned[v] + 1);
  }
  auto vertices = static_cast<idx_t>(weight.size());
  idx_t one = 1;
  idx_t cut = 0;
  real_t imbalance = 1.05F;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  std::vector<idx_t> found(weight.size());
  const auto call = kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  REQUIRE(call(&vertices, &one, begin.data(), neighbour.data(), weight.data(), nullptr,
               pair_weight.data(), &parts, nullptr, &imbalance, options, &cut,
               found.data()) == METIS_OK);
  std::map<std::uint64_t, idx_t> result;
  std::vector<double> edges(static_cast<std::size_t>(parts));
  for (const auto& [v, i] : number) {
    if (bipartite && v >= shift) continue;
    const idx_t part = result[v] = found[static_cast<std::size_t>(i)];
    edges[static_cast<std::size_t>(part)] += owned[v];
  }
  // Within the promise there is nothing to repair.
  if (*std::max_element(edges.begin(), edges.end()) >
      1.05 * static_cast<double>(graph.edges.size()) / parts)
    return {};
  return result;
}

}  // namespace

TEST_CASE("metis is METIS on the graph made symmetric, without loops and repeats", "[partition]") {
  int compared = 0;
  for (const bool bipartite : {false, true})
    for (const bool kway : {false, true})
      for (const gas::Part parts : {2U, 4U, 6U}) {
        INFO((bipartite ? "bipartite, " : "plain, ")
             << parts << " parts" << (kway ? ", k-way" : ""));
        const Graph graph = gas_test::clustered(bipartite, 300);
        const auto expected = direct(graph, static_cast<idx_t>(parts), 77, kway);
        if (expected.empty()) continue;
        ++compared;
        gas::partition::Options options{"metis", parts, 5, 77};
        options.metis_scheme = kway ? MetisScheme::kway : MetisScheme::recursive;
        gas::Partition found;
        gas::run_local_ranks(1, [&](gas::Transport& comm) {
          found = gas::partition::make_partition(comm, graph.edges, graph.shape, options);
        });
        std::set<std::uint64_t> owners;  // the others may be moved to where an edge of them is
        for (const gas::VertexId row : bipartite ? graph.edges.source : graph.edges.target)
          owners.insert(row);
        REQUIRE(owners.size() > 2000);
        std::size_t different = 0;
        for (const std::uint64_t v : owners)
          different += found.source_master[v] != static_cast<gas::Part>(expected.at(v));
        CHECK(different == 0);
      }
  CHECK(compared > 8);
}

TEST_CASE("metis cuts no more edges than either of its schemes", "[partition]") {
  std::map<MetisScheme, int> wins;
  for (const Graph& graph : gas_test::graphs_of_many_sorts(1))
    for (const gas::Part parts : {2U, 8U}) {
      INFO(graph.name << ", " << parts << " parts");
      gas::partition::Options options{"metis", parts, 5, 1};
      struct Result {
        std::uint64_t cut = 0;
        bool kept = false;
      };
      std::map<MetisScheme, Result> results;
      std::vector<std::string> told;
      options.tell = [&](const std::string& why) { told.push_back(why); };
      for (const MetisScheme scheme :
           {MetisScheme::recursive, MetisScheme::kway, MetisScheme::better}) {
        options.metis_scheme = scheme;
        gas::run_local_ranks(1, [&](gas::Transport& comm) {
          const auto cut = gas::partition::make_partition(comm, graph.edges, graph.shape, options);
          results[scheme].kept =
              gas::partition::balance(comm, graph.edges, graph.shape, cut, options).kept;
          const std::uint64_t shift = graph.shape.bipartite ? graph.shape.sources : 0;
          for (std::size_t e = 0; e < graph.edges.size(); ++e) {
            const auto& of_targets = shift > 0 ? cut.target_master : cut.source_master;
            results[scheme].cut +=
                cut.source_master[graph.edges.source[e]] != of_targets[graph.edges.target[e]];
          }
        });
      }
      const auto recursive = results[MetisScheme::recursive], kway = results[MetisScheme::kway];
      const auto better = results[MetisScheme::better];
      CHECK(better.kept == (recursive.kept || kway.kept));
      if (!graph.shape.bipartite && recursive.kept == kway.kept)  // else masters are moved
        CHECK(better.cut == std::min(recursive.cut, kway.cut));
      ++wins[kway.cut < recursive.cut ? MetisScheme::kway : MetisScheme::recursive];
      REQUIRE(told.size() == 1);
      CHECK_THAT(told[0], Catch::StartsWith("metis chose "));
    }
  CHECK(wins[MetisScheme::recursive] > 3);
  CHECK(wins[MetisScheme::kway] > 3);
}

extern "C" void count_sigterm(int) { sigterms.fetch_add(1); }

TEST_CASE("a SIGTERM while METIS runs is the process's, and changes nothing", "[partition]") {
  const Graph graph = gas_test::clustered(false, 6000);
  gas::partition::Options options{"metis", 3000, 5, 1};
  options.metis_scheme = MetisScheme::recursive;
  const auto cut = [&] {
    const std::unique_ptr<gas::Transport> alone = gas::make_lone_transport();
    return gas::partition::make_partition(*alone, graph.edges, graph.shape, options);
  };
  const gas::Partition expected = cut();
  struct sigaction counted {
  }, before{};
  counted.sa_handler = count_sigterm;
  sigaction(SIGTERM, &counted, &before);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGTERM);
  bool in_metis = false;
  std::thread sender([&] {
    pthread_sigmask(SIG_BLOCK, &only, nullptr);  // it is the main thread's
    struct sigaction now {};
    for (int i = 0; i < 10000 && !in_metis; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      sigaction(SIGTERM, nullptr, &now);
      in_metis = now.sa_handler != count_sigterm;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(getpid(), SIGTERM);
  });
  const gas::Partition found = cut();
  sender.join();
  sigaction(SIGTERM, &before, nullptr);
  CHECK(in_metis);
  CHECK(sigterms == 1);
  CHECK(gas_test::same(found, expected));
}

TEST_CASE("metis finds clusters", "[partition]") {
  const Graph graph = gas_test::clustered(true, 60);
  gas::Partition found;
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    found = gas::partition::make_partition(comm, graph.edges, graph.shape, {"metis", 4, 5, 1});
  });
  std::size_t split = 0;
  for (std::size_t v = 0; v < graph.shape.sources; ++v)
    split += found.source_master[v] != found.source_master[v / 10 * 10];
  CHECK(split < graph.shape.sources / 10);
}

TEST_CASE("a graph beyond the memory is refused, and what takes less is named", "[partition]") {
  using gas::partition::require_memory_for_metis;
  CHECK_NOTHROW(require_memory_for_metis(8000, 1000000));
  CHECK_THROWS_WITH(require_memory_for_metis(80'000'000, std::uint64_t{8} << 30U),
                    "the graph is too large for method 'metis' (80000000 pairs of neighbours take "
                    "about 9536 MiB, this machine has 8192): use 'ne', 'hdrf' or 'range'");
}

TEST_CASE("a graph beyond 32 bits is refused before anything is allocated", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts()) {
    const auto messages =
        gas_test::run_ranks<std::string>(ranks, [](gas::Transport& comm) -> std::string {
          const gas::GraphShape shape{std::uint64_t{1} << 30U, std::uint64_t{1} << 30U, true};
          try {
            gas::partition::make_partition(comm, {}, shape, {"metis", 4, 5, 1});
          } catch (const gas::RunError& error) {
            return error.what();
          }
          return "none";
        });
    for (const std::string& text : messages)
      CHECK_THAT(text, Catch::Contains("use 'ne', 'hdrf' or 'range'"));
  }
}
