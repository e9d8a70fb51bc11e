#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "gas/graph/ask.hpp"
#include "gas/graph/distinct.hpp"
#include "gas/graph/row_set.hpp"
#include "programs/components/least_labels.hpp"
#include "programs/components/local_components.hpp"
#include "programs/components/program.hpp"

namespace gas {

struct FoundComponents {
  std::vector<gas::VertexId> labels;  // of this rank's masters, by local id: if report.converged,
                                      // the least row of the component
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

/// Components of ranks' pieces, by name, that this rank knows to be connected: each with another
/// one of them, itself if it is the least of those that are.
struct Joined {
  std::vector<gas::VertexId> names;  // ascending
  std::vector<std::uint32_t> least;  // by name: the index of the least one
};

/// Joins pairs of names below `count`. Local.
inline Joined joined(std::uint64_t count, const std::vector<gas::VertexId>& here,
                     const std::vector<gas::VertexId>& there) {
  const gas::RowSet set(count, here, there);
  Joined all{{}, std::vector<std::uint32_t>(set.size())};
  all.names.reserve(set.size());
  set.for_each([&](gas::VertexId name) { all.names.push_back(name); });
  std::vector<std::uint32_t>& to = all.least;
  std::iota(to.begin(), to.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (to[i] != i) i = to[i] = to[to[i]];
    return i;
  };
  for (std::size_t i = 0; i < here.size(); ++i) {
    const auto [low, high] = std::minmax({root(set[here[i]]), root(set[there[i]])});
    to[high] = low;
  }
  for (std::uint32_t i = 0; i < to.size(); ++i) to[i] = to[to[i]];  // lesser ones are done
  return all;
}

/// Joins components of different ranks' pieces that have a vertex in common: `name(v)` names v's
/// component here. Collective.
template <class NameOf>
Joined meetings(gas::Communicator& comm, const gas::VertexLayout& layout, NameOf name) {
  std::vector<std::vector<gas::VertexId>> told(static_cast<std::size_t>(comm.size()));
  for (const gas::Peer& peer : layout.peers)
    for (const gas::LocalId v : shared(peer.value_masters, peer.accumulator_masters))
      told[static_cast<std::size_t>(peer.rank)].push_back(name(v));
  const auto heard = all_to_all(comm, std::move(told));
  std::vector<gas::VertexId> here, there;
  for (const gas::Peer& peer : layout.peers) {
    const std::vector<gas::LocalId> mirrors = shared(peer.value_mirrors, peer.accumulator_mirrors);
    const std::vector<gas::VertexId>& theirs = heard[static_cast<std::size_t>(peer.rank)];
    for (std::size_t i = 0; i < mirrors.size(); ++i)
      if (const gas::VertexId mine = name(mirrors[i]); mine != theirs[i]) {
        here.push_back(mine);
        there.push_back(theirs[i]);
      }
  }
  return joined(layout.count, here, there);
}

/// The graph whose vertices are all ranks' components that meet, numbered by ascending row, each on
/// the rank in whose block its row lies.
class Meeting {
 public:
  /// Collective.
  Meeting(gas::Communicator& comm, std::uint64_t count, const Joined& joined, unsigned threads)
      : comm_(comm),
        blocks_{count, comm.size()},
        begin_(blocks_.first(comm.rank())),
        rows_(distinct_ids(comm, blocks_, joined.names)),
        members_(blocks_.count(comm.rank()), from_begin()) {
    for (const std::uint64_t size : gas::all_gather(comm, std::uint64_t{rows_.size()}))
      begins_.push_back(begins_.back() + size);

    const std::vector<gas::VertexId> numbers = ask(
        comm, std::span<const gas::VertexId>(joined.names),
        [&](gas::VertexId row) { return owner(row); },
        [&](gas::VertexId row) { return gas::to_vertex_id(first() + place(row)); });
    gas::EdgeList arcs;
    gas::Partition cut;
    cut.parts = static_cast<gas::Part>(comm.size());
    const auto add = [&](gas::VertexId from, gas::VertexId to) {
      arcs.source.push_back(from);
      arcs.target.push_back(to);
      cut.edge_part.push_back(static_cast<gas::Part>(holder(to)));
    };
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (const std::uint32_t to = joined.least[i]; to != i) {
        add(numbers[i], numbers[to]);
        add(numbers[to], numbers[i]);
      }
    const gas::BlockDistribution blocks{begins_.back(), comm.size()};
    const std::uint64_t begin = blocks.first(comm.rank());
    for (std::uint64_t i = 0; i < blocks.count(comm.rank()); ++i)
      cut.source_master.push_back(static_cast<gas::Part>(holder(gas::to_vertex_id(begin + i))));
    graph_ = std::make_shared<gas::LocalGraph>(
        gas::build_graph(comm, {begins_.back(), begins_.back(), false}, std::move(arcs),
                         std::move(cut), gas::Repeats::keep, threads));
  }

  const std::shared_ptr<const gas::LocalGraph>& graph() const { return graph_; }

  /// Each row's label, itself if it meets none: `labels` has (number, label's number) of this
  /// rank's vertices. Collective.
  std::vector<gas::VertexId> labels_of(
      const std::vector<gas::VertexId>& rows,
      const std::vector<std::pair<gas::VertexId, gas::VertexId>>& labels) const {
    std::vector<gas::VertexId> label(rows_.size());
    for (const auto& [number, least] : labels) label[number - first()] = least;
    label = ask(
        comm_, std::span<const gas::VertexId>(label),
        [&](gas::VertexId number) { return holder(number); },
        [&](gas::VertexId number) { return rows_[number - first()]; });
    return ask(
        comm_, std::span<const gas::VertexId>(rows), [&](gas::VertexId row) { return owner(row); },
        [&](gas::VertexId row) {
          const std::size_t at = place(row);
          return at < rows_.size() && rows_[at] == row ? label[at] : row;
        });
  }

 private:
  std::size_t owner(gas::VertexId row) const {
    return static_cast<std::size_t>(blocks_.owner(row));
  }
  std::size_t holder(gas::VertexId number) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, number) - begins_.begin()) -
           1;
  }
  std::uint64_t first() const { return begins_[static_cast<std::size_t>(comm_.rank())]; }
  std::size_t place(gas::VertexId row) const { return members_[gas::to_vertex_id(row - begin_)]; }
  std::vector<gas::VertexId> from_begin() const {
    std::vector<gas::VertexId> places;
    for (const gas::VertexId row : rows_) places.push_back(gas::to_vertex_id(row - begin_));
    return places;
  }

  gas::Communicator& comm_;
  gas::BlockDistribution blocks_;
  std::uint64_t begin_;                      // of this rank's block
  std::vector<gas::VertexId> rows_;          // of this rank's vertices
  gas::RowSet members_;                      // those, from the block's begin on
  std::vector<std::uint64_t> begins_ = {0};  // the first number of each rank, and all
  std::shared_ptr<const gas::LocalGraph> graph_;
};

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

}  // namespace detail

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
  gas::Engine<LeastLabels>::check(options);
  FoundComponents found;
  std::vector<gas::LocalId> root = LocalComponents(*graph, executor).take_roots();
  if (transport.size() == 1) {
    found.labels = std::move(root);  // local ids are the rows
    found.report.interrupted = options.interrupted && options.interrupted();
    if (options.iterations == 0) return found;
    found.report.rounds = 1;
    found.report.converged = true;
    on_round(std::uint64_t{1});
    return found;
  }

  const gas::VertexLayout& layout = graph->owner;
  std::vector<gas::VertexId> least(layout.rows);  // by root: of its component here
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v)
    least[root[v]] = std::min(least[root[v]], layout.rows[v]);
  const detail::Meeting meeting(
      transport, layout.count,
      detail::meetings(transport, layout, [&](gas::LocalId v) { return least[root[v]]; }),
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

  std::vector<gas::LocalId> meet;  // roots of components with a vertex that other ranks have
  std::vector<char> meets(layout.locals());
  for (gas::LocalId v = layout.interior; v < layout.locals(); ++v)
    if (!std::exchange(meets[root[v]], char{1})) meet.push_back(root[v]);
  std::vector<gas::VertexId> rows;
  for (const gas::LocalId v : meet) rows.push_back(least[v]);
  rows = meeting.labels_of(rows, labels);
  for (std::size_t i = 0; i < meet.size(); ++i) least[meet[i]] = rows[i];
  for (gas::LocalId v = 0; v < layout.masters(); ++v) found.labels.push_back(least[root[v]]);
  return found;
}

}  // namespace gas
