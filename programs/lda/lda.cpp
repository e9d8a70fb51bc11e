#include "programs/lda/lda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/lda/fold_in.hpp"
#include "programs/lda/program.hpp"

namespace gas {
namespace {

constexpr std::uint64_t walks_between_measures = 100;        // a measure costs ten of their rounds
constexpr std::uint64_t exact_rounds_between_measures = 20;  // a measure costs as much as one
constexpr std::size_t most_exact = 256;                      // topics that automatic draws exactly
constexpr std::uint64_t heldout_rounds = 100;

void check(const LdaOptions& options) {
  check_lda(options.run);
  if (options.topics < 1 || options.topics > TopicCounts::most_topics)
    throw UsageError(fmt::format("topics must be a number from 1 to {}", TopicCounts::most_topics));
  if (!(options.alpha > 0 && std::isfinite(options.alpha)) ||
      !(options.beta > 0 && std::isfinite(options.beta)))
    throw UsageError("alpha and beta must be numbers above 0");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
}

bool walks(const LdaOptions& options) {
  return options.sampler == LdaSampler::mh ||
         (options.sampler == LdaSampler::automatic && options.topics > most_exact);
}

/// The tokens, each an edge of its own.
std::shared_ptr<const LocalGraph> tokens_of(const Context& context, const Matrix& documents,
                                            std::size_t topics) {
  constexpr double bytes_per_topic = 5;  // that a round sends of a word's counts, at 100 topics
  const auto graph =
      documents
          .laid_out(context, {.repeats = Repeats::expand,
                              .cuts = Cuts::whole,
                              .bytes_per_mirror = bytes_per_topic * static_cast<double>(topics)})
          .graph;
  together(context.transport(), [&] { Lda::local_require_counts(*graph); });
  return graph;
}

std::vector<VertexId> masters(const VertexLayout& layout) {
  return {layout.rows.begin(), layout.rows.begin() + layout.masters()};
}

/// How far a run has come: goes into its checkpoints.
struct Progress {
  std::uint64_t rounds = 0, measured = 0;  // all, and those before the last measure
  double seconds = 0;
  bool has_before = false;
  double before = 0;  // the objective then
};

RunOptions with_settings_of(const LdaOptions& options) {
  return with_settings(options.run, {{"topics", std::to_string(options.topics)},
                                     {"alpha", setting(options.alpha)},
                                     {"beta", setting(options.beta)},
                                     {"draws", std::to_string(options.seed)}});
}

/// A run of rounds that draw, with rounds that measure between them; both programs have both.
template <class Program>
class Sampled final : public LdaDocuments::State {
 public:
  Sampled(const Context& context, const Matrix& documents, std::shared_ptr<const LocalGraph> graph,
          Program program, double alpha)
      : context_(context),
        graph_(std::move(graph)),
        shares_(documents.shares(context)),
        topics_(program.topics),
        alpha_(alpha),
        engine_(context.transport(), context.executor(), graph_, std::move(program)) {}

  Engine<Program>& engine() { return engine_; }
  const LocalGraph& graph() const override { return *graph_; }

  void give_words(const WordWeights& weights) {
    std::vector<float> row(topics_);
    engine_.template local_give<typename Program::Word>([&](VertexId word, RowView<float> out) {
      weights(word, row);
      TopicRow::write(out, topics_, [&](std::size_t k) { return row[k]; });
    });
  }

  /// Until the limit, the tolerance or an interrupt; leaves the state at rest. Collective.
  Outcome run(const LdaOptions& options, std::uint64_t between_measures) {
    stale_ = options.run.staleness.bound > 0;
    const std::uint64_t limit = options.run.iterations;
    const bool measures = options.objectives || options.tolerance > 0;
    const auto off_the_clock = [&](const std::function<void()>& work) {
      options.off_the_clock ? options.off_the_clock(work) : work();
    };
    Listening listening(with_settings_of(options), options.on_round);
    Progress progress;
    RunOptions some = listening.options;
    some.checkpoint.beside = std::as_writable_bytes(std::span(&progress, 1));
    if (!some.checkpoint.folder.empty()) engine_.resume(some);
    any_ = progress.rounds > 0;
    Outcome outcome;
    while (progress.rounds < limit && !outcome.interrupted && !outcome.converged) {
      const std::uint64_t until =
          measures ? std::min(limit, (progress.measured / between_measures + 1) * between_measures)
                   : limit;
      some.iterations = until - std::min(until, progress.rounds);
      const double seconds = progress.seconds;
      const RunReport report = engine_.run(some, [&](const auto& round) {
        progress.seconds = seconds + round.seconds;
        if (++progress.rounds < until)
          listening.tell({progress.rounds, progress.seconds, std::nullopt});
      });
      progress.seconds = seconds + report.seconds;
      outcome.interrupted = report.interrupted;
      outcome.converged = report.converged;  // there is no vertex
      any_ = any_ || progress.rounds > 0;
      if (progress.rounds < until) break;
      std::optional<double> now;
      if (measures && !outcome.interrupted)
        off_the_clock([&] {
          catch_up();
          now = measure();
        });
      listening.tell({progress.rounds, progress.seconds, now});
      if (progress.has_before && now && options.tolerance > 0)
        outcome.converged = std::abs(*now - progress.before) <=
                            options.tolerance * std::abs(progress.before) *
                                static_cast<double>(progress.rounds - progress.measured);
      progress.has_before = now.has_value();
      progress.before = now.value_or(0);
      progress.measured = progress.rounds;
      const auto& asks = listening.options.interrupted;
      if (measures && progress.rounds < limit && !outcome.converged)
        outcome.interrupted = all_max(context_.transport(), asks && asks() ? 1 : 0) > 0;
    }
    outcome.rounds = progress.rounds;
    outcome.seconds = progress.seconds;
    outcome.did = engine_.local_report();
    catch_up();
    return outcome;
  }

  std::optional<double> measure() override {
    measure_once(true);
    if (graph_->edge_count == 0) return std::nullopt;
    return Program::log_likelihood(engine_.last().data()) / static_cast<double>(graph_->edge_count);
  }

  std::vector<VertexId> local_drawn() override {
    std::vector<VertexId> drawn;
    engine_.local_for_each_edge([&](VertexId, VertexId, const auto& token) {
      if (token.topic != TopicCounts::none) drawn.push_back(token.topic);
    });
    return drawn;
  }

  /// Each document's tokens are on the rank of its master.
  std::vector<std::int32_t> local_counts() override { return by_topic<std::int32_t>(); }
  std::vector<std::int32_t> counts() override {
    return to_blocks(context_.transport(), graph_->owner, local_counts(), topics_, shares_);
  }
  std::vector<float> local_topics() override {
    std::vector<float> theta = by_topic<float>();
    for (std::size_t first = 0; first < theta.size(); first += topics_) {
      const std::span<float> row(theta.data() + first, topics_);
      const double length = std::accumulate(row.begin(), row.end(), 0.0);
      for (float& x : row)
        x = static_cast<float>((static_cast<double>(x) + alpha_) /
                               (length + static_cast<double>(topics_) * alpha_));
    }
    return theta;
  }
  std::vector<float> topics() override {
    return to_blocks(context_.transport(), graph_->owner, local_topics(), topics_, shares_);
  }
  TokenCounts word_counts() override {
    return TokenCounts(context_.transport(), graph_->parameter.count, topics_, [&](auto visit) {
      engine_.local_for_each_edge([&](VertexId, VertexId word, const auto& token) {
        if (token.topic != TopicCounts::none) visit(word, token.topic);
      });
    });
  }

 private:
  /// n_dk of this rank's masters.
  template <class T>
  std::vector<T> by_topic() {
    const std::vector<VertexId> ids = masters(graph_->owner);
    std::vector<T> counts(ids.size() * topics_, 0);
    std::vector<std::size_t> by_id(ids.size());
    std::iota(by_id.begin(), by_id.end(), std::size_t{0});
    std::ranges::sort(by_id, {}, [&](std::size_t i) { return ids[i]; });
    engine_.local_for_each_edge([&](VertexId document, VertexId, const auto& token) {
      const auto at =
          std::ranges::lower_bound(by_id, document, {}, [&](std::size_t i) { return ids[i]; });
      if (token.topic != TopicCounts::none) ++counts[*at * topics_ + token.topic];
    });
    return counts;
  }

  /// Words' rows become those of their tokens, which they are anyway where ranks wait for each
  /// other.
  void catch_up() {
    if (stale_ && any_) measure_once(false);
  }

  /// A round that measures. Rows that stay as they are need not be written again, which would take
  /// longer than to measure.
  void measure_once(bool rows_stay) {
    Program& program = engine_.program();
    if constexpr (requires { program.rows_stay; }) program.rows_stay = rows_stay;
    engine_.run_at_rest();
  }

  const Context& context_;
  std::shared_ptr<const LocalGraph> graph_;
  RowShares shares_;
  std::size_t topics_;
  double alpha_;
  Engine<Program> engine_;
  bool stale_ = false, any_ = false;
};

LdaFoldIn fold_in_program(std::size_t topics, const LdaOptions& options) {
  LdaFoldIn program{.topics = topics, .alpha = static_cast<float>(options.alpha)};
  program.seed = options.seed;
  return program;
}

/// A model's words as those who fold in ask for them: of this rank's masters. Collective.
WordWeights weights_of(const TopicWords& words, const LocalGraph& graph) {
  return [all = words.get(masters(graph.parameter)), topics = words.topics(),
          next = std::size_t{0}](VertexId, std::span<float> out) mutable {
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(next++ * topics), topics, out.begin());
  };
}

void check_words(const Context& context, const Matrix& documents, const TopicWords& words) {
  detail::check(context.transport(),
                documents.columns() <= words.words()
                    ? ""
                    : fmt::format("{}: found {} words, expected at most the {} of the topics",
                                  documents.name(), documents.columns(), words.words()));
}

}  // namespace

std::vector<VertexId> LdaDocuments::local_ids() const { return masters(state_->graph().owner); }

void check_lda(const RunOptions& options) { Engine<Lda>::check(options); }

LdaFit lda(const Context& context, const Matrix& documents, const LdaOptions& options) {
  together(context.transport(), [&] { check(options); });
  const auto graph = tokens_of(context, documents, options.topics);
  const std::size_t topics = options.topics;
  Lda program{.topics = topics,
              .alpha = static_cast<float>(options.alpha),
              .beta = static_cast<float>(options.beta),
              .words = graph->parameter.count,
              .seed = options.seed};
  program.walks = walks(options);
  program.given = static_cast<bool>(options.start);
  const auto sampled =
      std::make_shared<Sampled<Lda>>(context, documents, graph, program, options.alpha);
  if (options.start && options.run.iterations > 0) sampled->give_words(options.start);
  const Outcome outcome =
      sampled->run(options, program.walks ? walks_between_measures : exact_rounds_between_measures);
  // First what may throw: g++ 12 destroys the parts of an aggregate twice where a later one throws.
  TopicWords given(context.transport(), graph->parameter.count, topics);
  LdaFit fit{{LdaDocuments(sampled), std::nullopt, outcome}, std::move(given)};
  const std::vector<VertexId> mine = masters(graph->parameter);
  fit.words.put(mine, [&](std::size_t i) {
    return TopicRow(sampled->engine().template local_published<Lda::Word>(static_cast<LocalId>(i)),
                    topics)
        .weights;
  });
  if (options.measure) fit.objective = fit.documents.measure();
  return fit;
}

LdaFolded lda_transform(const Context& context, const Matrix& documents, const WordWeights& words,
                        const LdaOptions& options) {
  together(context.transport(), [&] { check(options); });
  const auto sampled = std::make_shared<Sampled<LdaFoldIn>>(
      context, documents, tokens_of(context, documents, options.topics),
      fold_in_program(options.topics, options), options.alpha);
  sampled->give_words(words);
  const Outcome outcome = sampled->run(options, exact_rounds_between_measures);
  LdaFolded folded{LdaDocuments(sampled), std::nullopt, outcome};
  if (options.measure) folded.objective = folded.documents.measure();
  return folded;
}

LdaFolded lda_transform(const Context& context, const Matrix& documents, const TopicWords& words,
                        LdaOptions options) {
  options.topics = words.topics();
  check_words(context, documents, words);
  const auto graph = tokens_of(context, documents, options.topics);
  return lda_transform(context, documents, weights_of(words, *graph), options);
}

double lda_heldout(const Context& context, const Matrix& documents, const TopicWords& words,
                   const LdaOptions& options) {
  check_words(context, documents, words);
  const auto graph = tokens_of(context, documents, words.topics());
  LdaFoldIn program = fold_in_program(words.topics(), options);
  program.halves = true;
  Sampled<LdaFoldIn> sampled(context, documents, graph, program, options.alpha);
  sampled.give_words(weights_of(words, *graph));
  sampled.engine().run({.iterations = heldout_rounds});
  sampled.engine().run_at_rest();
  return sampled.engine().last().data().mean();
}

double lda_bytes(const PieceSizes& piece, const LdaOptions& options) {
  Lda program{.topics = options.topics};
  program.walks = walks(options);
  // Beside the rounds' arrays the fitted words, of this rank's block.
  return detail::engine_bytes(program, piece) +
         piece.parameter.count / piece.ranks * static_cast<double>(options.topics) * sizeof(float);
}

}  // namespace gas
