#pragma once

#include "tools/lda/train.hpp"

namespace gas::tools {

/// Says in five lines on standard error what a fit found and how good it is, in words that need no
/// formula; nothing with --quiet, of an interrupted run, and without a token. Collective.
void tell_topics(Run& run, const Corpus& corpus, const LdaFit& fit);

}  // namespace gas::tools
