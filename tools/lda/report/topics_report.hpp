#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/lda/lda.hpp"
#include "tools/support/report/section.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a report says of topics: how many tokens each has and which documents show it best; of a
/// fit also its words, and how near topics are to each other. Of many topics the largest.
struct TopicsReport {
  const LdaDocuments& documents;
  std::uint64_t topics;
  const loaders::RowIds& document_names;
  const TopicWords* words = nullptr;                     // of a fit
  const std::vector<std::string>* vocabulary = nullptr;  // by word; empty: word_names
  const loaders::RowIds* word_names = nullptr;

  /// Whole on rank 0. Collective.
  std::vector<report::Section> sections(Run& run) const;
};

}  // namespace gas::tools
