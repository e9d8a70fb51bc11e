#include "gas/checkpoint/delivery.hpp"

#include <utility>

#include "gas/base/page_array.hpp"
#include "gas/graph/ask.hpp"

namespace gas {
namespace {

/// The rank of each vertex's master. Collective.
std::vector<int> ranks_of(Communicator& comm, std::uint64_t count,
                          std::span<const VertexId> masters, const std::vector<VertexId>& ids) {
  const BlockDistribution blocks{count, comm.size()};
  const auto block_of = [&](VertexId id) { return static_cast<std::size_t>(blocks.owner(id)); };
  std::vector<std::vector<VertexId>> told(static_cast<std::size_t>(comm.size()));
  for (const VertexId id : masters) told[block_of(id)].push_back(id);
  const auto heard = all_to_all(comm, std::move(told));
  const std::uint64_t first = blocks.first(comm.rank());
  std::vector<int> rank_of(blocks.count(comm.rank()), 0);
  for (std::size_t rank = 0; rank < heard.size(); ++rank)
    for (const VertexId id : heard[rank]) rank_of[id - first] = static_cast<int>(rank);
  return ask(comm, std::span<const VertexId>(ids), block_of,
             [&](VertexId id) { return rank_of[id - first]; });
}

template <class T>
void append(std::vector<T>& all, std::vector<std::vector<T>> parts) {
  for (std::vector<T>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    release(part);
  }
}

}  // namespace

VertexRecords deliver(Communicator& comm, std::uint64_t count, std::span<const VertexId> masters,
                      VertexRecords records) {
  if (comm.size() == 1) return records;
  const std::vector<int> ranks = ranks_of(comm, count, masters, records.ids);
  const auto parts = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<VertexId>> ids(parts);
  std::vector<std::vector<std::uint32_t>> sizes(parts);
  std::vector<Bytes> bytes(parts);
  auto at = records.bytes.begin();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto to = static_cast<std::size_t>(ranks[i]);
    const auto end = at + static_cast<std::ptrdiff_t>(records.sizes[i]);
    ids[to].push_back(records.ids[i]);
    sizes[to].push_back(records.sizes[i]);
    bytes[to].insert(bytes[to].end(), at, end);
    at = end;
  }
  records = {};
  VertexRecords come;
  append(come.ids, all_to_all(comm, std::move(ids)));
  append(come.sizes, all_to_all(comm, std::move(sizes)));
  append(come.bytes, comm.exchange(std::move(bytes)));
  return come;
}

}  // namespace gas
