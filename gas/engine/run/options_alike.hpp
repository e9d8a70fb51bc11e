#pragma once

#include <cstdint>

#include "gas/base/communicator.hpp"
#include "gas/engine/run_options.hpp"

namespace gas {

/// Throws UsageError on all ranks where their options are not alike, or they run other engines than
/// each other; `engine`: its number. Collective.
void check_options_alike(Communicator& comm, const RunOptions& options, std::uint64_t engine = 0);

}  // namespace gas
