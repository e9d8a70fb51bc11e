#include "partition/measure/exchange_load.hpp"

#include <algorithm>
#include <numeric>

#include "gas/base/rank_sums.hpp"
#include "partition/edge_cut.hpp"
#include "partition/incidence.hpp"

namespace gas::partition {
namespace {

void count_kind(std::uint64_t first, std::span<const Part> masters,
                const std::vector<Incidence>& copies, std::vector<std::uint64_t>& load) {
  for (const Incidence& copy : copies) {
    const Part master = masters[copy.row - first];
    if (copy.part == master) continue;
    ++load[master];
    ++load[copy.part];
  }
}

}  // namespace

ExchangeLoad exchange_load(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                           const Partition& cut) {
  std::vector<std::uint64_t> load(cut.parts, 0);
  count_kind(source_blocks(comm, shape).first(comm.rank()), cut.source_master,
             incidences(comm, edges, shape, Kind::data, cut), load);
  if (shape.bipartite)
    count_kind(target_blocks(comm, shape).first(comm.rank()), cut.target_master,
               incidences(comm, edges, shape, Kind::parameter, cut), load);
  add_ranks(comm, load);
  return {std::accumulate(load.begin(), load.end(), std::uint64_t{0}) / 2,
          *std::max_element(load.begin(), load.end())};
}

}  // namespace gas::partition
