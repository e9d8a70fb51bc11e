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

/// Which vertices take part in the rounds: those beside vertices of other ranks, and the roots of
/// what holds one.
inline std::vector<char> outside(const gas::LocalGraph& graph,
                                 const std::vector<gas::LocalId>& root) {
  const gas::VertexLayout& layout = graph.home;
  const gas::Adjacency& arcs = graph.adjacency;
  std::vector<char> takes_part(layout.locals());
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v) {
    takes_part[v] = takes_part[root[v]] = 1;
    if (v < layout.masters()) continue;
    for (gas::EdgeOffset e = arcs.offsets[v]; e < arcs.offsets[v + 1]; ++e)
      takes_part[arcs.neighbours[e]] = 1;
  }
  return takes_part;
}

}  // namespace detail

/// Throws UsageError at settings that find_components does not take, with the reason. (local)
inline void check_components(const gas::RunOptions& options) {
  gas::Engine<LeastLabels>::check(options);
}

/// The components of a graph with both arcs of every pair: each rank finds those of its piece
/// (LocalComponents), and rounds go on from there, for edges between ranks only: of
/// ConnectedComponents, or of LeastLabels where `options` ask for what that does not stand. A rank
/// looks at few of its edges; a round looks at all of active vertices, and there would be more of
/// them. One rank needs no rounds: what it does counts as one. `on_round(number)`. Collective.
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
  std::vector<gas::Row> least(layout.rows);  // by root
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v)
    least[root[v]] = std::min(least[root[v]], layout.rows[v]);
  const auto run = [&]<class P>(P program, auto hand_over) {
    using Vertex = typename P::Vertex;
    gas::Engine<P> engine(transport, executor, graph, program);
    gas::LocalId v = 0;
    engine.template local_for_each<Vertex>([&](gas::Row, Vertex& at) { hand_over(v++, at); });
    v = 0;
    engine.template local_give<Vertex>([&](gas::Row) { return least[root[v++]]; });
    found.report = engine.run(options, [&](const auto& round) { on_round(round.round); });
    found.did = engine.local_report();
    engine.template local_for_each<Vertex>(
        [&](gas::Row, const Vertex& at) { found.labels.push_back(at.label); });
  };
  if (options.staleness.bound > 0 || options.consistency == gas::Consistency::edge) {
    run(LeastLabels(), [&](gas::LocalId v, auto& at) { at.label = least[root[v]]; });
  } else {
    const std::vector<char> takes_part = detail::outside(*graph, root);
    run(ConnectedComponents(), [&](gas::LocalId v, auto& at) {
      at = {least[root[v]], layout.rows[root[v]], takes_part[v] == 0};
    });
    for (gas::LocalId v = 0; v < layout.masters(); ++v) found.labels[v] = found.labels[root[v]];
  }
  return found;
}
