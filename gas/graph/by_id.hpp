#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/page_array.hpp"
#include "gas/graph/ask.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

// Results are arrays by vertex id. Each rank has the values of its block of ids (BlockDistribution
// over the ranks); a single rank has all. `whole` joins the blocks.

/// A type that can be sent to another rank: its bytes mean the same there.
template <class T>
concept Told = Plain<T> && std::default_initializable<T> && !std::same_as<T, bool>;
/// A pointer to, or a view of, this rank's memory.
template <class T>
concept Looks = std::is_pointer_v<T> || std::ranges::view<T>;

/// Deals ids over the ranks in contiguous blocks of any lengths; BlockDistribution deals equal
/// ones.
class RowShares {
 public:
  RowShares() = default;
  /// `first`: the first id of each rank's block, by rank, and then the number of all ids.
  explicit RowShares(std::vector<std::uint64_t> first) : first_(std::move(first)) {}
  explicit RowShares(const BlockDistribution& blocks) {
    for (int rank = 0; rank <= blocks.ranks; ++rank) first_.push_back(blocks.first(rank));
  }

  int owner(std::uint64_t id) const {
    return static_cast<int>(std::ranges::upper_bound(first_, id) - first_.begin()) - 1;
  }
  std::uint64_t first(int rank) const { return first_[static_cast<std::size_t>(rank)]; }
  std::uint64_t count(int rank) const { return first(rank + 1) - first(rank); }

 private:
  std::vector<std::uint64_t> first_;
};

/// From values by local id, `width` of each master of this rank, to values by vertex id, of this
/// rank's block of ids. Takes O(values) on each rank; one rank moves nothing. Collective.
template <Plain T, class Distribution>
std::vector<T> to_blocks(Communicator& comm, const VertexLayout& layout, std::vector<T> of_masters,
                         std::size_t width, const Distribution& blocks) {
  if (comm.size() == 1) return of_masters;  // its masters are all vertices, in order of their ids
  const std::uint64_t begin = blocks.first(comm.rank());
  const std::uint64_t count = blocks.count(comm.rank());
  std::vector<T> block(count * width);
  const auto keep = [&](VertexId id, const T* its) {
    for (std::size_t i = 0; i < width; ++i) block[(id - begin) * width + i] = its[i];
  };
  std::vector<std::vector<VertexId>> ids(static_cast<std::size_t>(comm.size()));
  std::vector<std::vector<T>> values(ids.size());
  for (LocalId v = 0; v < layout.masters(); ++v) {
    const VertexId id = layout.rows[v];
    const T* const its = of_masters.data() + v * width;
    if (id - begin < count) {
      keep(id, its);
      continue;
    }
    const auto to = static_cast<std::size_t>(blocks.owner(id));
    ids[to].push_back(id);
    values[to].insert(values[to].end(), its, its + width);
  }
  release(of_masters);
  const auto told_ids = all_to_all(comm, std::move(ids));
  const auto told = all_to_all(comm, std::move(values));
  for (std::size_t from = 0; from < told.size(); ++from)
    for (std::size_t i = 0; i < told_ids[from].size(); ++i)
      keep(told_ids[from][i], told[from].data() + i * width);
  return block;
}

template <Plain T>
std::vector<T> to_blocks(Communicator& comm, const VertexLayout& layout, std::vector<T> of_masters,
                         std::size_t width = 1) {
  return to_blocks(comm, layout, std::move(of_masters), width,
                   BlockDistribution{layout.count, comm.size()});
}

/// The reverse: from a value of each id of this rank's block to the values of this rank's masters,
/// by local id. Collective.
template <Plain T, class Distribution>
std::vector<T> to_masters(Communicator& comm, const VertexLayout& layout,
                          std::span<const T> of_block, const Distribution& blocks) {
  if (comm.size() == 1) return {of_block.begin(), of_block.end()};
  const std::uint64_t first = blocks.first(comm.rank());
  return ask(
      comm, std::span(layout.rows).first(layout.masters()),
      [&](VertexId id) { return blocks.owner(id); },
      [&](VertexId id) { return of_block[id - first]; });
}

}  // namespace gas
