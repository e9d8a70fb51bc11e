#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/ask.hpp"
#include "gas/graph/distinct.hpp"
#include "gas/graph/local_graph.hpp"
#include "gas/graph/row_set.hpp"

namespace gas::detail {

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
  gas::RowSet set;
  std::vector<gas::VertexId> names;  // ascending
  std::vector<std::uint32_t> least;  // by name: the index of the least one

  /// The least one of those that are known to be connected with `name`.
  gas::VertexId label(gas::VertexId name) const {
    const std::uint32_t i = set[name];
    return i < names.size() && names[i] == name ? names[least[i]] : name;
  }
};

/// Joins pairs of names below `count`. Local.
inline Joined joined(std::uint64_t count, const std::vector<gas::VertexId>& here,
                     const std::vector<gas::VertexId>& there) {
  gas::RowSet set(count, here, there);
  Joined all{std::move(set), {}, {}};
  all.least.resize(all.set.size());
  all.names.reserve(all.set.size());
  all.set.for_each([&](gas::VertexId name) { all.names.push_back(name); });
  std::vector<std::uint32_t>& to = all.least;
  std::iota(to.begin(), to.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (to[i] != i) i = to[i] = to[to[i]];
    return i;
  };
  for (std::size_t i = 0; i < here.size(); ++i) {
    const auto [low, high] = std::minmax({root(all.set[here[i]]), root(all.set[there[i]])});
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

/// What all ranks have joined together: the same on each. Collective.
inline Joined joined_by_all(gas::Communicator& comm, std::uint64_t count, const Joined& mine) {
  std::vector<gas::VertexId> here, there;
  for (std::size_t i = 0; i < mine.names.size(); ++i)
    if (mine.least[i] != i) {
      here.push_back(mine.names[i]);
      there.push_back(mine.names[mine.least[i]]);
    }
  return joined(count, whole(comm, here), whole(comm, there));
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

}  // namespace gas::detail
