#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

// Results are arrays by vertex id: each rank has the values of its block of ids (BlockDistribution
// over the ranks), so that one rank alone has all.

/// Values of this rank's masters, `width` each, by local id → those of this rank's block of ids.
/// Takes O(values) on each rank; one rank moves nothing. Collective.
template <Plain T>
std::vector<T> to_blocks(Communicator& comm, const VertexLayout& layout, std::vector<T> of_masters,
                         std::size_t width = 1) {
  if (comm.size() == 1) return of_masters;  // its masters are all vertices, in order of their ids
  const BlockDistribution blocks{layout.count, comm.size()};
  std::vector<std::vector<VertexId>> ids(static_cast<std::size_t>(comm.size()));
  std::vector<std::vector<T>> values(ids.size());
  for (LocalId v = 0; v < layout.masters(); ++v) {
    const auto to = static_cast<std::size_t>(blocks.owner(layout.rows[v]));
    const auto first = of_masters.begin() + static_cast<std::ptrdiff_t>(v * width);
    ids[to].push_back(layout.rows[v]);
    values[to].insert(values[to].end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  std::vector<T>().swap(of_masters);
  const auto told_ids = all_to_all(comm, std::move(ids));
  const auto told = all_to_all(comm, std::move(values));
  const std::uint64_t begin = blocks.first(comm.rank());
  std::vector<T> block(blocks.count(comm.rank()) * width);
  for (std::size_t from = 0; from < told.size(); ++from)
    for (std::size_t i = 0; i < told_ids[from].size(); ++i)
      std::copy_n(told[from].begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  block.begin() + static_cast<std::ptrdiff_t>((told_ids[from][i] - begin) * width));
  return block;
}

/// All ranks' blocks, one behind the other: the values of all vertices, on every rank. Collective.
template <Plain T>
std::vector<T> whole(Communicator& comm, const std::vector<T>& block) {
  return std::move(all_gather(comm, std::span<const T>(block)).values());
}

}  // namespace gas
