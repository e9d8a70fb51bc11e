#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::all_cuts;
using gas_test::build;
using gas_test::Cut;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

/// The least label of all that reach a vertex; by changes, or gathered anew.
template <bool by_changes>
struct Labels {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    std::uint32_t label = 0;
    std::uint32_t visits = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
    static constexpr bool gathers_changes = by_changes;
  };
  std::uint32_t visits_wanted = 1;
  std::uint32_t init(Vertex& at, const auto& v) const { return at.label = v.id() * 7919 % 1009; }
  void gather(typename Vertex::Accumulator& least, std::uint32_t label) const { least += label; }
  std::uint32_t apply(Vertex& at, const typename Vertex::Accumulator& least, auto& v) const {
    if (++at.visits < visits_wanted) v.again();
    return at.label = std::min(at.label, least.value);
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now / 3; }
};

/// How many neighbours have left. It may tell whether it is done, and never is.
template <bool tells>
struct Left : gas::RunningSum<std::uint32_t> {
  bool done() const requires tells { return false; }
};

/// Vertices leave with the number of neighbours that left before, when that
/// many are due.
template <bool tells>
struct Leaving {
  struct Vertex {
    std::uint32_t left = 0;
    std::uint32_t bucket = 0;
    using Published = std::uint32_t;
    using Accumulator = Left<tells>;
    static constexpr bool gathers_changes = true;
  };
  std::uint32_t init(Vertex& at, const auto& v) const { return at.bucket = v.id() % 5; }
  void gather(Left<tells>& left, std::uint32_t) const { left += 1; }
  std::uint32_t apply(Vertex& at, const Left<tells>& left, auto&) const {
    at.left = left.value;
    return at.bucket;
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now; }
};

struct Walk : Labels<true> {
  bool initially_active(const Vertex&, const auto& v) const { return v.id() == 0; }
  std::uint32_t init(Vertex& at, const auto& v) const { return at.label = v.id() + 1; }
  std::uint32_t apply(Vertex& at, const Vertex::Accumulator& least, auto& v) const {
    return at.label = v.id() == 0 ? 0 : std::min(at.label, least.value);
  }
};
struct Silent : Labels<false> {};
struct Stops : Labels<true> {
  using Summary = gas::Sum<int>;
  bool converged(const auto&) const { return false; }
};

/// Vertices wait in the bucket of the arcs into them that are left, and leave with it.
struct Falling {
  struct Vertex {
    std::uint32_t label = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::RunningSum<std::uint32_t>;
    static constexpr bool gathers_changes = true;
  };
  std::uint32_t init(Vertex& at, const auto& v) const { return at.label = v.in_degree(); }
  void gather(Vertex::Accumulator& left, std::uint32_t) const { left += 1; }
  std::uint32_t apply(Vertex& at, const Vertex::Accumulator& left, const auto& v) const {
    return at.label = std::min(at.label, std::max(v.bucket(), v.in_degree() - left.value));
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now; }
};

/// The same, one vertex after the other.
std::vector<std::uint32_t> fallen(const TestGraph& graph) {
  std::vector<std::uint32_t> left(graph.shape.sources), label(graph.shape.sources);
  for (const gas::VertexId to : graph.edges.target) ++left[to];
  std::vector<bool> gone(left.size());
  std::uint32_t level = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t least = left.size();
    for (std::size_t v = 0; v < left.size(); ++v)
      if (!gone[v] && (least == left.size() || left[v] < left[least])) least = v;
    gone[least] = true;
    label[least] = level = std::max(level, left[least]);
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      if (graph.edges.source[e] == least) --left[graph.edges.target[e]];
  }
  return label;
}

/// The least capacity on the widest way from vertex 0, widest first.
struct Widest {
  struct Vertex {
    std::uint32_t label = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Max<std::uint32_t>;
    static constexpr bool gathers_changes = true;
  };
  using Edge = float;
  std::uint32_t init(Vertex& at, const auto& v) const { return at.label = v.id() == 0 ? 100 : 0; }
  void gather(Vertex::Accumulator& most, std::uint32_t label, float capacity) const {
    most += std::min(label, static_cast<std::uint32_t>(capacity));
  }
  std::uint32_t apply(Vertex& at, const Vertex::Accumulator& most, const auto&) const {
    return at.label = std::max(at.label, most.value);
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return ~now; }
};

/// The same, edge after edge until nothing changes.
std::vector<std::uint32_t> widest(const TestGraph& graph) {
  std::vector<std::uint32_t> label(graph.shape.sources);
  label[0] = 100;
  for (bool changed = true; std::exchange(changed, false);)
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto capacity = static_cast<std::uint32_t>(graph.edges.value[e]);
      const std::uint32_t way = std::min(label[graph.edges.source[e]], capacity);
      std::uint32_t& least = label[graph.edges.target[e]];
      changed = changed || way > least;
      least = std::max(least, way);
    }
  return label;
}

/// All but the first wait for it, and one of them fails.
struct OneFails {
  struct Vertex {
    std::uint32_t label = 1;
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
    static constexpr bool gathers_changes = true;
  };
  std::uint32_t init(Vertex& at, const auto&) const { return at.label; }
  bool initially_active(const Vertex&, const auto& v) const { return v.id() == 0; }
  void gather(Vertex::Accumulator& least, std::uint32_t label) const { least += label; }
  std::uint32_t apply(Vertex& at, const Vertex::Accumulator& least, const auto& v) const {
    if (v.id() % 20'000 == 9'999) throw gas::RunError("one fails");
    return at.label = v.id() == 0 ? 0 : std::min(at.label, least.value);
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now; }
};

TestGraph long_graph() {
  TestGraph graph = gas_test::random_graph(600, 600, 500, false, 61);
  for (gas::VertexId v = 1; v < 600; ++v) {
    graph.edges.source.push_back(v - 1);
    graph.edges.target.push_back(v);
    graph.edges.value.push_back(1);
  }
  return graph;
}

template <class P>
std::vector<std::uint32_t> labels_after(gas::Transport& transport, const TestGraph& graph, Cut cut,
                                        const std::vector<gas::RunOptions>& runs, P program = {}) {
  const auto executor = gas_test::make_executor(2);
  const auto parts = static_cast<gas::Part>(transport.size());
  gas::Engine<P> engine(transport, *executor, build(transport, graph, cut, parts, 7), program);
  for (const gas::RunOptions& options : runs) engine.run(options);
  std::vector<std::pair<gas::VertexId, std::uint32_t>> labels;
  engine.template local_for_each<typename P::Vertex>(
      [&](gas::VertexId row, const auto& at) { labels.emplace_back(row, at.label); });
  return gas_test::by_row(transport, graph.shape.sources, labels);
}

}  // namespace

TEST_CASE("pushing: after each round vertices have what they would have pulled", "[push][ranks]") {
  const TestGraph graph = long_graph();
  for (const int ranks : rank_counts())
    for (const Cut cut : all_cuts)
      for (const std::vector<std::uint64_t>& rounds :
           {std::vector<std::uint64_t>{1}, {2}, {3}, {7}, {40}, {1000}, {1, 1, 1, 5}, {3, 2000}}) {
        std::vector<gas::RunOptions> runs;
        for (const std::uint64_t count : rounds) runs.push_back({.iterations = count});
        const auto pushed = run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
          return labels_after<Labels<true>>(t, graph, cut, runs);
        });
        const auto pulled = run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
          return labels_after<Labels<false>>(t, graph, cut, runs);
        });
        INFO(ranks << " ranks, cut " << static_cast<int>(cut) << ", " << rounds.front());
        CHECK((pushed == pulled));
      }
}

TEST_CASE("pushing: a step costs the edges of what changed", "[push]") {
  // A path ends at a vertex with 20,000 arcs into it.
  TestGraph graph{{20'100, 20'100, false}, {}};
  for (gas::VertexId v = 0; v + 1 < 20'100; ++v) {
    graph.edges.source.push_back(v);
    graph.edges.target.push_back(v < 100 ? v + 1 : 100);
  }
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(1);
    gas::Engine<Walk> engine(transport, *executor, build(transport, graph, Cut::by_owner, 1, 1),
                             {});
    engine.run();
    CHECK(engine.local_counters().gathers < 1000);
    engine.local_for_each<Walk::Vertex>(
        [](gas::VertexId row, const auto& at) { CHECK(at.label == (row <= 100 ? 0 : row + 1)); });
  });
}

TEST_CASE("buckets: limited runs by priority, in sweeps and lagging end as one run",
          "[push][ranks]") {
  const TestGraph graph = long_graph();
  using Runs = std::vector<gas::RunOptions>;
  const gas::RunOptions priority{.order = gas::Order::priority};
  const auto few = [](gas::RunOptions options, std::uint64_t rounds) {
    options.iterations = rounds;
    return options;
  };
  for (const int ranks : rank_counts())
    for (const Cut cut : all_cuts) {
      const auto expected = run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
        return labels_after<Labels<false>>(t, graph, cut, {{}});
      });
      for (const Runs& runs :
           {Runs{priority}, Runs{few(priority, 1), priority}, Runs{few(priority, 4), {}},
            Runs{few({}, 3), priority}, Runs{few(priority, 3), few({}, 2), priority},
            Runs{few(priority, 0), priority}, Runs{few(priority, 0), {}},
            Runs{few(priority, 5), {.staleness = {2}}},
            Runs{{.iterations = 3, .staleness = {1}}, priority},
            Runs{{.iterations = 2, .consistency = gas::Consistency::edge}, {.staleness = {2}}},
            Runs{few(priority, 2), {.staleness = {gas::Staleness::async}}}}) {
        const auto ours = run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
          return labels_after<Labels<true>>(t, graph, cut, runs);
        });
        INFO(ranks << " ranks, cut " << static_cast<int>(cut) << ", " << runs.size() << " runs");
        CHECK((ours == expected));
      }
      const auto asked = run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
        return labels_after<Labels<true>>(t, graph, cut, {priority}, {.visits_wanted = 5});
      });
      CHECK((asked == expected));
    }
}

TEMPLATE_TEST_CASE_SIG("buckets: running accumulators count each neighbour once, in order",
                       "[push][ranks]", ((bool tells), tells), false, true) {
  using Program = Leaving<tells>;
  const TestGraph graph = gas_test::random_graph(300, 300, 3000, false, 62);
  std::vector<std::uint32_t> expected(300);  // neighbours of lesser buckets, and of the same one
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    if (graph.edges.source[e] % 5 < graph.edges.target[e] % 5) ++expected[graph.edges.target[e]];
  for (const int ranks : rank_counts())
    for (const Cut cut : all_cuts)
      for (const unsigned threads : {1U, 3U})
        for (const auto& left :
             run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& transport) {
               const auto executor = gas_test::make_executor(threads);
               const auto parts = static_cast<gas::Part>(transport.size());
               gas::Engine<Program> engine(transport, *executor,
                                           build(transport, graph, cut, parts, 7), {});
               const auto report = engine.run({.order = gas::Order::priority});
               engine.run_at_rest();
               std::vector<std::pair<gas::VertexId, std::uint32_t>> all;
               engine.template local_for_each<typename Program::Vertex>(
                   [&](gas::VertexId row, const auto& at) {
                     all.emplace_back(row, report.converged ? at.left : 0);
                   });
               return gas_test::by_row(transport, 300, all);
             })) {
          INFO(ranks << " ranks, cut " << static_cast<int>(cut));
          CHECK((left == expected));
        }
}

TEST_CASE("buckets: ranks run the least bucket of all", "[push][ranks]") {
  const TestGraph graph = gas_test::random_graph(200, 200, 1500, false, 63);
  const std::vector<std::uint32_t> expected = fallen(graph);
  for (const int ranks : rank_counts())
    for (const Cut cut : all_cuts)
      for (const auto& labels :
           run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
             return labels_after<Falling>(t, graph, cut, {{.order = gas::Order::priority}});
           })) {
        INFO(ranks << " ranks, cut " << static_cast<int>(cut));
        CHECK((labels == expected));
      }
}

TEST_CASE("buckets: the least is found, whatever was added before and taken", "[push]") {
  constexpr gas::LocalId vertices = 100;
  constexpr std::uint32_t none = gas::Buckets::none;
  for (unsigned seed = 0; seed < 64; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const unsigned unused_bits = seed % 32;  // numbers of all sizes
    gas::Buckets buckets;
    std::vector<std::uint32_t> least(vertices, none);  // of those that a vertex waits in
    const auto waits = [&](gas::LocalId v) { return least[v] != none; };
    for (int i = 0; i < 2000; ++i) {
      const auto v = static_cast<gas::LocalId>(random() % vertices);
      const auto bucket = std::min(static_cast<std::uint32_t>(random() >> unused_bits), none - 1);
      if (random() % 3 > 0) {
        if (bucket < least[v]) buckets.add(v, least[v] = bucket, 1);
        continue;
      }
      const std::uint32_t expected = *std::ranges::min_element(least), found = buckets.least(waits);
      // A vertex that was taken and waits again may be found in a bucket that it had before.
      REQUIRE((found == none) == (expected == none));
      REQUIRE(found <= expected);
      if (found == none) continue;
      std::vector<gas::LocalId> taken;
      buckets.take(found, taken);
      REQUIRE(std::ranges::any_of(taken, waits));
      for (const gas::LocalId t : taken) least[t] = none;
      REQUIRE(std::ranges::find(least, found) == least.end());
    }
  }
}

TEST_CASE("buckets: those of the largest numbers are run, too", "[push][ranks]") {
  gas::Buckets buckets;
  const auto waits = [](gas::LocalId) { return true; };
  const std::uint32_t bucket = gas::Buckets::none - 5;
  for (const gas::LocalId v : {3U, 4U}) {
    buckets.add(v, bucket, 0);
    CHECK(buckets.least(waits) == bucket);
    std::vector<gas::LocalId> taken;
    buckets.take(bucket, taken);
    CHECK(taken == std::vector{v});
    CHECK(buckets.least(waits) == gas::Buckets::none);
  }
  const TestGraph graph = long_graph();
  const std::vector<std::uint32_t> expected = widest(graph);
  for (const int ranks : rank_counts())
    for (const Cut cut : all_cuts)
      for (const auto& labels :
           run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& t) {
             return labels_after<Widest>(t, graph, cut,
                                         {{.iterations = 5000, .order = gas::Order::priority}});
           })) {
        INFO(ranks << " ranks, cut " << static_cast<int>(cut));
        CHECK((labels == expected));
      }
}

TEST_CASE("buckets: threads that share large frontiers reach what one does", "[push]") {
  constexpr gas::VertexId vertices = 20'000;
  const TestGraph graph = gas_test::random_graph(vertices, vertices, 90'000, false, 65);
  std::vector<std::uint32_t> expected(vertices);
  for (gas::VertexId v = 0; v < vertices; ++v) expected[v] = v * 7919 % 1009;
  for (bool changed = true; std::exchange(changed, false);)
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const std::uint32_t from = expected[graph.edges.source[e]];
      std::uint32_t& to = expected[graph.edges.target[e]];
      if (from < to) to = from, changed = true;
    }
  // From the ninth run on workers take turns on one thread: one that is drawn does all of a job
  // that they share, and finds what another left in its lists.
  for (unsigned i = 0; i < 12; ++i)
    for (const int ranks : {1, 2})
      for (const auto& labels :
           run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& transport) {
             const auto executor =
                 i < 8 ? gas::make_thread_executor(3) : gas::make_deterministic_executor(3, i);
             const auto parts = static_cast<gas::Part>(transport.size());
             gas::Engine<Labels<true>> engine(transport, *executor,
                                              build(transport, graph, Cut::any_edge, parts, 7), {});
             engine.run({.order = gas::Order::priority});
             std::vector<std::pair<gas::VertexId, std::uint32_t>> all;
             engine.local_for_each<Labels<true>::Vertex>(
                 [&](gas::VertexId row, const auto& at) { all.emplace_back(row, at.label); });
             return gas_test::by_row(transport, vertices, all);
           })) {
        INFO(ranks << " ranks, run " << i);
        CHECK((labels == expected));
      }
}

TEST_CASE("buckets: a failure in a job that threads share ends the run on all ranks", "[push]") {
  constexpr std::uint32_t leaves = 100'000;
  TestGraph graph{{leaves + 1, leaves + 1, false}, {}};
  for (gas::VertexId v = 1; v <= leaves; ++v) {
    graph.edges.source.push_back(0);
    graph.edges.target.push_back(v);
  }
  for (const int ranks : {1, 2})
    for (int i = 0; i < 20; ++i) {
      const auto texts = run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
        const auto parts = static_cast<gas::Part>(transport.size());
        const auto own = gas_test::make_executor(2);
        gas::Engine<OneFails> engine(transport, *own,
                                     build(transport, graph, Cut::any_edge, parts, 7), {});
        try {
          engine.run({.order = gas::Order::priority});
        } catch (const gas::RunError& error) {
          return std::string(error.what());
        }
        return std::string();
      });
      for (const std::string& text : texts) CHECK(text == "one fails");
    }
}

namespace {

/// Publishes rows, which async rounds do not visit one by one.
struct Pairs {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    using Published = gas::RowOf<float>;
    using Accumulator = gas::Sum<float>;
  };
  std::size_t width(gas::PublishedOf<Vertex>) const { return 2; }
  void init(Vertex&, gas::RowView<float> out, auto&) const { out[0] = out[1] = 0; }
  void gather(gas::Sum<float>& sum, gas::RowView<const float> row) const { sum += row[0]; }
  void apply(Vertex&, const gas::Sum<float>&, gas::RowView<float> out, auto&) const { out[0] = 1; }
  std::uint32_t priority(gas::RowView<const float>, gas::RowView<const float>) const { return 0; }
};

}  // namespace

TEST_CASE("buckets: what a program must say for them", "[push]") {
  using Catch::Contains;
  const auto why = [](auto check, const gas::RunOptions& options) -> std::string {
    try {
      check(options);
    } catch (const gas::UsageError& error) {
      return error.what();
    }
    return "";
  };
  const gas::RunOptions priority{.order = gas::Order::priority};
  CHECK(why(gas::Engine<Labels<true>>::check, priority) == "");
  CHECK_THAT(why(gas::Engine<Silent>::check, priority), Contains("gathers_changes"));
  CHECK_THAT(why(gas::Engine<Stops>::check, priority), Contains("converged()"));
  CHECK_THAT(why(gas::Engine<Leaving<false>>::check, {}), Contains("choose order priority"));
  CHECK_THAT(
      why(gas::Engine<Labels<true>>::check, {.staleness = {2}, .order = gas::Order::priority}),
      Contains("another bound"));
  CHECK_THAT(why(gas::Engine<Pairs>::check,
                 {.staleness = {gas::Staleness::async}, .order = gas::Order::priority}),
             Contains("single values"));
  CHECK_THAT(why(gas::Engine<Labels<true>>::check,
                 {.order = gas::Order::priority, .consistency = gas::Consistency::edge}),
             Contains("leave out consistency"));
}
