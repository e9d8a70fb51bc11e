#include "programs/logistic_regression/online.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/stream_examples.hpp"
#include "tools/logreg/apply.hpp"
#include "tools/logreg/classifier_report.hpp"
#include "tools/logreg/findings.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/run/room.hpp"

namespace gas::tools {
namespace {

/// Of a weight: the learner's 16 and the model's 8, and what ranks send each other. Unless they are
/// hashed they become more while it learns, which copies the learner's.
double bytes_per_weight(int ranks, bool hashed) {
  const double kept = ranks == 1 ? 24 : 48;
  return hashed ? kept : std::max(kept, 2.5 * 16);
}

/// How many there are follows from --hash, or from a sample of INPUT.
MemoryPlan online_plan(Run& run, unsigned hash_bits, const loaders::ExampleTable& table) {
  std::optional<double> weights;
  if (hash_bits > 0) {
    weights = static_cast<double>(std::uint64_t{1} << hash_bits);
  } else if (const auto source = look_at_graph(run, examples_wish(nullptr, table))) {
    weights = source->sizes.target.count;
  }
  if (!weights) return {};
  return [=](const Machine& machine) {
    constexpr double block = 1 << 20;  // of text; what is made of it takes about as much
    const double weight = bytes_per_weight(machine.ranks, hash_bits > 0);
    return std::vector<Moment>{{"learning", *weights * weight + (3 + machine.ranks) * block}};
  };
}

loaders::StreamOptions stream_options(Run& run, const LogregSettings& settings) {
  loaders::StreamOptions options;
  options.format = loaders::parse_format(run.options.format);
  options.index_base = run.options.index_base.value_or(1);
  options.hash_bits = settings.hash_bits;
  options.table = run.options.table;
  options.examples = settings.table();
  if (options.examples.given()) options.fallback = loaders::Format::csv;
  const double room = all_min(run.transport, local_room(run.ranks_on_this_host));
  options.most_columns =
      static_cast<std::uint64_t>(std::clamp(room / bytes_per_weight(run.transport.size(), false),
                                            1.0, static_cast<double>(max_vertices)));
  return options;
}

LogregModel model_of(Run& run, const LogregSettings& settings, LogisticModel fit,
                     const loaders::ExampleStream& stream, std::uint64_t base) {
  LogregModel model;
  static_cast<LogisticModel&>(model) = std::move(fit);
  model.hash_bits = settings.hash_bits;
  if (stream.format() == loaders::Format::libsvm) model.index_base = base;
  if (stream.format() == loaders::Format::csv) model.table = stream.table();
  const std::uint64_t first = settings.hash_bits > 0 ? 0 : base;
  model.features = IdList(run.transport, loaders::RowIds(model.columns(), first, first));
  return model;
}

}  // namespace

void check_online(Options& options) {
  const auto refuse = [&](const std::string& reason, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (options.given(name))
        throw UsageError(
            fmt::format("{1} and --online exclude each other: --online {0}", reason, name));
  };
  refuse("has no penalty and does not measure how far it is from the optimum",
         {"--penalty", "-C", "--costs", "--solver", "--tolerance", "--class-weight"});
  refuse("always starts from weights of 0 (but runs without --online can start from its model)",
         {"--model"});
  refuse(
      "is one pass without rounds",
      {"--iterations", "--require-convergence", "--staleness", "--eager", "--order",
       "--consistency", "--trace", "--straggler", "--straggler-round", "--watchdog", "--sample"});
  refuse("cannot write checkpoints (but an interrupted run writes its model)", {"--checkpoint"});
  refuse(
      "reads libsvm, vw or csv with labels, from front to back",
      {"--labels", "--generate", "--vertices", "--allow-empty", "--partition", "--without-input"});
  if (!options.given("--label"))
    refuse("without --label reads libsvm and vw, which have no columns to name or separate",
           {"--header", "--delimiter", "--columns", "--categorical"});
  refuse("draws nothing at random", {"--seed"});
  if (options.given("--threads") && options.common.threads > 1)
    refuse("learns on one thread per rank", {"--threads"});
  options.common.iterations = std::numeric_limits<std::uint64_t>::max();  // as many as come
}

void learn_online(Run& run, const LogregSettings& settings) {
  Communicator& comm = run.transport;
  const unsigned bits = settings.hash_bits > 0 ? settings.hash_bits : loaders::most_hash_bits + 1;
  const Remedy hash = fewer("--hash", bits, [&](std::uint64_t fewer_bits) {
    return online_plan(run, static_cast<unsigned>(fewer_bits), settings.table());
  });
  if (!check_memory(run, online_plan(run, settings.hash_bits, settings.table()), {hash})) return;
  run.enter(Phase::load);
  const loaders::StreamOptions how = stream_options(run, settings);
  loaders::ExampleStream stream(comm, run.options.inputs, how);
  run.summary.threads = run.manifest.threads = 1;

  run.enter(Phase::compute);
  bool whole = true;
  const ExampleSource source = [&](const loaders::TakeExamples& take) {
    whole = stream.each(take, [&] { return run.interrupted(); });
  };
  OnlineOptions options{.rate = settings.rate, .bias = settings.bias, .on_round = run.on_round()};
  if (settings.hash_bits > 0) options.columns = std::uint64_t{1} << settings.hash_bits;
  OnlineFit fit;
  try {
    fit = online_logistic_regression(run.context(), source, options, run.options.input_name());
  } catch (const InputError&) {
    if (whole) throw;
    run.ended<Outcome>({.interrupted = true});  // before there were examples of two labels
    return;
  }
  fit.outcome.interrupted = !whole;
  for (const std::string& note : stream.notes()) run.warn(note);
  LogregModel model = model_of(run, settings, std::move(fit), stream, how.index_base);
  run.ended<Outcome>(fit.outcome);
  run.summary.converged.reset();
  run.summary.reproducible = comm.size() == 1;
  run.summary.data_vertices = fit.examples;
  run.summary.parameter_vertices = model.weights.size();
  run.summary.edges = fit.entries;
  run.summary.set("progressive_loss", fit.progressive_loss);
  run.summary.set("nonzeros", model.nonzeros());
  describe_model(model, run.manifest.model);
  std::optional<Applied> test;
  const auto close = [&] {
    if (!settings.test.empty() && !run.summary.interrupted)
      test = apply_to_test(run, settings.test, model);
  };
  run.measure_and_write(close, [&](const std::filesystem::path& folder) {
    write_weights(comm, folder.string(), model, model.weights, run.options.text);
    if (test) write_predictions(run, folder, *test);
  });
  run.show([&] {
    return summary_lines(run.summary, example_counts,
                         {"progressive_loss", "nonzeros", "test_accuracy", "test_logloss"}) +
           heaviest_table(model, model.weights, run.options.top);
  });
  run.objective_is("Mean loss of examples before they are learnt");
  run.report([&] { return classifier_sections(run, model, test ? &*test : nullptr); });
  if (run.summary.interrupted) return;
  for (const std::string& line : told_of(model, fit, test ? &*test : nullptr, settings.test))
    run.note(line);
}

}  // namespace gas::tools
