#pragma once

#include <optional>

#include "programs/lda/measures/measures.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/support/graph/cut_graph.hpp"

namespace gas::tools {

/// What is trained on, laid out.
struct Corpus {
  std::uint64_t words = 0;
  std::optional<std::uint64_t> words_from;
  std::vector<std::string> vocabulary;  // a name for each word; empty: none is given
  std::optional<Matrix> heldout;
  std::uint64_t left_out = 0;        // documents whose tokens were held out
  std::vector<VertexId> model_rows;  // of each word in the model, if there is one
  CutGraph cut;
};

/// Reads and cuts INPUT, for so many topics; sets what the summary says of it; enters
/// Phase::compute. Collective.
Corpus read_corpus(Run& run, const TopicSettings& settings, const TopicModel* model,
                   std::uint64_t topics);

/// What a manifest keeps of a fit, and its files. Collective.
Facts facts_of(const Corpus& corpus, const LdaFit& fit);
void write_fit(Run& run, const std::filesystem::path& folder, const Corpus& corpus,
               const LdaFit& fit);

/// Warns if the run was interrupted before all documents had joined (see lda()). Collective.
void tell_waiting(Run& run, const Corpus& corpus, const LdaFit& fit);

/// Names and values of what was measured, as the summary and tables have them.
using Measured = RunSummary::Object;
Measured measured(const LdaMeasures& measures);

}  // namespace gas::tools
