#pragma once

#include <cstdint>
#include <memory>
#include <typeinfo>

#include "gas/base/communicator.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// `graph`, if it was laid out for these ranks and all give the same, and the same program and
/// seed; else UsageError on all ranks. Collective.
std::shared_ptr<const LocalGraph> fitting_graph(Communicator& comm,
                                                std::shared_ptr<const LocalGraph> graph,
                                                const std::type_info& program, std::uint64_t seed);

}  // namespace gas
