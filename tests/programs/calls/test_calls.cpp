// The calls of the graph algorithms, on data in memory, against answers by loops of a few lines and
// by Boost.Graph.
#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/base/random.hpp"
#include "gas/engine/engine.hpp"
#include "programs/breadth_first_search/breadth_first_search.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/components/components.hpp"
#include "programs/k_core/k_core.hpp"
#include "programs/label_propagation/label_propagation.hpp"
#include "programs/page_rank/page_rank.hpp"
#include "programs/shortest_paths/shortest_paths.hpp"
#include "programs/triangles/triangles.hpp"
#include "tests/support/ranks.hpp"

namespace {

struct Edges {
  std::vector<std::int64_t> sources, targets;
  std::vector<double> lengths;
};

constexpr std::size_t vertices = 120;

/// Sparse enough for several components, with loops and repeats; the last vertices have no edge.
Edges some_edges(std::uint64_t seed) {
  Edges edges;
  const gas::Random random(seed);
  for (std::uint64_t e = 0; e < 150; ++e) {
    edges.sources.push_back(static_cast<std::int64_t>(random.below(vertices - 10, 3 * e)));
    edges.targets.push_back(static_cast<std::int64_t>(random.below(vertices - 10, 3 * e + 1)));
    edges.lengths.push_back(0.1 + random.uniform(3 * e + 2));
  }
  return edges;
}

/// A third of the edges or so per rank; together they are all.
Edges share_of(const Edges& all, const gas::Communicator& comm) {
  const gas::BlockDistribution blocks{all.sources.size(), comm.size()};
  const auto first = static_cast<std::ptrdiff_t>(blocks.first(comm.rank()));
  const auto last = static_cast<std::ptrdiff_t>(blocks.first(comm.rank() + 1));
  return {{all.sources.begin() + first, all.sources.begin() + last},
          {all.targets.begin() + first, all.targets.begin() + last},
          {all.lengths.begin() + first, all.lengths.begin() + last}};
}

/// What call(context, graph) gives on every rank, for each number of ranks.
template <class Result, class Call>
void on_all_ranks(const Edges& all, bool undirected, const Result& expected, Call call) {
  for (const int ranks : gas_test::rank_counts()) {
    INFO(ranks << " ranks");
    const auto results = gas_test::run_ranks<Result>(ranks, [&](gas::Transport& transport) {
      const gas::Context context(transport, 2);
      const Edges mine = share_of(all, transport);
      return call(context,
                  gas::Graph::from_edges(context, mine.sources, mine.targets, mine.lengths,
                                         {.vertices = vertices, .undirected = undirected}));
    });
    for (const Result& result : results) CHECK(result == expected);
  }
}

using Weighted =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                          boost::property<boost::edge_weight_t, double>>;

}  // namespace

TEST_CASE("a call needs no MPI and no partition", "[calls]") {
  const std::vector<int> from{0, 1, 2, 4}, to{1, 2, 0, 5};
  const gas::Context context;
  const gas::Graph graph = gas::Graph::from_edges(context, from, to);
  CHECK(graph.vertices() == 6);
  const gas::Components found = gas::components(context, graph);
  CHECK(found.count == 3);
  CHECK(found.labels == std::vector<gas::VertexId>{0, 0, 0, 3, 4, 4});
  CHECK(found.outcome.converged);
  const gas::PageRanks ranked = gas::page_rank(context, graph, {.tolerance = 1e-12});
  double sum = 0;
  for (const double rank : ranked.ranks) sum += rank;
  CHECK(sum == Approx(1));
  CHECK(ranked.ranks[0] == Approx(ranked.ranks[1]));
  CHECK(ranked.wide);
  CHECK(gas::triangles(context, graph).count == 1);
}

TEST_CASE("components in memory are those of Boost.Graph", "[calls][ranks]") {
  const Edges all = some_edges(1);
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> theirs(vertices);
  for (std::size_t e = 0; e < all.sources.size(); ++e)
    boost::add_edge(static_cast<std::size_t>(all.sources[e]),
                    static_cast<std::size_t>(all.targets[e]), theirs);
  std::vector<int> component(vertices);
  const int count = boost::connected_components(theirs, component.data());
  std::vector<gas::VertexId> least(static_cast<std::size_t>(count), vertices), expected;
  for (std::size_t v = vertices; v-- > 0;)
    least[static_cast<std::size_t>(component[v])] = gas::to_vertex_id(v);
  for (const int c : component) expected.push_back(least[static_cast<std::size_t>(c)]);
  expected.push_back(gas::to_vertex_id(static_cast<std::uint64_t>(count)));
  on_all_ranks(all, false, expected, [](const gas::Context& context, const gas::Graph& graph) {
    const gas::Components found = gas::components(context, graph);
    auto labels = gas::whole(context.transport(), found.labels);
    labels.push_back(gas::to_vertex_id(found.count));
    return labels;
  });
}

TEST_CASE("distances and hops in memory are those of Boost.Graph", "[calls][ranks]") {
  const Edges all = some_edges(2);
  Weighted theirs(vertices);
  for (std::size_t e = 0; e < all.sources.size(); ++e)
    boost::add_edge(static_cast<std::size_t>(all.sources[e]),
                    static_cast<std::size_t>(all.targets[e]), all.lengths[e], theirs);
  const auto source = static_cast<std::uint64_t>(all.sources[0]);
  std::vector<double> expected(vertices);
  boost::dijkstra_shortest_paths(
      theirs, source,
      boost::distance_map(expected.data()).distance_inf(std::numeric_limits<double>::infinity()));
  std::vector<std::int32_t> hops(vertices, -1);
  hops[source] = 0;
  for (std::int32_t level = 0; std::ranges::count(hops, level) > 0; ++level)
    for (std::size_t e = 0; e < all.sources.size(); ++e) {
      std::int32_t& at = hops[static_cast<std::size_t>(all.targets[e])];
      if (hops[static_cast<std::size_t>(all.sources[e])] == level && at < 0) at = level + 1;
    }
  on_all_ranks(all, false, true, [&](const gas::Context& context, const gas::Graph& graph) {
    const gas::Distances found = gas::shortest_paths(context, graph, source);
    const auto distances = gas::whole(context.transport(), found.distances);
    bool same = found.outcome.converged;
    for (std::size_t v = 0; v < vertices; ++v)
      same = same && (distances[v] == expected[v] ||
                      std::abs(distances[v] - expected[v]) <= 1e-12 * expected[v]);
    for (const double width : {1e-3, 1e3})
      same = same && gas::shortest_paths(context, graph, source, {.width = width}).distances ==
                         found.distances;
    for (const double width : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
      try {
        gas::shortest_paths(context, graph, source, {.width = width});
        same = false;
      } catch (const gas::UsageError&) {
      }
    }
    return same && static_cast<std::size_t>(std::ranges::count_if(
                       distances, [](double d) { return !std::isinf(d); })) == found.reached;
  });
  on_all_ranks(all, false, hops, [&](const gas::Context& context, const gas::Graph& graph) {
    return gas::whole(context.transport(), gas::breadth_first_search(context, graph, source).hops);
  });
}

TEST_CASE("distances along a chain that all threads look at", "[calls][ranks]") {
  // So long that results are laid out by all threads; only the first part can be reached.
  const int length = 600'000, cut = 599'000;
  for (const int ranks : gas_test::rank_counts()) {
    const auto results = gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
      const gas::Context context(transport, 2);
      std::vector<int> from, to;
      std::vector<double> lengths;
      for (int v = transport.rank(); v + 1 < length; v += transport.size()) {
        if (v + 1 == cut) continue;
        from.push_back(v);
        to.push_back(v + 1);
        lengths.push_back(1 + v % 3);
      }
      const gas::Graph graph =
          gas::Graph::from_edges(context, from, to, lengths, {.partition = "range"});
      const gas::Distances found = gas::shortest_paths(context, graph, 0);
      const auto distances = gas::whole(context.transport(), found.distances);
      std::string wrong;
      double expected = 0;
      for (int v = 0; v < length; ++v) {
        if (distances[static_cast<std::size_t>(v)] != expected) wrong = std::to_string(v);
        if (v + 1 == cut && found.farthest != expected) wrong += "farthest";
        expected = v + 1 < cut ? expected + 1 + v % 3 : std::numeric_limits<double>::infinity();
      }
      if (found.reached != std::uint64_t{cut}) wrong += "reached";
      if (transport.rank() == transport.size() - 1) lengths.back() = -1;  // the last of all
      const gas::Graph negative =
          gas::Graph::from_edges(context, from, to, lengths, {.partition = "range"});
      try {
        gas::shortest_paths(context, negative, 0);
        wrong += "a negative length is taken";
      } catch (const gas::InputError&) {
      }
      return wrong;
    });
    for (const std::string& wrong : results) CHECK(wrong.empty());
  }
}

TEST_CASE("cores, triangles and communities in memory", "[calls][ranks]") {
  const Edges all = some_edges(3);
  std::vector<std::set<std::size_t>> near(vertices);
  for (std::size_t e = 0; e < all.sources.size(); ++e) {
    const auto a = static_cast<std::size_t>(all.sources[e]);
    const auto b = static_cast<std::size_t>(all.targets[e]);
    if (a != b) near[a].insert(b), near[b].insert(a);
  }
  std::vector<std::uint64_t> corners(vertices, 0);
  for (std::size_t v = 0; v < vertices; ++v)
    for (const std::size_t a : near[v])
      for (const std::size_t b : near[v]) corners[v] += a < b && near[a].contains(b) ? 1 : 0;
  std::vector<std::uint32_t> cores(vertices, 0);
  for (std::uint32_t k = 1;; ++k) {
    std::vector<std::set<std::size_t>> left = near;
    for (bool fewer = true; fewer;) {
      fewer = false;
      for (std::size_t v = 0; v < vertices; ++v)
        if (!left[v].empty() && left[v].size() < k) {
          for (const std::size_t a : left[v]) left[a].erase(v);
          left[v].clear();
          fewer = true;
        }
    }
    bool any = false;
    for (std::size_t v = 0; v < vertices; ++v)
      if (!left[v].empty()) cores[v] = k, any = true;
    if (!any) break;
  }
  on_all_ranks(all, true, cores, [](const gas::Context& context, const gas::Graph& graph) {
    return gas::whole(context.transport(), gas::k_core(context, graph).cores);
  });
  on_all_ranks(all, true, corners, [](const gas::Context& context, const gas::Graph& graph) {
    return gas::whole(context.transport(), gas::triangles(context, graph).triangles);
  });
  // Every vertex has a label that most of its neighbours have.
  on_all_ranks(all, true, true, [&](const gas::Context& context, const gas::Graph& graph) {
    const gas::Communities found = gas::label_propagation(context, graph);
    const auto labels = gas::whole(context.transport(), found.labels);
    bool stable = std::set(labels.begin(), labels.end()).size() == found.count;
    for (std::size_t v = 0; v < vertices; ++v) {
      std::vector<int> votes(vertices, 0);
      for (const std::size_t a : near[v]) ++votes[labels[a]];
      stable = stable && votes[labels[v]] == *std::ranges::max_element(votes);
    }
    return stable;
  });
}

TEST_CASE("ranks of pages in memory, weighted and personalised", "[calls][ranks]") {
  const Edges all = some_edges(4);
  std::vector<double> home(vertices, 0);
  home[3] = 0.25, home[7] = 0.75;
  std::vector<double> weights(vertices, 0), expected(home);
  for (std::size_t e = 0; e < all.sources.size(); ++e)
    weights[static_cast<std::size_t>(all.sources[e])] += all.lengths[e];
  for (int round = 0; round < 300; ++round) {
    std::vector<double> next(vertices, 0);
    double lost = 0;
    for (std::size_t v = 0; v < vertices; ++v) lost += weights[v] > 0 ? 0 : expected[v];
    for (std::size_t v = 0; v < vertices; ++v) next[v] = home[v] * (0.15 + 0.85 * lost);
    for (std::size_t e = 0; e < all.sources.size(); ++e) {
      const auto from = static_cast<std::size_t>(all.sources[e]);
      next[static_cast<std::size_t>(all.targets[e])] +=
          0.85 * expected[from] * all.lengths[e] / weights[from];
    }
    expected = next;
  }
  on_all_ranks(all, false, true, [&](const gas::Context& context, const gas::Graph& graph) {
    const gas::PageRanks found = gas::page_rank(
        context, graph, {.tolerance = 1e-13, .teleport = home, .run = {.iterations = 500}});
    const auto ranks = gas::whole(context.transport(), found.ranks);
    double off = 0;
    for (std::size_t v = 0; v < vertices; ++v) off += std::abs(ranks[v] - expected[v]);
    return found.weighted && found.outcome.converged && off < 1e-12;
  });
}

TEST_CASE("compressed rows and files give the graph that edges give", "[calls][ranks]") {
  const gas_test::TemporaryFile file("calls.txt");
  const std::string& path = file.path;
  if (gas_test::mpi_world() == nullptr) {
    std::ofstream(path) << "0 1\n0 2\n1 2\n4 3\n";
    const gas::Context context;
    const gas::Graph graph = gas::Graph::load(context, path);
    CHECK(gas::components(context, graph).count == 2);
    CHECK(graph.name() == path);
    CHECK(graph.ids().rows() == 5);
  }
  for (const int ranks : gas_test::rank_counts()) {
    const auto results = gas_test::run_ranks<bool>(ranks, [&](gas::Transport& transport) {
      const gas::Context context(transport, 1);
      // Rank r has rows r and r + 1 of a path that goes on with the rows of the next rank.
      const std::vector<std::size_t> offsets{0, 1, 2};
      const auto first = static_cast<std::uint32_t>(2 * transport.rank());
      const std::vector<std::uint32_t> targets{first + 1, first + 2};
      const gas::Graph graph =
          gas::Graph::from_rows(context, offsets, targets, std::vector<float>());
      const gas::BreadthFirstTree tree = gas::breadth_first_search(context, graph, 0);
      return graph.vertices() == 2 * static_cast<std::uint64_t>(ranks) + 1 &&
             tree.farthest == 2 * ranks && tree.reached == graph.vertices();
    });
    for (const bool good : results) CHECK(good);
  }
}

TEST_CASE("values as given are the file's own, also where floats do not hold them", "[calls]") {
  const gas_test::TemporaryFile file("as_given.txt");
  const std::string& path = file.path;
  std::ofstream(path) << "0 1 16777217\n1 2 1\n";
  const gas::Context context;
  const gas::Graph graph = gas::Graph::load(context, path);
  const auto given = graph.laid_out(context, gas::Arcs::given, gas::EdgeValues::as_given);
  CHECK(given->wide_values == std::vector<double>{16777217, 1});
  CHECK(given->values.empty());
  const auto floats = graph.laid_out(context, gas::Arcs::given, gas::EdgeValues::floats);
  CHECK(floats->values == std::vector<float>{16777216, 1});
  CHECK(gas::shortest_paths(context, graph, 0).distances ==
        std::vector<double>{0, 16777217, 16777218});
  // Floats would be infinite, 0 or short of digits.
  for (const double beyond : {1e39, 1e-46, 1e-40}) {
    const std::vector<double> values{beyond, 0};
    const gas::Graph far =
        gas::Graph::from_edges(context, std::vector<int>{0, 1}, std::vector<int>{1, 2}, values);
    CHECK(far.laid_out(context, gas::Arcs::given, gas::EdgeValues::floats)->wide_values == values);
  }
}

TEST_CASE("simple arcs have the sum of a pair's values, on any ranks", "[calls][ranks]") {
  Edges all = some_edges(5);
  for (const std::size_t e : {std::size_t{3}, std::size_t{40}, std::size_t{77}})  // both ways
    for (int times = 0; times < 3; ++times) {
      all.sources.push_back(times % 2 == 0 ? all.targets[e] : all.sources[e]);
      all.targets.push_back(times % 2 == 0 ? all.sources[e] : all.targets[e]);
      all.lengths.push_back(10.0 * (times + 1));
    }
  std::map<std::pair<gas::VertexId, gas::VertexId>, double> expected;
  for (std::size_t e = 0; e < all.sources.size(); ++e) {
    const auto from = gas::to_vertex_id(static_cast<std::uint64_t>(all.sources[e]));
    const auto to = gas::to_vertex_id(static_cast<std::uint64_t>(all.targets[e]));
    if (from == to) continue;
    expected[{from, to}] += all.lengths[e];
    expected[{to, from}] += all.lengths[e];
  }
  for (const int ranks : gas_test::rank_counts())
    for (const char* partition : {"metis", "random"})
      for (const gas::EdgeValues values : {gas::EdgeValues::floats, gas::EdgeValues::as_given}) {
        INFO(ranks << " ranks, " << partition);
        const auto results = gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& comm) {
          const gas::Context context(comm, 1);
          const Edges mine = share_of(all, comm);
          const auto graph =
              gas::Graph::from_edges(context, mine.sources, mine.targets, mine.lengths,
                                     {.vertices = vertices, .partition = partition})
                  .laid_out(context, gas::Arcs::simple, values);
          const gas::Adjacency& a = graph->adjacency;
          std::uint64_t arcs = 0, right = 0;
          for (gas::LocalId v = 0; v < a.vertices(); ++v)
            for (gas::EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e, ++arcs) {
              const auto found =
                  expected.find({graph->owner.rows[v], graph->owner.rows[a.neighbours[e]]});
              const double value =
                  graph->wide_values.empty() ? graph->values[e] : graph->wide_values[e];
              right += found != expected.end() && std::abs(value - found->second) < 1e-5 ? 1 : 0;
            }
          return fmt::format("{} arcs, {} right", gas::all_sum(comm, arcs),
                             gas::all_sum(comm, right));
        });
        for (const std::string& result : results)
          CHECK(result == fmt::format("{0} arcs, {0} right", expected.size()));
      }
}

namespace {

/// Each vertex adds up its edges.
struct Weights {
  struct Vertex {
    double sum = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::Sum<double>;
  };
  using Edge = float;
  void gather(gas::Sum<double>& sum, float edge) const { sum += double{edge}; }
  void apply(Vertex& vertex, const gas::Sum<double>& sum, auto&) const { vertex.sum = sum.value; }
};

}  // namespace

TEST_CASE("edges without values, and unread ones, read 1 on any ranks", "[calls][ranks]") {
  using enum gas::EdgeValues;
  const std::vector<int> from = {0, 1, 1, 2}, to = {1, 0, 2, 3};  // 0 and 1: both ways
  const std::vector<float> lengths = {5, 6, 7, 8};
  const auto sums = [](const gas::Context& context, const gas::Graph& graph, gas::Arcs arcs,
                       gas::EdgeValues values) {
    gas::Engine<Weights> engine(context, graph.laid_out(context, arcs, values), {});
    engine.run({.iterations = 1});
    return gas::whole(context.transport(),
                      engine.by_id<Weights::Vertex>([](const auto& vertex) { return vertex.sum; }));
  };
  const std::vector<double> ones = {1, 2, 2, 1}, pairs = {2, 3, 2, 1}, values = {11, 18, 15, 8};
  const std::vector<std::vector<double>> expected = {ones,   ones, pairs,  ones,  values,
                                                     values, ones, values, values};
  for (const int ranks : gas_test::rank_counts()) {
    const auto results =
        gas_test::run_ranks<std::vector<std::vector<double>>>(ranks, [&](gas::Transport& comm) {
          const gas::Context context(comm, 1);
          const std::size_t mine = comm.rank() == 0 ? from.size() : 0;
          const auto head = [&](const auto& list) { return std::span(list).first(mine); };
          const gas::GraphOptions options{.partition = "hash"};
          const auto plain = gas::Graph::from_edges(context, head(from), head(to), options);
          std::vector<std::vector<double>> found = {
              sums(context, plain, gas::Arcs::simple, unread),
              sums(context, plain, gas::Arcs::simple, floats),
              sums(context, plain, gas::Arcs::both_ways, unread)};
          const auto valued =
              gas::Graph::from_edges(context, head(from), head(to), head(lengths), options);
          for (int again = 0; again < 2; ++again) {
            found.push_back(sums(context, valued, gas::Arcs::simple, unread));
            found.push_back(sums(context, valued, gas::Arcs::simple, floats));
            found.push_back(sums(context, valued, gas::Arcs::both_ways, as_given));
          }
          return found;
        });
    for (const auto& found : results) CHECK(found == expected);
  }
}

TEST_CASE("ids come with values, one for each and no other number", "[calls][ranks]") {
  const gas_test::TemporaryFile file("ids.txt");
  const std::string& path = file.path;
  for (const int ranks : gas_test::rank_counts()) {
    const auto results = gas_test::run_ranks<bool>(ranks, [&](gas::Transport& transport) {
      if (transport.rank() == 0) std::ofstream(path) << "b a\nc a\n";
      gas::together(transport, [] {});  // the file is there
      const gas::Context context(transport, 1);
      const gas::Graph graph = gas::Graph::load(context, path);
      std::string said;
      graph.ids().for_each(transport, std::vector<int>{7, 8, 9}, [&](std::string_view id, int x) {
        said += std::string(id) + std::to_string(x) + ' ';
      });
      try {
        graph.ids().for_each(transport, std::vector<int>{7, 8}, [](std::string_view, int) {});
      } catch (const gas::UsageError& error) {
        said += error.what();
      }
      return said == (transport.rank() == 0 ? "a7 b8 c9 " : "") +
                         std::string("RowIds::for_each: found 2 values for 3 ids");
    });
    for (const bool right : results) CHECK(right);
  }
}

TEST_CASE("calls refuse what makes no sense, on all ranks", "[calls][ranks]") {
  for (const int ranks : gas_test::rank_counts()) {
    const auto results = gas_test::run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
      const gas::Context context(transport, 1);
      std::string said;
      const auto refused = [&]<class Error>(const Error*, auto call) {
        try {
          call();
          said += "taken;";
        } catch (const Error& error) {
          said += std::string(error.what()) + ";";
        }
      };
      const std::vector<int> from{0, 1}, to{1, 0}, negative{1, -5};
      const gas::InputError* input = nullptr;
      const gas::UsageError* usage = nullptr;
      refused(input, [&] {
        const bool mine = transport.rank() == transport.size() - 1;  // of one rank alone
        gas::Graph::from_edges(context, from, mine ? negative : to);
      });
      refused(input, [&] { gas::Graph::from_edges(context, from, std::vector<int>{1}); });
      refused(input, [&] { gas::Graph::from_edges(context, from, to, {.vertices = 1}); });
      refused(input, [&] {
        gas::Graph::from_rows(context, std::vector<int>{0, 3}, to, std::vector<float>());
      });
      const gas::Graph graph =
          gas::Graph::from_edges(context, from, to, std::vector<double>{1, -1});
      if (transport.size() > 1) {
        const gas::Context alone(1);
        const gas::Graph own = gas::Graph::from_edges(alone, from, to);
        const gas::Matrix rows = gas::Matrix::from_entries(alone, from, to);
        refused(usage, [&] { gas::components(context, own); });
        refused(usage, [&] { rows.laid_out(context); });
        if (said.find("found a matrix made on 1 rank") == std::string::npos ||
            said.find("found a graph made on 1 rank") == std::string::npos)
          said += "taken";
      }
      const gas::Graph plain = gas::Graph::from_edges(context, from, to);
      if (transport.size() > 1) {
        const bool mine = transport.rank() == transport.size() - 1;
        gas::components(context, plain);  // its layout is there from now on
        refused(usage, [&] { gas::components(gas::Context(1), plain); });
        refused(usage, [&] { gas::breadth_first_search(context, plain, mine ? 1 : 0); });
        refused(usage, [&] { gas::page_rank(context, plain, {.damping = mine ? 0.8 : 0.9}); });
        if (said.find("found a graph made on " + std::to_string(transport.size())) ==
                std::string::npos ||
            said.find("row of the source: found 0 on rank 0 and 1 on rank") == std::string::npos ||
            said.find("damping: found 0.9 on rank 0 and 0.8 on rank") == std::string::npos)
          said += "taken";
      }
      const gas::RunError* run = nullptr;
      refused(run, [&] {
        gas::k_core(context, plain, {.on_close = [&] {
                      if (transport.rank() == transport.size() - 1) throw gas::RunError("closed");
                    }});
      });
      refused(usage, [&] { gas::page_rank(context, plain, {.teleport = {1, 1}}); });
      refused(usage, [&] { gas::page_rank(context, plain, {.teleport = {2, -1}}); });
      refused(usage, [&] { gas::page_rank(context, plain, {.tolerance = std::nan("")}); });
      refused(usage, [&] { gas::breadth_first_search(context, graph, 2); });
      refused(input, [&] { gas::shortest_paths(context, graph, 0); });
      refused(input, [&] { gas::page_rank(context, graph); });
      refused(usage, [&] { gas::page_rank(context, graph, {.damping = 2}); });
      refused(usage,
              [&] { gas::triangles(context, graph, {.run = {.order = gas::Order::priority}}); });
      return said;
    });
    for (const std::string& said : results) {
      CHECK(said.find("taken") == std::string::npos);
      CHECK(said.find("found -5, expected an id from 0") != std::string::npos);
      CHECK(said.find("an edge names vertex 1, expected ids below 1") != std::string::npos);
      CHECK(said.find("found a negative length") != std::string::npos);
    }
  }
}

TEST_CASE("a call tells of its rounds and ends where it is told to", "[calls][ranks]") {
  std::vector<int> from, to;
  for (int v = 0; v + 1 < 60; ++v) from.push_back(v), to.push_back(v + 1);
  for (const int ranks : gas_test::rank_counts()) {
    const auto results = gas_test::run_ranks<bool>(ranks, [&](gas::Transport& transport) {
      const gas::Context context(transport, 1);
      const bool mine = transport.rank() == 0;
      const std::vector<int> none;
      const gas::Graph graph =
          gas::Graph::from_edges(context, mine ? from : none, mine ? to : none);
      std::vector<std::uint64_t> told;
      const gas::PageRanks found = gas::page_rank(
          context, graph, {.tolerance = 0, .on_round = [&](const gas::RoundTold& round) {
                             told.push_back(round.round);
                             // One rank's word is enough.
                             return round.round < 5 || transport.rank() + 1 < transport.size();
                           }});
      return found.outcome.interrupted && found.outcome.rounds >= 5 && found.outcome.rounds <= 7 &&
             told.size() == found.outcome.rounds && told.front() == 1;
    });
    for (const bool good : results) CHECK(good);
  }
}
