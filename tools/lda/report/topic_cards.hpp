#pragma once

#include <string>
#include <vector>

#include "tools/lda/report/relevance.hpp"
#include "tools/support/report/section.hpp"

namespace gas::tools {

/// One topic as a reader sees it.
struct TopicCard {
  std::size_t topic = 0;
  double share = 0;  // of the tokens
  std::vector<RelevantWord> words = {};
  std::vector<std::string> names = {};  // of the words
  std::vector<std::string> documents = {};
};

/// The topics' words, `shown` of each, sized by relevance, for a λ that the reader moves; without
/// scripts as they are at the λ with which that begins.
report::Section topic_cards(const std::vector<TopicCard>& cards, std::size_t shown);

}  // namespace gas::tools
