#include "programs/lda/lda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

void check_options(const LdaOptions& options) {
  check_lda(options.run);
  if (options.topics < 1 || options.topics > TopicCounts::most_topics)
    throw UsageError(fmt::format("topics must be a number from 1 to {}", TopicCounts::most_topics));
  if (!(options.alpha > 0 && std::isfinite(options.alpha)) ||
      !(options.beta > 0 && std::isfinite(options.beta)))
    throw UsageError("alpha and beta must be numbers above 0");
  if (!options.alpha_by_topic.empty() && options.alpha_by_topic.size() != options.topics)
    throw UsageError(
        fmt::format("alpha_by_topic has {} numbers, expected one for each of {} topics",
                    options.alpha_by_topic.size(), options.topics));
  for (const double alpha : options.alpha_by_topic)
    if (!(alpha > 0 && std::isfinite(alpha)))
      throw UsageError("alpha_by_topic must be numbers above 0");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
}

bool walks(const LdaOptions& options) {
  return options.sampler == LdaSampler::mh ||
         (options.sampler == LdaSampler::automatic && options.topics > most_exact);
}

LdaPriors given_priors(const LdaOptions& options) {
  return {options.alpha_by_topic.empty() ? std::vector(options.topics, options.alpha)
                                         : options.alpha_by_topic,
          options.beta};
}

/// Sets what a program knows of the prior of a document's topics.
template <class Program>
void set_alpha(Program& program, const LdaOptions& options) {
  program.alpha = static_cast<float>(options.alpha);
  if (options.alpha_by_topic.empty()) return;
  program.alpha =
      static_cast<float>(given_priors(options).alpha_sum() / static_cast<double>(options.topics));
  program.shares = TopicShares(options.alpha_by_topic);
}

std::vector<VertexId> masters(const VertexLayout& layout) {
  return {layout.rows.begin(), layout.rows.begin() + layout.masters()};
}

/// How far a run has come: goes into its checkpoints.
struct Progress {
  std::uint64_t rounds = 0, measured = 0;  // all, and those before the last measure
  double seconds = 0;
  std::uint64_t tuned = 0;  // those before the priors were optimised last
  bool has_before = false;
  double before = 0;  // the objective before the last measure
};

RunOptions with_settings_of(const LdaOptions& options) {
  std::string alphas;
  for (const double alpha : options.alpha_by_topic) alphas += setting(alpha) + " ";
  return with_settings(options.run, {{"topics", std::to_string(options.topics)},
                                     {"alpha", setting(options.alpha)},
                                     {"beta", setting(options.beta)},
                                     {"alpha_by_topic", alphas},
                                     {"optimize_every", std::to_string(options.optimize_every)},
                                     {"draws", std::to_string(options.seed)}});
}

/// A run of rounds that draw, with rounds that measure between them; both programs have both.
template <class Program>
class Sampled final : public LdaDocuments::State {
 public:
  Sampled(const Context& context, const Matrix& documents, std::shared_ptr<const LocalGraph> graph,
          Program program, LdaPriors priors)
      : context_(context),
        graph_(std::move(graph)),
        shares_(documents.shares(context)),
        topics_(program.topics),
        priors_(std::move(priors)),
        engine_(context.transport(), context.executor(), graph_, std::move(program)) {}

  Engine<Program>& engine() { return engine_; }
  const LocalGraph& graph() const override { return *graph_; }

  void give_words(const WordWeights& weights) {
    std::vector<float> row(topics_);
    engine_.template local_give<typename Program::Word>([&](VertexId word, RowView<float> out) {
      weights(word, row);
      TopicRow::write(
          out, topics_, [&](std::size_t k) { return row[k]; }, engine_.program().shares);
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
      std::uint64_t until =
          measures ? std::min(limit, (progress.measured / between_measures + 1) * between_measures)
                   : limit;
      if constexpr (tunes)
        if (const std::uint64_t every = options.optimize_every; every > 0) {
          if (progress.rounds > progress.tuned && progress.rounds % every == 0) {
            progress.seconds += tune();
            progress.tuned = progress.rounds;
          }
          until = std::min(until, (progress.rounds / every + 1) * every);
        }
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
      const bool measured = measures && (until == limit || until % between_measures == 0);
      if (measured && !outcome.interrupted)
        off_the_clock([&] {
          catch_up();
          now = measure();
        });
      listening.tell({progress.rounds, progress.seconds, now});
      if (progress.has_before && now && options.tolerance > 0)
        outcome.converged = std::abs(*now - progress.before) <=
                            options.tolerance * std::abs(progress.before) *
                                static_cast<double>(progress.rounds - progress.measured);
      if (measured) {
        progress.has_before = now.has_value();
        progress.before = now.value_or(0);
        progress.measured = progress.rounds;
      }
      const auto& asks = listening.options.interrupted;
      if (until < limit && !outcome.converged)
        outcome.interrupted = all_max(context_.transport(), asks && asks() ? 1 : 0) > 0;
    }
    outcome.rounds = progress.rounds;
    outcome.seconds = progress.seconds;
    outcome.did = engine_.local_report();
    catch_up();
    if constexpr (tunes)
      if (!engine_.program().found.alpha.empty()) priors_ = engine_.program().found;
    return outcome;
  }

  const LdaPriors& priors() const { return priors_; }

  std::optional<double> measure() override {
    measure_once();
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
    const double sum = priors_.alpha_sum();
    for (std::size_t first = 0; first < theta.size(); first += topics_) {
      const std::span<float> row(theta.data() + first, topics_);
      const double length = std::accumulate(row.begin(), row.end(), 0.0);
      for (std::size_t k = 0; k < topics_; ++k)
        row[k] =
            static_cast<float>((static_cast<double>(row[k]) + priors_.alpha[k]) / (length + sum));
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

  void for_each(const DocumentVisit& visit) override {
    std::vector<std::int32_t> counts(topics_, 0);
    std::vector<TopicTokens> tokens;
    VertexId current = 0;
    const auto flush = [&] {
      if (tokens.empty()) return;
      for (TopicTokens& of : tokens) of.count = std::exchange(counts[of.topic], 0);
      visit(tokens);
      tokens.clear();
    };
    engine_.local_for_each_edge([&](VertexId document, VertexId, const auto& token) {
      if (document != current) flush();
      current = document;
      if (token.topic == TopicCounts::none) return;
      if (counts[token.topic]++ == 0) tokens.push_back({token.topic, 0});
    });
    flush();
  }

 private:
  static constexpr bool tunes = requires(Program program) { program.found; };

  /// Takes the likeliest priors, and writes words' rows by them; returns the seconds that it took.
  double tune() {
    const auto begin = std::chrono::steady_clock::now();
    Communicator& comm = context_.transport();
    LdaPriors now = priors_;
    if (!engine_.program().found.alpha.empty()) now = engine_.program().found;
    now = likeliest_priors(
        comm, [&](const DocumentVisit& visit) { for_each(visit); }, word_counts(), std::move(now));
    engine_.program().take(now);
    write_rows();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

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
    if (stale_ && any_) write_rows();
  }

  /// A round that does nothing but write words' rows.
  void write_rows() {
    if constexpr (tunes) {
      Program& program = engine_.program();
      program.rows_stay = false;
      program.only_rows = true;
      engine_.run_at_rest();
      program.only_rows = false;
    }
  }

  /// A round that measures. Rows stay as they are and need not be written again, which would take
  /// longer than to measure.
  void measure_once() {
    Program& program = engine_.program();
    if constexpr (tunes) program.rows_stay = true;
    engine_.run_at_rest();
  }

  const Context& context_;
  std::shared_ptr<const LocalGraph> graph_;
  RowShares shares_;
  std::size_t topics_;
  LdaPriors priors_;  // θ's
  Engine<Program> engine_;
  bool stale_ = false, any_ = false;
};

LdaFoldIn fold_in_program(const LdaOptions& options) {
  LdaFoldIn program{.topics = options.topics};
  set_alpha(program, options);
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

std::shared_ptr<const LocalGraph> detail::lda_tokens(const Context& context,
                                                     const Matrix& documents, std::size_t topics) {
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

LdaFit lda(const Context& context, const Matrix& documents, const LdaOptions& options) {
  together(context.transport(), [&] { check_options(options); });
  return detail::lda_on(context, documents, detail::lda_tokens(context, documents, options.topics),
                        options);
}

LdaFit detail::lda_on(const Context& context, const Matrix& documents,
                      std::shared_ptr<const LocalGraph> graph, const LdaOptions& options) {
  together(context.transport(), [&] { check_options(options); });
  const std::size_t topics = options.topics;
  Lda program{.topics = topics,
              .beta = static_cast<float>(options.beta),
              .words = graph->parameter.count,
              .seed = options.seed};
  set_alpha(program, options);
  program.walks = walks(options);
  program.given = static_cast<bool>(options.start);
  const auto sampled =
      std::make_shared<Sampled<Lda>>(context, documents, graph, program, given_priors(options));
  if (options.start && options.run.iterations > 0) sampled->give_words(options.start);
  const Outcome outcome =
      sampled->run(options, program.walks ? walks_between_measures : exact_rounds_between_measures);
  // First what may throw: g++ 12 destroys the parts of an aggregate twice where a later one throws.
  TopicWords given(context.transport(), graph->parameter.count, topics);
  LdaPriors priors = sampled->priors();
  LdaFit fit{{LdaDocuments(sampled), std::nullopt, outcome},
             std::move(given),
             std::move(priors),
             std::nullopt};
  const std::vector<VertexId> mine = masters(graph->parameter);
  fit.words.put(mine, [&](std::size_t i) {
    return TopicRow(sampled->engine().template local_published<Lda::Word>(static_cast<LocalId>(i)),
                    topics)
        .weights;
  });
  if (options.optimize_every > 0 && graph->edge_count > 0) {
    const TokenCounts counts = fit.documents.word_counts();
    const auto joint = [&](const LdaPriors& under) {
      return log_joint(
          context.transport(),
          [&](const DocumentVisit& visit) { fit.documents.local_for_each(visit); }, counts, under);
    };
    fit.gained =
        (joint(fit.priors) - joint(given_priors(options))) / static_cast<double>(graph->edge_count);
  }
  if (options.measure) fit.objective = fit.documents.measure();
  return fit;
}

LdaFolded lda_transform(const Context& context, const Matrix& documents, const WordWeights& words,
                        const LdaOptions& options) {
  together(context.transport(), [&] { check_options(options); });
  const auto sampled = std::make_shared<Sampled<LdaFoldIn>>(
      context, documents, detail::lda_tokens(context, documents, options.topics),
      fold_in_program(options), given_priors(options));
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
  const auto graph = detail::lda_tokens(context, documents, options.topics);
  return lda_transform(context, documents, weights_of(words, *graph), options);
}

double lda_heldout(const Context& context, const Matrix& documents, const TopicWords& words,
                   LdaOptions options) {
  options.topics = words.topics();
  together(context.transport(), [&] { check_options(options); });
  check_words(context, documents, words);
  const auto graph = detail::lda_tokens(context, documents, options.topics);
  LdaFoldIn program = fold_in_program(options);
  program.halves = true;
  Sampled<LdaFoldIn> sampled(context, documents, graph, program, given_priors(options));
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
