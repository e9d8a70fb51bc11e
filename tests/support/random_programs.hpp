#pragma once

#include <unistd.h>

#include <filesystem>

#include "tests/support/drawn_cases.hpp"

/// Graphs and settings drawn from a seed, and what a run of a random program must come to: that of
/// two-adic ones (two_adic.hpp) at rest is computed here from the list of edges; vertices that name
/// others by id are compared step by step (naming_program.hpp).
namespace gas_test {

/// x by loops over the list of edges. Two kinds: the sources', then the targets'.
inline std::vector<std::array<std::uint32_t, 2>> serial_solution(const Drawn& drawn, bool rows,
                                                                 bool own, gas::Along along) {
  const TestGraph& graph = drawn.graph;
  const std::uint64_t sources = graph.shape.sources;
  const bool two = graph.shape.bipartite;
  const std::uint64_t count = two ? sources + graph.shape.targets : sources;
  std::vector<std::array<std::uint32_t, 2>> constant(count), x(count);
  for (std::uint64_t v = 0; v < count; ++v)
    for (std::uint32_t i = 0; i < 2; ++i)
      constant[v][i] =
          v < sources ? drawn.program.constant(0, v, i) : drawn.program.constant(1, v - sources, i);
  for (int bits = 0; bits <= 32; bits += 4) {
    auto next = constant;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const std::uint64_t s = graph.edges.source[e];
      const std::uint64_t t = graph.edges.target[e] + (two ? sources : 0);
      const auto w = static_cast<std::uint32_t>(graph.edges.value[e]);
      for (std::size_t i = 0; i < (rows ? 2U : 1U); ++i) {
        if (along != gas::Along::out)
          next[t][i] += 16 * w * (x[s][rows ? 1 - i : i] + (own ? x[t][i] : 0));
        if (two || along != gas::Along::in) next[s][i] += 16 * w * (x[t][i] + (own ? x[s][i] : 0));
      }
    }
    x = next;
  }
  return x;
}

/// What gives each left of a dense program its weights, and the number of rights.
inline std::array<float, 2> dense_input(const Drawn& drawn, std::uint64_t left) {
  return {static_cast<float>(drawn.program.drawn(2, left, 0) % 1000),
          static_cast<float>(drawn.graph.shape.targets)};
}

/// x of a dense program, by loops over all pairs.
inline std::vector<std::array<std::uint32_t, 2>> serial_dense(const Drawn& drawn) {
  const std::uint64_t lefts = drawn.graph.shape.sources, rights = drawn.graph.shape.targets;
  std::vector<std::array<std::uint32_t, 2>> constant(lefts + rights), x(lefts + rights);
  for (std::uint64_t v = 0; v < lefts + rights; ++v)
    constant[v][0] =
        (v < lefts ? drawn.program.constant(0, v, 0) : drawn.program.constant(1, v - lefts, 0)) /
        2 * 2;
  for (int bits = 0; bits <= 32; bits += 4) {
    auto next = constant;
    for (std::uint64_t l = 0; l < lefts; ++l)
      for (std::uint64_t r = 0; r < rights; ++r) {
        const auto number = static_cast<std::uint32_t>(dense_input(drawn, l)[0]);
        const auto w = 1 + (number + static_cast<std::uint32_t>(r)) % 4;
        next[l][0] += 16 * w * x[lefts + r][0];
        next[lefts + r][0] += 16 * w * x[l][0];
      }
    x = next;
  }
  return x;
}

/// LeastProgram's x, by passes over the list of edges until nothing changes.
inline std::vector<std::array<std::uint32_t, 2>> serial_least(const Drawn& drawn) {
  LeastProgram program;
  static_cast<TwoAdic&>(program) = drawn.program;
  std::vector<std::array<std::uint32_t, 2>> x(drawn.graph.shape.sources);
  for (std::size_t v = 0; v < x.size(); ++v) x[v] = {program.first(v), 0};
  const gas::EdgeList& edges = drawn.graph.edges;
  for (bool falls = true; falls;) {
    falls = false;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::uint32_t from = x[edges.source[e]][0];
      if (from == LeastProgram::most) continue;
      const std::uint32_t now = from + static_cast<std::uint32_t>(edges.value[e]);
      if (now >= x[edges.target[e]][0]) continue;
      x[edges.target[e]][0] = now;
      falls = true;
    }
  }
  return x;
}

/// The piece of the graph of this rank.
template <class P>
std::shared_ptr<const gas::LocalGraph> local_graph(gas::Transport& transport, const Drawn& drawn) {
  if constexpr (!gas::complete<P>) {
    return build(transport, drawn.graph, drawn.cut, drawn.parts,
                 static_cast<unsigned>(drawn.program.seed));
  } else {
    std::vector<gas::VertexId> rows;
    for (std::uint64_t row = 0; row < drawn.graph.shape.sources; ++row)
      if (static_cast<int>(drawn.program.drawn(3, row, 0) %
                           static_cast<unsigned>(transport.size())) == transport.rank())
        rows.push_back(gas::to_vertex_id(row));
    auto graph = std::make_shared<gas::LocalGraph>();
    graph->bipartite = true;
    graph->owner = gas::unshared_layout(drawn.graph.shape.sources, std::move(rows));
    graph->parameter = gas::replicated_layout(transport, drawn.graph.shape.targets);
    return graph;
  }
}

/// What all vertices must hold at the end.
template <class P>
std::vector<std::array<std::uint32_t, 2>> serial_values(const P& program, const Drawn& drawn) {
  if constexpr (gas::by_id<P, gas::FirstKind<P>>)
    return naming_solution<TwoAdic>(program, drawn.graph, gas::names_initially_active<P>);
  else if constexpr (gas::complete<P>)
    return serial_dense(drawn);
  else if constexpr (requires { P::least; })
    return serial_least(drawn);
  else
    return serial_solution(
        drawn, requires { P::rows; }, requires { P::reads_own; },
        gas::along_of<gas::VertexType<P>>);
}

/// Counts what is wrong on this rank.
struct Wrong {
  std::uint64_t values = 0, visits = 0, masters = 0, edges = 0;
};

/// Edges that were not rewritten once in each visit of the vertex that does so.
template <class P>
std::uint64_t wrong_edges(gas::Transport& transport, const Drawn& drawn, gas::Engine<P>& engine) {
  const auto visits = [&]<class K>(std::uint64_t count) {
    std::vector<std::pair<gas::VertexId, std::uint32_t>> mine;
    engine.template local_for_each<K>(
        [&](gas::VertexId row, const K& state) { mine.emplace_back(row, state.visits); });
    return by_row(transport, count, mine);
  };
  const gas::GraphShape& shape = drawn.graph.shape;
  const auto of_first = visits.template operator()<gas::FirstKind<P>>(shape.sources);
  std::uint64_t wrong = 0;
  if constexpr (requires(typename P::Edge edge) { edge.rewritten_by_right; }) {
    const auto of_second = visits.template operator()<typename P::Right>(shape.targets);
    engine.local_for_each_edge([&](gas::VertexId left, gas::VertexId right, const auto& edge) {
      wrong += edge.rewritten != of_first[left] || edge.rewritten_by_right != of_second[right];
    });
  } else {
    constexpr bool out = gas::along_of<gas::FirstKind<P>> == gas::Along::out;
    engine.local_for_each_edge([&](gas::VertexId home, gas::VertexId other, const auto& edge) {
      wrong += edge.rewritten != of_first[out ? other : home];
    });
  }
  return wrong;
}

/// Runs the case on this rank of as many as the transport has; what was wrong anywhere, or "".
template <class P>
std::string run_case(gas::Transport& transport, const Drawn& drawn) {
  const auto executor = drawn.simulated || drawn.executor == 0
                            ? gas::make_deterministic_executor(drawn.threads, drawn.program.seed)
                        : drawn.executor == 1 ? gas::make_thread_executor(drawn.threads)
                                              : make_executor(drawn.threads);
  P program;
  static_cast<TwoAdic&>(program) = drawn.program;
  const std::shared_ptr<const gas::LocalGraph> graph = local_graph<P>(transport, drawn);
  gas::Engine<P> engine(transport, *executor, graph, program, drawn.program.seed);
  if constexpr (gas::complete<P>) {
    auto inputs = std::make_shared<gas::Inputs<float>>(2, graph->owner.locals());
    for (gas::LocalId v = 0; v < graph->owner.locals(); ++v)
      std::ranges::copy(dense_input(drawn, graph->owner.rows[v]), (*inputs)[v].begin());
    engine.local_set_inputs(inputs);
  }
  gas::RunReport report;
  for (const gas::RunOptions& each : drawn.runs) {
    const gas::RunOptions options = each;  // its functions are this rank's own
    if (drawn.rests > 0 && !options.checkpoint.resume && &each == &drawn.runs.back())
      engine.run_at_rest(drawn.rests);
    report = engine.run(options);
  }
  if (drawn.rests > 0) engine.run_at_rest(drawn.rests);

  const auto expected = serial_values(program, drawn);
  Wrong wrong;
  const auto look = [&](std::uint64_t row, std::uint64_t id, const auto& state) {
    if constexpr (gas::by_id<P, gas::FirstKind<P>>) {
      wrong.values += state.value != expected[row][0];
      wrong.visits += state.visits != expected[row][1];
    } else {
      for (std::size_t i = 0; i < (
                                      requires { P::rows; } ? 2U : 1U);
           ++i)
        wrong.values += state.x[i] != expected[row][i];
      wrong.visits += state.visits < program.visits_wanted(state.kind, id) ? 1 : 0;
    }
    ++wrong.masters;
  };
  if constexpr (gas::TwoKinds<P>) {
    engine.template local_for_each<typename P::Left>(
        [&](gas::VertexId row, const auto& state) { look(row, row, state); });
    engine.template local_for_each<typename P::Right>([&](gas::VertexId row, const auto& state) {
      look(drawn.graph.shape.sources + row, row, state);
    });
  } else {
    engine.template local_for_each<typename P::Node>(
        [&](gas::VertexId row, const auto& state) { look(row, row, state); });
  }
  if constexpr (gas::names_scatter<P>) wrong.edges = wrong_edges(transport, drawn, engine);

  Wrong all;
  for (const Wrong& there : gas::all_gather(transport, wrong)) {
    all.values += there.values;
    all.visits += there.visits;
    all.masters += there.masters;
    all.edges += there.edges;
  }
  const auto rounds = gas::all_gather(transport, report.rounds);
  std::string found;
  const auto add = [&](bool bad, const std::string& what) {
    if (bad) found += (found.empty() ? "" : ", ") + what;
  };
  add(all.values > 0, std::to_string(all.values) + " wrong values");
  add(all.visits > 0, std::to_string(all.visits) + " vertices not visited as often as they asked");
  add(all.masters != expected.size(), "vertices without a master");
  add(all.edges > 0, std::to_string(all.edges) + " edges not rewritten once per visit");
  add(!report.converged, "not converged after " + std::to_string(report.rounds) + " rounds");
  add(std::ranges::adjacent_find(rounds, std::not_equal_to{}) != rounds.end(),
      "ranks ended after different rounds");
  return found;
}

/// Runs the case on ranks of its own; what is wrong with it, or "".
template <class P>
std::string found_here(const Drawn& drawn) {
  std::string found;
  const auto rank_main = [&](gas::Transport& transport) {
    const std::string here = run_case<P>(transport, drawn);
    if (transport.rank() == 0) found = here;
  };
  try {
    if (drawn.simulated)
      gas::run_simulated_ranks(drawn.ranks, gas::SimulatedNetwork::drawn(drawn.program.seed),
                               rank_main);
    else
      gas::run_local_ranks(drawn.ranks, rank_main);
  } catch (const std::exception& error) {
    found = error.what();
  }
  return found;
}

/// The same, of a run that leaves at a checkpoint, unless it ends before, and goes on elsewhere.
template <class P>
std::string found_after_leaving(Drawn drawn) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("gas-leaving-" + std::to_string(::getpid()) +
                                                       "-" + std::to_string(drawn.program.seed));
  struct Removed {
    fs::path path;
    ~Removed() { fs::remove_all(path); }
  } const removed{folder};
  gas::CheckpointOptions& checkpoint = drawn.runs.back().checkpoint;
  checkpoint.folder = folder;
  checkpoint.every_rounds = drawn.leaving->every;
  checkpoint.gather = drawn.leaving->gathers;
  checkpoint.lost = [](const std::string& problem) { throw std::runtime_error(problem); };
  checkpoint.warn = checkpoint.lost;
  checkpoint.leaves = [rounds = drawn.leaving->after]() mutable {
    if (rounds > 0) --rounds;
    return rounds == 0;
  };
  try {
    return found_here<P>(drawn);
  } catch (const gas::LeftAtCheckpoint&) {
    return found_here<P>(drawn_return<P>(drawn));
  }
}

/// What is wrong with the case, or "": under mpirun on the ranks of `world`, else (null) on its
/// own.
template <class P>
std::string found_wrong(const Drawn& drawn, gas::Transport* world) {
  if (world != nullptr) return run_case<P>(*world, drawn);
  return drawn.leaving ? found_after_leaving<P>(drawn) : found_here<P>(drawn);
}

namespace detail {
constexpr auto every_round = gas::Active::every_round;
using Number = NumberProgram<>;
using Rows = RowProgram<>;
using Fused = TwoKindProgram<true>;
using Pulled = TwoKindProgram<false>;
using Naming = NamingProgram<TwoAdic>;
}  // namespace detail

/// Every gather of what neighbours publish, with vertices that sleep from the start, that wake by
/// changes with and without a Summary, and that are visited in every round.
using GatheringPrograms = std::tuple<
    detail::Number, Sleeping<detail::Number>, Summed<detail::Number>, LeastProgram,
    Sleeping<LeastProgram>, Summed<LeastProgram>, Summed<NumberProgram<detail::every_round>>,
    detail::Rows, Sleeping<detail::Rows>, Summed<detail::Rows>,
    Summed<RowProgram<detail::every_round>>, detail::Fused, Sleeping<detail::Fused>,
    Summed<detail::Fused>, Summed<TwoKindProgram<true, detail::every_round>>, detail::Pulled,
    Sleeping<detail::Pulled>, Summed<detail::Pulled>,
    Summed<TwoKindProgram<false, detail::every_round>>, OwnNumberProgram<>,
    Sleeping<OwnNumberProgram<>>, Summed<OwnNumberProgram<detail::every_round>>, OwnRowProgram<>,
    Sleeping<OwnRowProgram<>>, OwnTwoKindProgram<>, Sleeping<OwnTwoKindProgram<>>,
    Summed<OwnTwoKindProgram<detail::every_round>>, detail::Naming, Sleeping<detail::Naming>,
    AlongProgram<gas::Along::out>, Sleeping<AlongProgram<gas::Along::both>>, ListProgram<>,
    Sleeping<ListProgram<>>, Summed<ListProgram<detail::every_round>>, ListTwoKindProgram<>,
    Sleeping<ListTwoKindProgram<>>, Summed<ListTwoKindProgram<detail::every_round>>>;

/// Those that push differences, work in place, rewrite edges, have an edge to everybody, or say
/// themselves what is a change.
using ChangingPrograms = std::tuple<
    RunningProgram<>, Sleeping<RunningProgram<>>, Summed<RunningProgram<>>,
    Summed<RunningProgram<detail::every_round>>, InPlaceProgram<true>,
    Sleeping<InPlaceProgram<true>>, Summed<InPlaceProgram<true, detail::every_round>>,
    InPlaceProgram<false>, Summed<InPlaceProgram<false, detail::every_round>>, ScatterProgram<>,
    Sleeping<ScatterProgram<>>, Summed<ScatterProgram<detail::every_round>>,
    Sleeping<ScatterProgram<gas::Active::changed, gas::Along::out>>,
    Summed<ScatterProgram<detail::every_round, gas::Along::out>>, RowScatterProgram<>,
    Sleeping<RowScatterProgram<>>, Summed<RowScatterProgram<detail::every_round>>,
    TwoKindScatterProgram<>, Sleeping<TwoKindScatterProgram<>>,
    Summed<TwoKindScatterProgram<detail::every_round>>, Summed<EdgesOnlyProgram>,
    Summed<DenseProgram<false, std::int64_t>>, Summed<DenseProgram<true, std::int64_t>>,
    Summed<DenseProgram<false, double>>, Summed<DenseProgram<true, double>>,
    Choosing<detail::Number>, Choosing<Summed<NumberProgram<detail::every_round>>>,
    Choosing<Summed<RowProgram<detail::every_round>>>, Choosing<Sleeping<detail::Fused>>,
    Choosing<Summed<TwoKindProgram<true, detail::every_round>>>,
    Choosing<Summed<TwoKindProgram<false, detail::every_round>>>, Choosing<InPlaceProgram<false>>,
    Choosing<Summed<ScatterProgram<detail::every_round>>>>;

}  // namespace gas_test
