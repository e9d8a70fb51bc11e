#include "tools/lda/heldout.hpp"

#include <algorithm>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/graph/keep_edges.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/ids/row_names.hpp"

namespace gas::tools {
namespace {

void check_some(Run& run, const InputGraph& graph, const std::string& otherwise) {
  const std::uint64_t edges = all_sum(run.transport, std::uint64_t{graph.edges.size()});
  together(run.transport, [&] {
    if (edges == 0) throw InputError(otherwise);
  });
}

}  // namespace

Heldout take_heldout(Run& run, const TopicSettings& settings, InputGraph& training,
                     std::uint64_t topics) {
  InputGraph heldout;
  const std::optional<double> fraction = settings.heldout_fraction();
  if (!fraction) {
    heldout = read_tokens_of(run, settings.heldout, topics);
    rename_words(run, heldout,
                 rows_of_words(run, heldout, all_ids(run.transport, training.target_ids),
                               words_from(training.format)),
                 training.shape.targets);
    check_some(run, heldout, settings.heldout + ": found no token of a known word, expected some");
    return {std::move(heldout)};
  }
  const Random random = Random(run.options.seed).stream(0);
  const auto held = [&](VertexId document) { return random.uniform(document) < *fraction; };
  heldout.shape = training.shape;
  keep_edges(training.edges, training.stored ? &training.stored->cut.edge_part : nullptr,
             [&](std::size_t e) {
               if (!held(training.edges.source[e])) return true;
               append_edge(heldout.edges, training.edges, e);
               return false;
             });
  const std::string other = ", expected some: give another --heldout or --seed";
  check_some(run, heldout,
             run.options.input_name() + ": found no document that is held out" + other);
  check_some(run, training,
             run.options.input_name() + ": found no document that is left to learn from" + other);
  const std::vector<VertexId> mine = ids_of_block(run.transport, training.shape.sources);
  const auto out = static_cast<std::uint64_t>(std::ranges::count_if(mine, held));
  return {std::move(heldout), all_sum(run.transport, out)};
}

}  // namespace gas::tools
