#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "programs/label_propagation/program.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

using Labels = std::vector<gas::VertexId>;
using Neighbours = std::vector<std::vector<gas::VertexId>>;

Neighbours neighbours_of(const TestGraph& graph) {
  std::vector<std::set<gas::VertexId>> sets(graph.shape.sources);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const gas::VertexId a = graph.edges.source[e], b = graph.edges.target[e];
    if (a == b) continue;
    sets[a].insert(b);
    sets[b].insert(a);
  }
  Neighbours neighbours;
  for (const auto& set : sets) neighbours.emplace_back(set.begin(), set.end());
  return neighbours;
}

/// The labels that most neighbours of v have.
std::set<gas::VertexId> most_frequent(const Neighbours& neighbours, const Labels& labels,
                                      gas::VertexId v) {
  std::map<gas::VertexId, std::size_t> counts;
  for (const gas::VertexId n : neighbours[v]) ++counts[labels[n]];
  std::size_t most = 0;
  for (const auto& [label, count] : counts) most = std::max(most, count);
  std::set<gas::VertexId> best;
  for (const auto& [label, count] : counts)
    if (count == most) best.insert(label);
  return best;
}

bool rests(const Neighbours& neighbours, const Labels& labels, gas::VertexId v) {
  return neighbours[v].empty() || most_frequent(neighbours, labels, v).contains(labels[v]);
}

/// Round by round, with the same coins.
Labels serial_labels(const Neighbours& neighbours) {
  Labels labels(neighbours.size());
  for (gas::VertexId v = 0; v < labels.size(); ++v) labels[v] = v;
  bool active = true;
  for (std::uint64_t round = 1; active; ++round) {
    active = false;
    Labels next = labels;
    for (gas::VertexId v = 0; v < labels.size(); ++v) {
      if (rests(neighbours, labels, v)) continue;
      active = true;
      const std::uint64_t coins = round < 32 ? 1 : 1 + round / 8 % 8;
      const std::uint64_t bits = gas::Random(1).stream(2 * round).stream(v).bits(0);
      if (bits % (1ULL << coins) == (1ULL << coins) - 1)
        next[v] = *most_frequent(neighbours, labels, v).begin();
    }
    labels = next;
  }
  return labels;
}

void check_labels(const TestGraph& graph, const std::string& name) {
  const std::size_t n = graph.shape.sources;
  const Neighbours neighbours = neighbours_of(graph);
  const Labels expected = serial_labels(neighbours);
  std::vector<Arc> arcs;
  for (gas::VertexId v = 0; v < n; ++v)
    for (const gas::VertexId other : neighbours[v]) arcs.push_back({other, v});
  const auto on_rank = [&](const OnRank& on) {
    gas::Engine<gas::LabelPropagation> engine(on.transport, on.executor, on.graph, {});
    const gas::RunReport report = engine.run({.staleness = on.staleness});
    std::vector<std::pair<gas::VertexId, gas::VertexId>> mine;
    engine.local_for_each<gas::LabelPropagation::Vertex>(
        [&](gas::VertexId row, const auto& at) { mine.emplace_back(row, at.label); });
    auto all = by_row(on.transport, n, mine);
    if (!report.converged || engine.local_staleness_seen().most > on.staleness.bound) all.clear();
    return all;
  };
  const auto check = [&](const std::string& way, const Labels& ours) {
    INFO(name << ", " << way);
    REQUIRE(ours.size() == n);
    if (way.ends_with("bound 0")) CHECK(ours == expected);
    bool all = true;
    for (gas::VertexId v = 0; v < n; ++v) all = all && rests(neighbours, ours, v);
    CHECK(all);
  };
  const TestGraph simple = graph_of(n, arcs);
  each_way<gas::VertexId>(simple, gas::Repeats::keep, on_rank, check);
  if (suits_networks(name)) each_network<gas::VertexId>(simple, gas::Repeats::keep, on_rank, check);
}

}  // namespace

TEST_CASE("labels: every vertex ends with one that most of its neighbours have",
          "[labels][ranks]") {
  for (const auto& [name, graph] : awkward_graphs()) check_labels(graph, name);
}

TEST_CASE("labels: pairs, stars and complete bipartite graphs do not swap them for ever",
          "[labels][ranks]") {
  std::vector<Arc> arcs = {{0, 1}, {2, 3}, {2, 4}, {2, 5}};
  for (gas::VertexId a = 6; a < 9; ++a)
    for (gas::VertexId b = 9; b < 12; ++b) arcs.push_back({a, b});
  check_labels(graph_of(12, arcs), "two sides");
}

TEST_CASE("labels: two large sides come to one label", "[labels]") {
  constexpr gas::VertexId side = 500;
  std::vector<Arc> arcs;
  for (gas::VertexId a = 0; a < side; ++a)
    for (gas::VertexId b = side; b < 2 * side; ++b) arcs.insert(arcs.end(), {{a, b}, {b, a}});
  const auto labels = run_ranks<Labels>(2, [&](gas::Transport& transport) {
    const auto executor = make_executor(2);
    gas::Engine<gas::LabelPropagation> engine(
        transport, *executor, build(transport, graph_of(2 * side, arcs), Cut::any_edge, 2, 7), {});
    Labels mine;
    if (!engine.run({.iterations = 1000}).converged) mine.push_back(2 * side);
    engine.local_for_each<gas::LabelPropagation::Vertex>(
        [&](gas::VertexId, const auto& at) { mine.push_back(at.label); });
    return mine;
  });
  for (const Labels& mine : labels)
    for (const gas::VertexId label : mine) REQUIRE(label == labels[0][0]);
  CHECK(labels[0][0] < 2 * side);
}

TEST_CASE("labels: cliques that few edges join are communities", "[labels][ranks]") {
  constexpr gas::VertexId cliques = 9, size = 12;
  std::vector<Arc> arcs;
  for (gas::VertexId c = 0; c < cliques; ++c) {
    for (gas::VertexId a = 0; a < size; ++a)
      for (gas::VertexId b = 0; b < a; ++b) arcs.push_back({c * size + a, c * size + b});
    arcs.push_back({c * size, (c + 1) % cliques * size + 5});
  }
  const TestGraph graph = graph_of(cliques * size, arcs);
  check_labels(graph, "cliques");
  const Labels labels = serial_labels(neighbours_of(graph));
  std::set<gas::VertexId> different;
  for (gas::VertexId v = 0; v < cliques * size; ++v) {
    CHECK(labels[v] == labels[v / size * size + 1]);
    different.insert(labels[v]);
  }
  CHECK(different.size() == cliques);
}
