#pragma once

#include <string>
#include <vector>

#include "loaders/ids/row_ids.hpp"
#include "programs/lda/topic_words.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// The heaviest words of each topic, with blanks between, on rank 0; by `vocabulary` if it is not
/// empty. Collective.
std::vector<std::string> heaviest_words(Run& run, const TopicWords& phi, std::size_t count,
                                        const std::vector<std::string>& vocabulary,
                                        const loaders::RowIds& ids);

}  // namespace gas::tools
