#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "gas/base/error.hpp"
#include "gas/graph/local_graph.hpp"
#include "programs/lda/topic_counts.hpp"

namespace gas {

/// RunError if a document or word of this rank has more tokens than a histogram counts to: all
/// of them may come to be of one topic. Local.
inline void local_require_counts(const gas::LocalGraph& graph) {
  constexpr std::uint32_t most = std::numeric_limits<TopicHistogram::Element>::max();
  for (const gas::VertexLayout* layout : {&graph.owner, &graph.parameter})
    for (const std::uint32_t tokens : layout->in_degree)
      if (tokens > most)
        throw gas::RunError(fmt::format("found {} tokens of one {}, expected at most {}", tokens,
                                        layout == &graph.owner ? "document" : "word", most));
}

}  // namespace gas
