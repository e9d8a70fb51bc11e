#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// Records of vertices, each of any number of bytes: that of ids[i] are the next sizes[i] of
/// `bytes`.
struct VertexRecords {
  std::vector<VertexId> ids;
  std::vector<std::uint32_t> sizes;
  Bytes bytes;
};

/// Sends each record to the rank that has the vertex of this id, of `count` in the whole graph, as
/// its master; `masters` are this rank's. What comes is in order of the ranks that sent it, and
/// there of their lists. O(records + masters) time and, besides the records, 4 bytes per id of a
/// rank's block. Collective.
VertexRecords deliver(Communicator& comm, std::uint64_t count, std::span<const VertexId> masters,
                      VertexRecords records);

}  // namespace gas
