#pragma once

#include <cstdint>
#include <vector>

#include "tests/partition/graphs.hpp"

namespace gas_test {

/// Graphs of eleven sorts, of about 10,000 to 90,000 edges, without loops and repeats, in no order
/// that tells of their structure: communities of very uneven size, votes on few, circles round
/// egos, stars of mail round a core, two camps, caves with hubs, preferential attachment, stars, a
/// grid, a Kronecker graph, and a bipartite graph of two power laws.
std::vector<Graph> graphs_of_many_sorts(std::uint64_t seed);

}  // namespace gas_test
