#include "gas/graph/distinct.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "gas/graph/row_set.hpp"

namespace gas {

void keep_each_once(std::vector<VertexId>& ids) {
  if (std::ranges::adjacent_find(ids, std::greater_equal<>()) == ids.end()) return;
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<VertexId> distinct_ids(Communicator& comm, const BlockDistribution& blocks,
                                   std::vector<VertexId> mine) {
  keep_each_once(mine);
  std::vector<std::vector<VertexId>> told(static_cast<std::size_t>(comm.size()));
  for (const VertexId id : mine) told[static_cast<std::size_t>(blocks.owner(id))].push_back(id);
  mine.clear();
  const std::uint64_t begin = blocks.first(comm.rank());
  for (const auto& ids : all_to_all(comm, std::move(told)))
    for (const VertexId id : ids) mine.push_back(to_vertex_id(id - begin));
  const RowSet set(blocks.count(comm.rank()), mine);
  mine.clear();
  set.for_each([&](VertexId id) { mine.push_back(to_vertex_id(begin + id)); });
  return mine;
}

}  // namespace gas
