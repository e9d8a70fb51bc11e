#include "tools/lda/heldout.hpp"

#include "gas/graph/keep_edges.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/ids/row_names.hpp"

namespace gas::tools {
InputGraph take_heldout(Run& run, const TopicSettings& settings, InputGraph& training,
                        std::uint64_t topics) {
  InputGraph heldout;
  const double fraction = settings.heldout_fraction();
  if (fraction == 0) {
    heldout = read_tokens_of(run, settings.heldout, topics);
    rename_words(run, heldout,
                 rows_of_words(run, heldout, all_ids(run.transport, training.target_ids),
                               words_from(training.format)),
                 training.shape.targets);
    return heldout;
  }
  const Random random = Random(run.options.seed).stream(0);
  const auto held = [&](VertexId document) { return random.uniform(document) < fraction; };
  heldout.shape = training.shape;
  heldout.edges = training.edges;
  keep_edges(heldout.edges, nullptr, [&](std::size_t e) { return held(heldout.edges.source[e]); });
  keep_edges(training.edges, training.stored ? &training.stored->cut.edge_part : nullptr,
             [&](std::size_t e) { return !held(training.edges.source[e]); });
  return heldout;
}

}  // namespace gas::tools
