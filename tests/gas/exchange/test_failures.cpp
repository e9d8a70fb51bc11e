#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "gas/engine/engine.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

// What one rank alone throws during a run must end the run on every rank, whatever the round.

using gas_test::build;
using gas_test::Cut;
using gas_test::TestGraph;

namespace {

enum class Where { report, apply, not_a_number, before_step, not_an_exception };
constexpr std::uint64_t rounds = 4;

struct Plan {
  Where where = Where::report;
  std::uint64_t round = 1;
  int rank = 0;  // that fails
};

/// Every vertex is active in every round.
template <bool scattering>
struct Faller;

template <>
struct Faller<false> {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;
  Plan plan;
  int rank = 0;

  bool falls(Where where, std::uint64_t round) const {
    return plan.where == where && plan.round == round && plan.rank == rank;
  }
  void before_step(gas::Step step, const auto&) {
    if (falls(Where::before_step, step.round)) throw std::runtime_error("fell");
  }
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node&, const Node::Accumulator&, auto& v) const {
    v.summary() += 1;
    if (falls(Where::apply, v.round())) throw std::runtime_error("fell");
    if (falls(Where::not_a_number, v.round())) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(v.round());
  }
};

/// The same with two kinds, of which one rewrites its edges: no vertex may be split above
/// staleness 0.
template <>
struct Faller<true> {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Left {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Right {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::VectorSum<double>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  using Summary = gas::Sum<std::int64_t>;
  Plan plan;
  int rank = 0;

  bool falls(Where where, std::uint64_t round) const {
    return plan.where == where && plan.round == round && plan.rank == rank;
  }
  std::size_t width(gas::AccumulatorOf<Right>) const { return 1; }
  void before_step(gas::Step step, const auto&) {
    if (falls(Where::before_step, step.round)) throw std::runtime_error("fell");
  }
  void gather(gas::Sum<double>& total, double x, float) const { total += x; }
  void gather(gas::VectorSum<double>& total, double x, float) const { total.values[0] += x; }
  double apply(Left&, const gas::Sum<double>&, auto& v) const {
    v.summary() += 1;
    if (falls(Where::apply, v.round())) throw std::runtime_error("fell");
    return falls(Where::not_a_number, v.round()) ? std::numeric_limits<double>::quiet_NaN() : 1;
  }
  double apply(Right&, const gas::VectorSum<double>&, auto&) const { return 1; }
  void scatter(Left&, gas::Sum<double>&, double, float& edge, auto&) const { edge += 1; }
};

TestGraph ring(std::uint64_t n, bool bipartite) {
  TestGraph graph{{n, n, bipartite}, {}};
  for (gas::VertexId v = 0; v < n; ++v) {
    graph.edges.source.push_back(v);
    graph.edges.target.push_back(gas::to_vertex_id((v + 1) % n));
    graph.edges.value.push_back(1);
  }
  return graph;
}

/// What this rank's run threw.
template <bool scattering>
std::string fall(gas::Transport& transport, gas::Executor& executor, Plan plan,
                 gas::Staleness staleness) {
  gas::Engine<Faller<scattering>> engine(
      transport, executor, build(transport, ring(24, scattering), Cut::by_owner, 8, 3),
      Faller<scattering>{plan, transport.rank()});
  try {
    engine.run({.iterations = rounds, .staleness = staleness}, [&](const auto& report) {
      if (report.round != plan.round || transport.rank() != plan.rank) return;
      if (plan.where == Where::report) throw gas::UsageError("fell");
      if (plan.where == Where::not_an_exception) throw 7;
    });
  } catch (const gas::FailedTogether& error) {
    std::string texts = error.what();
    const auto refused = [&](auto again) {
      try {
        again();
        texts += "; ran again";
      } catch (const gas::UsageError& told) {
        texts += std::string("; ") + told.what();
      }
    };
    refused([&] { engine.run({.iterations = 1}); });
    refused([&] { engine.run_at_rest(); });
    return texts;
  }
  return "no error";
}

template <bool scattering>
std::vector<std::string> fall_everywhere(int ranks, bool simulated, Plan plan,
                                         gas::Staleness staleness) {
  if (gas_test::mpi_world()) {
    // A run that failed may leave messages behind: each has a transport of its own, and all are
    // kept until the end.
    static std::vector<std::unique_ptr<gas::MpiTransport>> transports;
    transports.push_back(std::make_unique<gas::MpiTransport>());
    return {fall<scattering>(*transports.back(), *gas_test::make_executor(2), plan, staleness)};
  }
  std::vector<std::string> texts(static_cast<std::size_t>(ranks));
  const auto rank_main = [&](gas::Transport& transport) {
    const auto executor =
        simulated ? gas::make_deterministic_executor(2, plan.round) : gas_test::make_executor(2);
    texts[static_cast<std::size_t>(transport.rank())] =
        fall<scattering>(transport, *executor, plan, staleness);
  };
  if (simulated)
    gas::run_simulated_ranks(ranks, gas::SimulatedNetwork::drawn(plan.round), rank_main);
  else
    gas::run_local_ranks(ranks, rank_main);
  return texts;
}

std::string text_of(Where where) {
  if (where == Where::not_a_number) return "published NaN (not a number)";
  return where == Where::not_an_exception ? "an exception that is not derived from std::exception"
                                          : "fell";
}

template <bool scattering>
void check_failures() {
  const gas::Staleness stalenesses[] = {{0}, {2}, {2, true}, {gas::Staleness::async}};
  for (const int ranks : gas_test::rank_counts())
    for (const bool simulated : {false, true}) {
      if (simulated && gas_test::mpi_world()) continue;
      for (const gas::Staleness staleness : stalenesses)
        for (const Where where : {Where::report, Where::apply, Where::not_a_number,
                                  Where::before_step, Where::not_an_exception})
          for (const std::uint64_t round : {std::uint64_t{1}, std::uint64_t{2}, rounds})
            for (const int rank : {0, ranks - 1}) {
              INFO("staleness " << staleness.bound << " where " << static_cast<int>(where)
                                << " round " << round << " rank " << rank << " of " << ranks
                                << (simulated ? " simulated" : ""));
              for (const std::string& text :
                   fall_everywhere<scattering>(ranks, simulated, {where, round, rank}, staleness))
                CHECK_THAT(text, Catch::Contains(text_of(where)) &&
                                     Catch::Contains("an earlier run of this engine has failed") &&
                                     !Catch::Contains("ran again"));
            }
    }
}

/// The first vertex's init fails. Ranks without a vertex have nothing to wait for in it.
struct FailsAtFirst {
  struct Vertex {
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  double init(Vertex&, const auto&) const { return std::numeric_limits<double>::quiet_NaN(); }
  void gather(Vertex::Accumulator& sum, double x) const { sum += x; }
  double apply(Vertex&, const Vertex::Accumulator& sum, const auto&) const { return sum.value; }
};

/// Its hook calls collectives, between which a rank falls.
struct FallsBetween {
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  gas::Communicator* comm = nullptr;
  void before_step(gas::Step step, const auto&) {
    gas::between_collectives(*comm, [&] {
      gas::all_sum(*comm, 1.0);
      if (step.round == 2 && comm->rank() == 1) throw std::runtime_error("fell");
      gas::all_sum(*comm, 1.0);
    });
  }
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node&, const Node::Accumulator& total, auto&) const { return total.value; }
};

std::string fail_at_first(gas::Transport& transport, gas::Consistency consistency) {
  const auto executor = gas_test::make_executor(1);
  gas::Engine<FailsAtFirst> engine(transport, *executor,
                                   build(transport, ring(1, false), Cut::by_owner, 1, 3), {});
  try {
    engine.run({.consistency = consistency});
  } catch (const gas::FailedTogether& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("what one rank throws in any round every rank throws", "[engine][failures][ranks]") {
  check_failures<false>();
}

TEST_CASE("what one rank throws ends a program that rewrites its edges everywhere",
          "[engine][failures][ranks]") {
  check_failures<true>();
}

TEST_CASE("what the init of a rank throws all throw, also those without a vertex",
          "[engine][failures][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const auto consistency : {gas::Consistency::snapshot, gas::Consistency::edge}) {
      std::vector<std::string> texts(static_cast<std::size_t>(ranks));
      if (gas_test::mpi_world()) {
        static std::vector<std::unique_ptr<gas::MpiTransport>> transports;  // kept, as above
        transports.push_back(std::make_unique<gas::MpiTransport>());
        texts = {fail_at_first(*transports.back(), consistency)};
      } else {
        gas::run_local_ranks(ranks, [&](gas::Transport& transport) {
          texts[static_cast<std::size_t>(transport.rank())] = fail_at_first(transport, consistency);
        });
      }
      INFO(ranks << " ranks, consistency " << static_cast<int>(consistency));
      for (const std::string& text : texts)
        CHECK_THAT(text, Catch::Contains("vertex 0 published NaN"));
    }
}

TEST_CASE("what a rank throws between collectives of a hook keeps no rank waiting",
          "[engine][failures]") {
  if (gas_test::mpi_world()) return;
  std::string text;
  try {
    gas::run_local_ranks(3, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(1);
      gas::Engine<FallsBetween> engine(transport, *executor,
                                       build(transport, ring(24, false), Cut::by_owner, 8, 3),
                                       FallsBetween{&transport});
      engine.run({.iterations = rounds});
    });
  } catch (const gas::FailedAlone& error) {
    text = error.what();
  }
  CHECK(text == "fell");
}
