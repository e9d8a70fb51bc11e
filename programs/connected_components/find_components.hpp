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

/// Pairs of components of different ranks' pieces that have a vertex in common: `row(v)` names v's
/// component here. Collective.
template <class RowOf>
std::vector<std::pair<gas::Row, gas::Row>> meetings(gas::Team& team,
                                                    const gas::VertexLayout& layout, RowOf row) {
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
  return pairs;
}

/// What rank rank_of(item) answers of each of `items`. Collective.
template <class RankOf, class Answer>
std::vector<gas::Row> ask(gas::Team& team, const std::vector<gas::Row>& items, RankOf rank_of,
                          Answer answer) {
  std::vector<std::vector<gas::Row>> sent(static_cast<std::size_t>(team.size()));
  for (const gas::Row item : items) sent[rank_of(item)].push_back(item);
  auto answers = all_to_all(team, std::move(sent));
  for (std::vector<gas::Row>& questions : answers)
    for (gas::Row& item : questions) item = answer(item);
  answers = all_to_all(team, std::move(answers));
  std::vector<std::size_t> next(answers.size());
  std::vector<gas::Row> found;
  for (const gas::Row item : items) {
    const std::size_t rank = rank_of(item);
    found.push_back(answers[rank][next[rank]++]);
  }
  return found;
}

/// The graph whose vertices are all ranks' components that meet, numbered by ascending row, each on
/// the rank in whose block its row lies.
class Meeting {
 public:
  /// Collective.
  Meeting(gas::Team& team, std::uint64_t count,
          const std::vector<std::pair<gas::Row, gas::Row>>& pairs, unsigned threads)
      : team_(team), home_{count, team.size()} {
    std::vector<gas::Row> mine;
    for (const auto& [a, b] : pairs) mine.insert(mine.end(), {a, b});
    keep_each_once(mine);
    std::vector<std::vector<gas::Row>> told(static_cast<std::size_t>(team.size()));
    for (const gas::Row row : mine) told[home(row)].push_back(row);
    for (const auto& rows : all_to_all(team, std::move(told)))
      rows_.insert(rows_.end(), rows.begin(), rows.end());
    keep_each_once(rows_);
    for (const std::uint64_t size : gas::all_gather(team, std::uint64_t{rows_.size()}))
      begins_.push_back(begins_.back() + size);

    const std::vector<gas::Row> numbers = ask(
        team, mine, [&](gas::Row row) { return home(row); },
        [&](gas::Row row) { return gas::to_row(first() + place(row)); });
    const auto number_of = [&](gas::Row row) {
      return numbers[static_cast<std::size_t>(std::ranges::lower_bound(mine, row) - mine.begin())];
    };
    gas::EdgeList arcs;
    gas::Partition cut;
    cut.parts = static_cast<gas::Part>(team.size());
    const auto add = [&](gas::Row from, gas::Row to) {
      arcs.source.push_back(from);
      arcs.target.push_back(to);
      cut.edge_part.push_back(static_cast<gas::Part>(holder(to)));
    };
    for (const auto& [a, b] : pairs) {
      const gas::Row here = number_of(a), there = number_of(b);
      add(here, there);
      add(there, here);
    }
    const gas::HomeRange blocks{begins_.back(), team.size()};
    const std::uint64_t begin = blocks.first(team.rank());
    for (std::uint64_t i = 0; i < blocks.count(team.rank()); ++i)
      cut.source_master.push_back(static_cast<gas::Part>(holder(gas::to_row(begin + i))));
    graph_ = std::make_shared<gas::LocalGraph>(
        gas::build_graph(team, {begins_.back(), begins_.back(), false}, std::move(arcs),
                         std::move(cut), gas::Repeats::keep, threads));
  }

  const std::shared_ptr<const gas::LocalGraph>& graph() const { return graph_; }

  /// Each row's label, itself if it meets none: `labels` has (number, label's number) of this
  /// rank's vertices. Collective.
  std::vector<gas::Row> labels_of(const std::vector<gas::Row>& rows,
                                  const std::vector<std::pair<gas::Row, gas::Row>>& labels) const {
    std::vector<gas::Row> label(rows_.size());
    for (const auto& [number, least] : labels) label[number - first()] = least;
    label = ask(
        team_, label, [&](gas::Row number) { return holder(number); },
        [&](gas::Row number) { return rows_[number - first()]; });
    return ask(
        team_, rows, [&](gas::Row row) { return home(row); },
        [&](gas::Row row) {
          const std::size_t at = place(row);
          return at < rows_.size() && rows_[at] == row ? label[at] : row;
        });
  }

 private:
  static void keep_each_once(std::vector<gas::Row>& rows) {
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  std::size_t home(gas::Row row) const { return static_cast<std::size_t>(home_.home(row)); }
  std::size_t holder(gas::Row number) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, number) - begins_.begin()) -
           1;
  }
  std::uint64_t first() const { return begins_[static_cast<std::size_t>(team_.rank())]; }
  std::size_t place(gas::Row row) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(rows_, row) - rows_.begin());
  }

  gas::Team& team_;
  gas::HomeRange home_;
  std::vector<gas::Row> rows_;               // of this rank's vertices
  std::vector<std::uint64_t> begins_ = {0};  // the first number of each rank, and all
  std::shared_ptr<const gas::LocalGraph> graph_;
};

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
  const detail::Meeting meeting(
      transport, layout.count,
      detail::meetings(transport, layout, [&](gas::LocalId v) { return least[root[v]]; }),
      static_cast<unsigned>(executor.workers()));
  std::vector<std::pair<gas::Row, gas::Row>> labels;
  const auto run = [&]<class P>(P program) {
    gas::Engine<P> engine(transport, executor, meeting.graph(), program);
    found.report = engine.run(options, [&](const auto& round) { on_round(round.round); });
    found.did = engine.local_report();
    engine.template local_for_each<typename P::Vertex>(
        [&](gas::Row number, const auto& at) { labels.emplace_back(number, at.label); });
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
  rows = meeting.labels_of(rows, labels);
  for (std::size_t i = 0; i < meet.size(); ++i) least[meet[i]] = rows[i];
  for (gas::LocalId v = 0; v < layout.masters(); ++v) found.labels.push_back(least[root[v]]);
  return found;
}
