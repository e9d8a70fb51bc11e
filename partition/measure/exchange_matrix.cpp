#include "partition/measure/exchange_matrix.hpp"

#include <span>

#include "gas/base/rank_sums.hpp"
#include "partition/edge_cut.hpp"
#include "partition/incidence.hpp"

namespace gas::partition {
namespace {

/// Values and totals of one kind, in bytes, with the byte of each message.
void add_kind(Communicator& comm, std::uint64_t first, std::span<const Part> masters,
              std::span<const Incidence> copies, bool bipartite, Part parts,
              const Widths::Kind& width, std::vector<std::uint64_t>& bytes) {
  std::vector<std::uint64_t> values(bytes.size(), 0), totals(bytes.size(), 0);
  for (const Incidence& copy : copies) {
    const Part master = masters[copy.row - first];
    if (copy.part == master) continue;
    const std::size_t to_mirror = std::size_t{master} * parts + copy.part;
    const std::size_t to_master = std::size_t{copy.part} * parts + master;
    if (bipartite || copy.as_source > 0) ++values[to_mirror];
    if (bipartite || copy.as_target > 0) ++totals[to_master];
  }
  const auto add = [&](std::vector<std::uint64_t>& entries, std::uint64_t each) {
    add_ranks(comm, entries);
    for (std::size_t pair = 0; each > 0 && pair < bytes.size(); ++pair)
      bytes[pair] += entries[pair] * each + (entries[pair] > 0 ? 1 : 0);
  };
  add(values, width.published);
  add(totals, width.total);
}

}  // namespace

std::vector<std::uint64_t> exchange_matrix(Communicator& comm, const EdgeList& edges,
                                           const GraphShape& shape, const Partition& partition,
                                           const Widths& widths) {
  const Part parts = partition.parts;
  std::vector<std::uint64_t> bytes(std::size_t{parts} * parts, 0);
  add_kind(comm, source_blocks(comm, shape).first(comm.rank()), partition.source_master,
           incidences(comm, edges, shape, Kind::data, partition), shape.bipartite, parts,
           widths.data, bytes);
  if (shape.bipartite)
    add_kind(comm, target_blocks(comm, shape).first(comm.rank()), partition.target_master,
             incidences(comm, edges, shape, Kind::parameter, partition), true, parts,
             widths.parameter, bytes);
  return bytes;
}

}  // namespace gas::partition
