#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "gas/engine/run/options_alike.hpp"
#include "programs/calls/in_blocks.hpp"
#include "programs/components/least_labels.hpp"
#include "programs/components/local_components.hpp"
#include "programs/components/meeting.hpp"
#include "programs/components/program.hpp"

namespace gas {

struct FoundComponents {
  std::vector<gas::VertexId> labels;  // of this rank's masters, by local id: if report.converged,
                                      // the least row of the component
  gas::RunReport report;
  gas::RankReport did;
};

namespace detail {

/// Options for a run on the graph of `meeting` components, which other ranks and partitions have
/// otherwise: a checkpoint of such a graph is of no use, and the rounds, which are few, begin anew.
/// InputError if it is of another input `graph`. Collective.
inline gas::RunOptions options_here(gas::Communicator& comm, gas::RunOptions options,
                                    const gas::LocalGraph& graph, const gas::LocalGraph& meeting) {
  gas::CheckpointOptions& checkpoint = options.checkpoint;
  if (checkpoint.folder.empty()) return options;
  const std::string input = gas::sum_of_edges(comm, graph);
  checkpoint.settings.emplace_back("graph", input);
  if (!checkpoint.resume) return options;
  const std::string found = gas::told_by_newest(comm, checkpoint, "graph");
  const std::string sum = gas::told_by_newest(comm, checkpoint, "input");
  if (found != input || sum == gas::sum_of_edges(comm, meeting)) return options;
  checkpoint.resume = false;
  checkpoint.continues = true;
  if (checkpoint.warn && comm.rank() == 0)
    checkpoint.warn(
        "the checkpoint was written on another number of ranks or with another partition: the "
        "search starts again at round 1");
  return options;
}

/// Do ranks join their pieces' components without a program? Where that asks for no more memory
/// than the pieces take, and no rank's options ask for what only rounds have. Collective.
inline bool join_at_once(gas::Communicator& comm, const gas::RunOptions& options,
                         const Joined& joined, const gas::VertexLayout& layout) {
  const std::uint64_t all = all_sum(comm, std::uint64_t{joined.names.size()});
  const std::uint64_t most = all_max(comm, std::uint64_t{layout.locals()});
  const bool rounds = options.staleness.bound > 0 || !options.checkpoint.folder.empty() ||
                      options.consistency == gas::Consistency::edge || options.trace != nullptr ||
                      options.delay;
  return all_max(comm, rounds ? 1 : 0) == 0 && all <= most;
}

}  // namespace detail

/// The components of a graph with both arcs of every pair. Each rank finds those of its piece
/// (LocalComponents), for which it looks at few edges; a program that looks at all in every round
/// takes several times as long. Those of several ranks that have a vertex in common are then
/// joined: where they are few, each rank is told of all, and joins them. Else they are the pairs of
/// a graph whose components a vertex program finds: ConnectedComponents, or LeastLabels where
/// `options` ask for what that does not stand. What needs no rounds counts as one.
/// `on_round(number)`. Collective.
template <class OnRound>
FoundComponents find_components(gas::Transport& transport, gas::Executor& executor,
                                std::shared_ptr<const gas::LocalGraph> graph,
                                const gas::RunOptions& options, OnRound on_round) {
  gas::Engine<LeastLabels>::check(options);
  gas::check_options_alike(transport, options);
  FoundComponents found;
  std::vector<gas::LocalId> root = LocalComponents(*graph, executor).take_roots();
  const auto in_one_round = [&] {
    found.report.rounds = options.iterations > 0 ? 1 : 0;
    found.report.converged = options.iterations > 0;
    together(transport, [&] {
      if (options.iterations > 0) on_round(std::uint64_t{1});
    });
    const bool interrupted = options.interrupted && options.interrupted();
    found.report.interrupted = all_max(transport, interrupted ? 1 : 0) == 1;
  };
  if (transport.size() == 1 && options.checkpoint.folder.empty()) {
    found.labels = std::move(root);  // local ids are the rows
    in_one_round();
    return found;
  }

  const gas::VertexLayout& layout = graph->owner;
  std::vector<gas::LocalId> meet;  // roots of components with a vertex that other ranks have
  std::vector<char> meets(layout.locals());
  // Of those, by root: the least row. The memory of others is not touched.
  const auto least = std::make_unique_for_overwrite<gas::VertexId[]>(layout.locals());
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v) {
    const gas::LocalId its = root[v];
    if (!std::exchange(meets[its], char{1})) {
      meet.push_back(its);
      least[its] = layout.rows[its];
    }
    least[its] = std::min(least[its], layout.rows[v]);
  }
  const detail::Joined joined =
      detail::meetings(transport, layout, [&](gas::LocalId v) { return least[root[v]]; });

  if (detail::join_at_once(transport, options, joined, layout)) {
    if (options.iterations > 0) {
      const detail::Joined all = detail::joined_by_all(transport, layout.count, joined);
      for (const gas::LocalId v : meet) least[v] = all.label(least[v]);
    }
    in_one_round();
  } else {
    const detail::Meeting meeting(transport, layout.count, joined,
                                  static_cast<unsigned>(executor.workers()));
    std::vector<std::pair<gas::VertexId, gas::VertexId>> labels;
    const auto run = [&]<class P>(P program) {
      gas::Engine<P> engine(transport, executor, meeting.graph(), program);
      found.report = engine.run(detail::options_here(transport, options, *graph, *meeting.graph()),
                                [&](const auto& round) { on_round(round.round); });
      found.did = engine.local_report();
      engine.template local_for_each<typename P::Vertex>(
          [&](gas::VertexId number, const auto& at) { labels.emplace_back(number, at.label); });
    };
    if (options.staleness.bound > 0 || options.consistency == gas::Consistency::edge)
      run(LeastLabels());
    else
      run(ConnectedComponents());
    std::vector<gas::VertexId> rows;
    for (const gas::LocalId v : meet) rows.push_back(least[v]);
    rows = meeting.labels_of(rows, labels);
    for (std::size_t i = 0; i < meet.size(); ++i) least[meet[i]] = rows[i];
  }
  static_assert(std::is_same_v<gas::LocalId, gas::VertexId>);  // roots become labels in place
  root.resize(layout.masters());
  gas::detail::in_blocks(executor, root.size(), [&](std::size_t v, std::size_t end, std::size_t) {
    for (; v < end; ++v) root[v] = meets[root[v]] != 0 ? least[root[v]] : layout.rows[root[v]];
  });
  found.labels = std::move(root);
  return found;
}

}  // namespace gas
