#pragma once

#include "tools/lda/settings.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// The documents of --heldout: a share of those of `training`, which loses them, or those of a
/// file, with the words of `training`. Collective; there is something to hold out.
InputGraph take_heldout(Run& run, const TopicSettings& settings, InputGraph& training,
                        std::uint64_t topics);

}  // namespace gas::tools
