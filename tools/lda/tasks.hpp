#pragma once

#include "tools/lda/model.hpp"
#include "tools/lda/settings.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {

/// What gas-lda does with INPUT, from reading to writing; in Phase::load. Collective.
/// Trains, from the model's rows of words if there is one.
void train_topics(Run& run, const TopicSettings& settings, const TopicModel* model);
/// Finds the topics of INPUT's documents under a model that stays as it is.
void fold_in(Run& run, const TopicSettings& settings, const TopicModel& model);

/// Exact draws between two measures of the objective, which costs as much as one.
constexpr std::uint64_t exact_rounds_between_measures = 20;

inline CountNames topic_counts(const Run& run) {
  return {"documents", "words", "tokens", run.options.tolerance > 0};
}

}  // namespace gas::tools
