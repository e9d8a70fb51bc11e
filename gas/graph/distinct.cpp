#include "gas/graph/distinct.hpp"

#include <algorithm>
#include <utility>

namespace gas {

void keep_each_once(std::vector<VertexId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<VertexId> distinct_ids(Communicator& comm, const BlockDistribution& blocks,
                                   std::vector<VertexId> mine) {
  keep_each_once(mine);
  std::vector<std::vector<VertexId>> told(static_cast<std::size_t>(comm.size()));
  for (const VertexId id : mine) told[static_cast<std::size_t>(blocks.owner(id))].push_back(id);
  mine.clear();
  for (const auto& ids : all_to_all(comm, std::move(told)))
    mine.insert(mine.end(), ids.begin(), ids.end());
  keep_each_once(mine);
  return mine;
}

}  // namespace gas
