#pragma once

#include "partition/measure/balance.hpp"
#include "tools/partition/settings.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {

/// Cuts the graph as the settings say, or imports its parts; `loaded.edges.both_ways` says whether
/// edges count in both directions. Weights are those of --vertex-weights, else a METIS graph's own.
/// Collective; the settings come to say which weights counted.
Partition cut_input(Run& run, const InputGraph& loaded, PartitionSettings& settings);

/// Warns where a part is larger than was asked for. `both_ways`: edges count in both directions.
void tell_balance(Run& run, const partition::Balance& balance, partition::VertexWeights weights,
                  bool both_ways);

}  // namespace gas::tools
