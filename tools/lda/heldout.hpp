#pragma once

#include "tools/lda/settings.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

struct Heldout {
  InputGraph graph;
  std::uint64_t left_out = 0;  // documents of the training graph that it has the tokens of
};

/// The documents of --heldout: a share of those of `training`, which loses them, or those of a
/// file, with the words of `training`. Collective; there is something to hold out.
Heldout take_heldout(Run& run, const TopicSettings& settings, InputGraph& training,
                     std::uint64_t topics);

}  // namespace gas::tools
