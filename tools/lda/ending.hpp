#pragma once

#include "tools/lda/train.hpp"

namespace gas::tools {

/// Says in five lines on standard error what a fit found and how good it is, in words that need no
/// formula; nothing with --quiet, of an interrupted run, and without a token. Collective.
void tell_topics(Run& run, const Corpus& corpus, const LdaFit& fit);

/// The same of documents under a model. Collective.
void tell_folded(Run& run, const CutGraph& cut, const LdaDocuments& documents,
                 std::uint64_t topics);

}  // namespace gas::tools
