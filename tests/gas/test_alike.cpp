// What ranks must give alike, and what is of other ranks, is refused on all of them.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "gas/context.hpp"
#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

struct Summing {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    double value = 1;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  double init(Vertex& at, const auto&) const { return at.value; }
  void gather(gas::Sum<double>& sum, double x) const { sum += x; }
  double apply(Vertex& at, const gas::Sum<double>& sum, const auto&) const {
    return at.value = sum.value / 8;
  }
};

/// Publishes rows of a width that is this rank's own.
struct Wide {
  std::size_t rows = 2;
  bool throws = false;
  struct Vertex {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
    using Accumulator = gas::Sum<float>;
  };
  std::size_t width(gas::PublishedOf<Vertex>) const {
    if (throws) throw std::runtime_error("no width");
    return rows;
  }
  void gather(gas::Sum<float>& sum, gas::RowView<const float> row) const { sum += row[0]; }
  void apply(Vertex&, const gas::Sum<float>& sum, gas::RowView<float> out, const auto&) const {
    out[0] = sum.value;
  }
};

/// Its state cannot always be written to a checkpoint.
struct Archived {
  struct Vertex {
    bool throws = false;
    static constexpr auto activity = gas::Active::every_round;
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      if (throws) throw std::runtime_error("no text");
      archive& throws;
    }
  };
  void apply(Vertex&, const auto&, const auto&) const {}
};

template <class Do>
std::string said_by(Do work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

/// `work` on every rank must say the same.
void check_said(int ranks, const std::string& part,
                const std::function<void(gas::Transport&)>& work) {
  INFO(ranks << " ranks");
  for (const std::string& said :
       run_ranks<std::string>(ranks, [&](gas::Transport& t) { return said_by([&] { work(t); }); }))
    CHECK_THAT(said, Catch::Contains(part));
}

std::shared_ptr<const gas::LocalGraph> laid(gas::Transport& transport) {
  return build(transport, random_graph(40, 40, 160, false, 3), Cut::by_owner,
               static_cast<gas::Part>(transport.size()), 5);
}

}  // namespace

TEST_CASE("options of a run that ranks give differently are refused on all", "[alike][ranks]") {
  const auto run_with = [](int ranks, const std::string& part, auto change) {
    check_said(ranks, part, [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Summing> engine(transport, *executor, laid(transport), {});
      gas::RunOptions options{.iterations = 4};
      if (transport.rank() == transport.size() - 1) change(options);
      engine.run(options);
    });
  };
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    const std::string last = " on rank " + std::to_string(ranks - 1) + ", expected the same";
    using Options = gas::RunOptions;
    run_with(ranks, "iterations: found 4 on rank 0 and 5" + last,
             [](Options& o) { o.iterations = 5; });
    run_with(ranks, "staleness: found 0 on rank 0 and async" + last,
             [](Options& o) { o.staleness.bound = gas::Staleness::async; });
    run_with(ranks, "eager: found false on rank 0 and true" + last,
             [](Options& o) { o.staleness.eager = true; });
    run_with(ranks, "order: found sweep on rank 0 and priority" + last,
             [](Options& o) { o.order = gas::Order::priority; });
    run_with(ranks, "topology: found automatic on rank 0 and tree" + last,
             [](Options& o) { o.topology = gas::Topology::tree; });
    run_with(ranks, "consistency: found by_staleness on rank 0 and edge" + last,
             [](Options& o) { o.consistency = gas::Consistency::edge; });
    run_with(ranks, "checkpoint.folder: found none on rank 0 and one" + last,
             [](Options& o) { o.checkpoint.folder = "/nowhere"; });
    check_said(ranks, "rounds at rest: found 0 on rank 0", [](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Summing> engine(transport, *executor, laid(transport), {});
      engine.run_at_rest(static_cast<std::uint64_t>(transport.rank()));
    });
    check_said(ranks, "seed: found 0 on rank 0", [](gas::Transport& transport) {
      const auto executor = make_executor(1);
      const gas::Engine<Summing> engine(transport, *executor, laid(transport), {},
                                        static_cast<std::uint64_t>(transport.rank()));
    });
  }
}

TEST_CASE("a graph that was laid out for other ranks is refused", "[alike][ranks]") {
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    check_said(ranks, "the graph was laid out for other ranks: found ",
               [](gas::Transport& transport) {
                 const gas::Context alone(1);
                 const gas::Engine<Summing> engine(alone, laid(transport), {});
               });
    check_said(ranks, "the graph was laid out for other ranks: found ",
               [](gas::Transport& transport) {
                 const gas::Context alone(1), all(transport, make_executor(1));
                 const gas::Engine<Summing> engine(all, laid(alone.transport()), {});
               });
  }
}

TEST_CASE("widths that ranks give differently, or that one throws, end all", "[alike][ranks]") {
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    for (const bool throws : {false, true})
      check_said(ranks, throws ? "no width" : "width: found 2 on rank 0 and 3 on rank",
                 [&](gas::Transport& transport) {
                   const bool last = transport.rank() == transport.size() - 1;
                   const auto executor = make_executor(1);
                   const Wide program{.rows = last ? 3U : 2U, .throws = throws && last};
                   gas::Engine<Wide>(transport, *executor, laid(transport), program);
                 });
  }
}

TEST_CASE("what by_id is given throws on one rank is thrown on all", "[alike][ranks]") {
  for (const int ranks : rank_counts()) {
    check_said(ranks, "no value", [](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Summing> engine(transport, *executor, laid(transport), {});
      engine.by_id<Summing::Vertex>([&](const Summing::Vertex& at) {
        if (transport.rank() == transport.size() - 1) throw std::runtime_error("no value");
        return at.value;
      });
    });
    check_said(ranks, "not derived from std::exception", [](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Summing> engine(transport, *executor, laid(transport), {});
      engine.by_id<Summing::Vertex>([&](const Summing::Vertex& at) {
        if (transport.rank() == transport.size() - 1) throw 42;
        return at.value;
      });
    });
  }
}

TEST_CASE("what serialize throws on one rank is thrown on all", "[alike]") {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("gas-alike-" + std::to_string(::getpid()));
  for (const int ranks : rank_counts()) {
    check_said(ranks, "no text", [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Archived> engine(transport, *executor, laid(transport), {});
      engine.local_for_each<Archived::Vertex>([&](gas::VertexId, Archived::Vertex& at) {
        at.throws = transport.rank() == transport.size() - 1;
      });
      engine.run({.iterations = 3, .checkpoint = {.folder = folder, .every_rounds = 1}});
    });
    std::filesystem::remove_all(folder);
  }
}

TEST_CASE("an engine without a graph is refused", "[alike][ranks]") {
  for (const int ranks : rank_counts())
    check_said(ranks, "found no graph, expected one that is laid out",
               [](gas::Transport& transport) {
                 const auto executor = make_executor(1);
                 const gas::Engine<Summing> engine(transport, *executor, nullptr, {});
               });
}

TEST_CASE("engines that ranks run in different orders are refused", "[alike][ranks]") {
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    check_said(ranks, "the engine that runs: found number ", [](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Summing> a(transport, *executor, laid(transport), {});
      gas::Engine<Summing> b(transport, *executor, laid(transport), {});
      (transport.rank() % 2 == 0 ? a : b).run({.iterations = 1});
    });
  }
}

TEST_CASE("ranks that are in different calls are told so", "[alike][ranks]") {
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    check_said(ranks, "ranks are in different calls: rank 0 tells rounds at rest, and rank ",
               [](gas::Transport& transport) {
                 const auto executor = make_executor(1);
                 gas::Engine<Summing> engine(transport, *executor, laid(transport), {});
                 if (transport.rank() == 0)
                   engine.run_at_rest(1);
                 else
                   engine.run({.iterations = 1});
               });
  }
}

TEST_CASE("a run within a run is refused", "[alike][ranks]") {
  for (const int ranks : rank_counts())
    for (const bool of_another : {false, true})
      check_said(ranks, "a run was begun within another run", [&](gas::Transport& transport) {
        const auto executor = make_executor(1);
        gas::Engine<Summing> engine(transport, *executor, laid(transport), {});
        gas::Engine<Summing> another(transport, *executor, laid(transport), {});
        engine.run({.iterations = 4},
                   [&](const auto&) { (of_another ? another : engine).run({.iterations = 1}); });
      });
}
