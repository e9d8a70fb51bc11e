// gas-lda: topics of documents, found and applied.
#include <fmt/format.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "programs/lda/topic_counts.hpp"
#include "tools/lda/model.hpp"
#include "tools/lda/tasks.hpp"
#include "tools/lda/tokens.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/run_tool.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

/// The same run with a model of so many numbers, which each rank holds: while it is read as
/// doubles, too, which rank 0 has twice while it sends them.
MemoryPlan beside_model(MemoryPlan plan, double numbers) {
  if (!plan || numbers == 0) return plan;
  return [plan = std::move(plan), numbers](const Machine& machine) {
    std::vector<Moment> moments = plan(machine);
    for (Moment& moment : moments) moment.bytes += numbers * sizeof(float);
    const double read = sizeof(float) + sizeof(double);
    moments.push_back(
        {"reading the model",
         numbers * (machine.ranks > 1 ? std::max(read, 2.0 * sizeof(double)) : read)});
    return moments;
  };
}

/// check_memory of so many topics, with the numbers of --model.
bool check_topics(Run& run, const TopicSettings& settings, std::uint64_t topics,
                  double of_model = 0) {
  const auto source = look_at_graph(run, tokens_wish(topics));
  const auto plan = [&](std::uint64_t count) {
    LdaOptions options{.topics = static_cast<std::size_t>(count),
                       .split_merge = settings.split_merge,
                       .sampler = sampler_of(settings)};
    if (!run.options.model.empty()) options.start = [](VertexId, std::span<float>) {};
    const bool writes = !run.options.output.empty() || run.reports();
    const auto call = [=, &settings, &run](const PieceSizes& piece) {
      // Beside the fit how many tokens of each document, or each word, are of each topic.
      const double documents = std::max(piece.owner.masters, 1.0);
      const double mixtures =
          documents *
          (std::min(piece.edges / documents, static_cast<double>(count)) * sizeof(TopicTokens) +
           sizeof(std::size_t));
      double counts = piece.edges * (sizeof(VertexId) + sizeof(std::int32_t));
      if (!run.options.output.empty())
        counts += writing_bytes(count, static_cast<std::uint64_t>(piece.parameter.count),
                                piece.parameter.masters);
      // A page is made of the shares of all topics in each document.
      const double page =
          run.reports() ? documents * static_cast<double>(count) * sizeof(float) : 0;
      // Documents held out are folded in with a weight of each word and topic, published and kept.
      const double weights =
          settings.heldout.empty()
              ? 0
              : piece.parameter.locals() * static_cast<double>(count) * 2 * sizeof(float);
      const bool counted = writes || settings.optimize_every > 0 || settings.measures;
      return lda_bytes(piece, options) + weights +
             std::max({writes ? mixtures : 0, counted ? counts : 0, page});
    };
    return beside_model(graph_plan(run, source, tokens_wish(count), call), of_model);
  };
  return check_memory(run, plan(topics), {fewer("--topics", topics, plan)});
}

/// The model's priors, where the command line has none.
void take_priors(Run& run, TopicSettings& settings, const Facts& kept) {
  if (!settings.alpha_given) settings.alpha = kept.number("alpha");
  if (!settings.beta_given) settings.beta = kept.number("beta");
  if (!settings.alpha_given || !settings.beta_given)
    run.note(
        fmt::format("taken from the model: --alpha {} --beta {}", settings.alpha, settings.beta));
  run.in_effect("--alpha", fmt::format("{}", settings.alpha));
  run.in_effect("--beta", fmt::format("{}", settings.beta));
}

}  // namespace

int main(int argc, char* argv[]) {
  TopicSettings settings;
  return run_tool(
      "gas-lda", argc, argv, [&](Options& options) { take_lda(options, settings); },
      [&](Run& run) {
        if (run.options.model.empty()) {
          if (!check_topics(run, settings, settings.most_topics())) return;
          run.enter(Phase::load);
          return settings.several() ? compare_topics(run, settings)
                                    : train_topics(run, settings, nullptr);
        }
        const ModelFolder folder(run.transport, run.options.model, "gas-lda");
        const std::uint64_t topics = folder.facts().count("topics");
        const double numbers =
            static_cast<double>(topics) * static_cast<double>(folder.facts().count("words"));
        if (!check_topics(run, settings, topics, numbers)) return;
        run.enter(Phase::load);
        take_priors(run, settings, folder.facts());
        const TopicModel model = read_topic_model(run.transport, folder);
        if (!settings.topics.empty() && settings.topics[0] != model.topics)
          together(run.transport, [&] {
            throw located_error(run.options.model, 0, 0, fmt::format("{} topics", model.topics),
                                fmt::format("{}, as --topics says", settings.topics[0]));
          });
        return run.options.apply ? fold_in(run, settings, model)
                                 : train_topics(run, settings, &model);
      });
}
