#pragma once

#include <memory>
#include <vector>

#include "programs/connected_components/connected_components.hpp"
#include "programs/connected_components/least_labels.hpp"
#include "programs/connected_components/local_components.hpp"

struct FoundComponents {
  std::vector<gas::Row> labels;  // of this rank's masters, by local id: if report.converged, the
                                 // least row of the component
  gas::RunReport report;
  gas::RankReport did;
};

namespace detail {

/// Masters that `peer` mirrors, or mirrors of its masters: both ends list them in one order.
inline std::vector<gas::LocalId> shared(const std::vector<gas::LocalId>& read,
                                        const std::vector<gas::LocalId>& gathered) {
  std::vector<gas::LocalId> both;
  std::ranges::set_union(read, gathered, std::back_inserter(both));
  return both;
}

/// Rows of components of different ranks' pieces that have a vertex in common, both arcs of each
/// pair: `row(v)` is that of v's component here. Collective.
template <class RowOf>
gas::EdgeList meetings(gas::Team& team, const gas::VertexLayout& layout, RowOf row) {
  std::vector<std::vector<gas::Row>> told(static_cast<std::size_t>(team.size()));
  for (const gas::Peer& peer : layout.peers)
    for (const gas::LocalId v : shared(peer.value_masters, peer.total_masters))
      told[static_cast<std::size_t>(peer.rank)].push_back(row(v));
  const auto heard = all_to_all(team, std::move(told));
  std::vector<std::pair<gas::Row, gas::Row>> pairs;
  for (const gas::Peer& peer : layout.peers) {
    const std::vector<gas::LocalId> mirrors = shared(peer.value_mirrors, peer.total_mirrors);
    const std::vector<gas::Row>& there = heard[static_cast<std::size_t>(peer.rank)];
    for (std::size_t i = 0; i < mirrors.size(); ++i)
      if (const std::pair pair(row(mirrors[i]), there[i]);
          pair.first != pair.second && (pairs.empty() || pairs.back() != pair))
        pairs.push_back(pair);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  gas::EdgeList arcs;
  for (const auto& [a, b] : pairs) {
    arcs.source.insert(arcs.source.end(), {a, b});
    arcs.target.insert(arcs.target.end(), {b, a});
  }
  return arcs;
}

/// The graph of so many vertices with these arcs; masters lie in blocks of rows, arcs where they
/// end. Collective.
inline std::shared_ptr<const gas::LocalGraph> graph_of(gas::Team& team, std::uint64_t count,
                                                       gas::EdgeList arcs, unsigned threads) {
  const gas::HomeRange home{count, team.size()};
  gas::Partition blocks;
  blocks.parts = static_cast<gas::Part>(team.size());
  blocks.source_master.assign(home.count(team.rank()), static_cast<gas::Part>(team.rank()));
  for (const gas::Row row : arcs.target)
    blocks.edge_part.push_back(static_cast<gas::Part>(home.home(row)));
  return std::make_shared<gas::LocalGraph>(gas::build_graph(team, {count, count, false},
                                                            std::move(arcs), std::move(blocks),
                                                            gas::Repeats::keep, threads));
}

/// What `label` says of each of `rows`, which every rank asks of the rank in whose block of `count`
/// rows it lies. Collective.
inline std::vector<gas::Row> look_up(gas::Team& team, std::uint64_t count,
                                     const std::vector<gas::Row>& rows,
                                     const std::vector<gas::Row>& label) {
  const gas::HomeRange home{count, team.size()};
  std::vector<std::vector<gas::Row>> asked(static_cast<std::size_t>(team.size()));
  for (const gas::Row row : rows) asked[static_cast<std::size_t>(home.home(row))].push_back(row);
  auto answers = all_to_all(team, asked);
  for (std::vector<gas::Row>& questions : answers)
    for (gas::Row& row : questions) row = label[row - home.first(team.rank())];
  answers = all_to_all(team, std::move(answers));
  std::vector<std::size_t> next(answers.size());
  std::vector<gas::Row> found;
  for (const gas::Row row : rows) {
    const auto rank = static_cast<std::size_t>(home.home(row));
    found.push_back(answers[rank][next[rank]++]);
  }
  return found;
}

}  // namespace detail

/// Throws UsageError at settings that find_components does not take, with the reason. (local)
inline void check_components(const gas::RunOptions& options) {
  gas::Engine<LeastLabels>::check(options);
}

/// The components of a graph with both arcs of every pair. Each rank finds those of its piece
/// (LocalComponents), for which it looks at few edges; a program that looks at all in every round
/// takes several times as long. Those of several ranks that have a vertex in common are the pairs
/// of a graph, mostly a small one, whose components a vertex program finds: ConnectedComponents, or
/// LeastLabels where `options` ask for what that does not stand. One rank needs no rounds: what it
/// does counts as one. `on_round(number)`. Collective.
template <class OnRound>
FoundComponents find_components(gas::Transport& transport, gas::Executor& executor,
                                std::shared_ptr<const gas::LocalGraph> graph,
                                const gas::RunOptions& options, OnRound on_round) {
  check_components(options);
  FoundComponents found;
  std::vector<gas::LocalId> root = LocalComponents(*graph, executor).take_roots();
  if (transport.size() == 1) {
    found.labels = std::move(root);  // local ids are the rows
    found.report.interrupted = options.interrupted != nullptr && options.interrupted->load();
    if (options.iterations == 0) return found;
    found.report.rounds = 1;
    found.report.converged = true;
    on_round(std::uint64_t{1});
    return found;
  }

  const gas::VertexLayout& layout = graph->home;
  std::vector<gas::Row> least(layout.rows);  // by root: of its component here
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v)
    least[root[v]] = std::min(least[root[v]], layout.rows[v]);
  const auto meeting = detail::graph_of(
      transport, layout.count,
      detail::meetings(transport, layout, [&](gas::LocalId v) { return least[root[v]]; }),
      static_cast<unsigned>(executor.workers()));
  std::vector<gas::Row> label;  // by row of this rank's block: of the components that meet
  const auto run = [&]<class P>(P program) {
    gas::Engine<P> engine(transport, executor, meeting, program);
    found.report = engine.run(options, [&](const auto& round) { on_round(round.round); });
    found.did = engine.local_report();
    label.resize(meeting->home.masters());
    const std::uint64_t first =
        gas::HomeRange{layout.count, transport.size()}.first(transport.rank());
    engine.template local_for_each<typename P::Vertex>(
        [&](gas::Row row, const auto& at) { label[row - first] = at.label; });
  };
  if (options.staleness.bound > 0 || options.consistency == gas::Consistency::edge)
    run(LeastLabels());
  else
    run(ConnectedComponents());

  std::vector<gas::LocalId> meet;  // roots of components with a vertex that other ranks have
  std::vector<char> meets(layout.locals());
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v)
    if (!std::exchange(meets[root[v]], char{1})) meet.push_back(root[v]);
  std::vector<gas::Row> rows;
  for (const gas::LocalId v : meet) rows.push_back(least[v]);
  rows = detail::look_up(transport, layout.count, rows, label);
  for (std::size_t i = 0; i < meet.size(); ++i) least[meet[i]] = rows[i];
  for (gas::LocalId v = 0; v < layout.masters(); ++v) found.labels.push_back(least[root[v]]);
  return found;
}
