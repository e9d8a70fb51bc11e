#pragma once

#include <filesystem>

#include "programs/lda/lda.hpp"
#include "tools/lda/model.hpp"
#include "tools/lda/settings.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {

/// What gas-lda does with INPUT, from reading to writing; in Phase::load. Collective.
/// Trains, from the model's rows of words if there is one.
void train_topics(Run& run, const TopicSettings& settings, const TopicModel* model);
/// Trains each of several numbers of topics, and compares them.
void compare_topics(Run& run, const TopicSettings& settings);
/// Finds the topics of INPUT's documents under a model that stays as it is.
void fold_in(Run& run, const TopicSettings& settings, const TopicModel& model);

LdaSampler sampler_of(const TopicSettings& settings);
/// What the command line and the model, if there is one, say of either, but for the words that a
/// fit starts from; not measured.
LdaOptions lda_options(Run& run, const TopicSettings& settings, std::uint64_t topics,
                       const TopicModel* model);

/// document_topic.npy and document_counts.npy. Collective.
void write_documents(Run& run, const std::filesystem::path& folder, const LdaDocuments& documents,
                     std::uint64_t topics, const loaders::RowIds& ids);

inline CountNames topic_counts(const Run& run) {
  return {"documents", "words", "tokens", run.options.tolerance > 0};
}

}  // namespace gas::tools
