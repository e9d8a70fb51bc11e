#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gas/graph/by_id.hpp"
#include "programs/calls/run.hpp"
#include "programs/lda/lda.hpp"
#include "programs/lda/split_merge/split_merge.hpp"
#include "programs/lda/topic_counts.hpp"

namespace gas::detail {

inline std::vector<VertexId> masters(const VertexLayout& layout) {
  return {layout.rows.begin(), layout.rows.begin() + layout.masters()};
}

/// How far a run has come: goes into its checkpoints.
struct Progress {
  std::uint64_t rounds = 0, measured = 0;  // all, and those before the last measure
  double seconds = 0;
  std::uint64_t tuned = 0;  // those before the priors were optimised last
  std::uint64_t split = 0;  // those before topics were split and merged last
  std::uint64_t moves = 0;  // of topics
  bool has_before = false;
  double before = 0;  // the objective before the last measure
};

inline RunOptions with_settings_of(const LdaOptions& options, const std::string& sampler) {
  std::string alphas;
  for (const double alpha : options.alpha_by_topic) alphas += setting(alpha) + " ";
  return with_settings(options.run, {{"topics", std::to_string(options.topics)},
                                     {"alpha", setting(options.alpha)},
                                     {"beta", setting(options.beta)},
                                     {"alpha_by_topic", alphas},
                                     {"sampler", sampler},
                                     {"optimize_every", std::to_string(options.optimize_every)},
                                     {"optimize_burn_in", std::to_string(options.optimize_burn_in)},
                                     {"turns", std::to_string(options.turns)},
                                     {"split_merge", std::to_string(options.split_merge)},
                                     {"draws of seed", std::to_string(options.seed)}});
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
    Listening listening(with_settings_of(options, sampler()), options.on_round);
    Progress progress;
    RunOptions some = listening.options;
    some.checkpoint.beside = std::as_writable_bytes(std::span(&progress, 1));
    some.checkpoint.waits = false;
    if (!some.checkpoint.folder.empty()) engine_.resume(some);
    any_ = progress.rounds > 0;
    Outcome outcome;
    while (progress.rounds < limit && !outcome.interrupted && !outcome.converged) {
      std::uint64_t until =
          measures ? std::min(limit, (progress.measured / between_measures + 1) * between_measures)
                   : limit;
      if constexpr (tunes) {
        if (const std::uint64_t every = options.split_merge; every > 0) {
          if (progress.rounds > progress.split && progress.rounds % every == 0 &&
              progress.rounds <= limit - limit / 3) {
            progress.seconds += split(options.seed, progress);
            progress.split = progress.rounds;
          }
          until = std::min(until, (progress.rounds / every + 1) * every);
        }
        if (const std::uint64_t every = options.optimize_every; every > 0) {
          if (progress.rounds > std::max(progress.tuned, options.optimize_burn_in) &&
              progress.rounds % every == 0) {
            progress.seconds += tune();
            progress.tuned = progress.rounds;
          }
          until = std::min(until, (progress.rounds / every + 1) * every);
        }
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
                                static_cast<double>(progress.rounds - progress.measured) /
                                static_cast<double>(options.turns);
      if (measured) {
        progress.has_before = now.has_value();
        progress.before = now.value_or(0);
        progress.measured = progress.rounds;
      }
      const auto& asks = listening.options.interrupted;
      if (until < limit && !outcome.converged)
        outcome.interrupted = all_max(context_.transport(), asks && asks() ? 1 : 0) > 0;
    }
    engine_.finish_checkpoints();
    outcome.rounds = progress.rounds;
    moves_ = progress.moves;
    outcome.seconds = progress.seconds;
    outcome.did = engine_.local_report();
    catch_up();
    if constexpr (tunes)
      if (!engine_.program().found.alpha.empty()) priors_ = engine_.program().found;
    return outcome;
  }

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

  const LdaPriors& priors() const override { return priors_; }
  std::uint64_t moves() const { return moves_; }
  /// Each document's tokens are on the rank of its master.
  DocumentCounts local_document_counts() override {
    DocumentCounts all;
    const std::vector<VertexId> ids = masters(graph_->owner);
    visit_documents([&](VertexId document, std::span<const TopicTokens> tokens) {
      while (ids[all.end.size() - 1] != document) all.end.push_back(all.tokens.size());
      all.tokens.insert(all.tokens.end(), tokens.begin(), tokens.end());
      all.end.push_back(all.tokens.size());
    });
    all.end.resize(ids.size() + 1, all.tokens.size());
    return all;
  }
  std::vector<std::int32_t> local_counts() override {
    return rows<std::int32_t>(
        [](std::span<const TopicTokens> document, std::span<std::int32_t> row) {
          for (const auto [topic, count] : document) row[topic] = count;
        });
  }
  std::vector<std::int32_t> counts() override {
    return to_blocks(context_.transport(), graph_->owner, local_counts(), topics_, shares_);
  }
  std::vector<float> local_topics() override {
    return rows<float>([&](std::span<const TopicTokens> document, std::span<float> row) {
      mixture(document, priors_, row);
    });
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
    visit_documents([&](VertexId, std::span<const TopicTokens> tokens) { visit(tokens); });
  }

 private:
  static constexpr bool tunes = requires(Program program) { program.found; };

  /// A row of all topics for each of this rank's masters, of zeros to be filled.
  template <class T, class Fill>
  std::vector<T> rows(Fill fill) {
    const DocumentCounts counts = local_document_counts();
    std::vector<T> rows((counts.end.size() - 1) * topics_, 0);
    for (std::size_t i = 0; i + 1 < counts.end.size(); ++i)
      fill(counts.of(i), std::span(rows).subspan(i * topics_, topics_));
    return rows;
  }

  /// visit(document, tokens by topic) for those that have any, in the order of local ids.
  template <class Visit>
  void visit_documents(Visit visit) {
    std::vector<std::int32_t> counts(topics_, 0);
    std::vector<TopicTokens> tokens;
    VertexId current = 0;
    const auto flush = [&] {
      if (tokens.empty()) return;
      for (TopicTokens& of : tokens) of.count = std::exchange(counts[of.topic], 0);
      visit(current, std::span<const TopicTokens>(tokens));
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

  /// How tokens are drawn, which decides what words publish.
  std::string sampler() {
    if constexpr (requires(Program program) { program.draws_lists; })
      if (engine_.program().draws_lists) return "gibbs by lists";
    if constexpr (requires(Program program) { program.walks; })
      if (engine_.program().walks) return "mh";
    return "gibbs";
  }

  /// As given, or as found last.
  const LdaPriors& newest_priors() {
    return engine_.program().found.alpha.empty() ? priors_ : engine_.program().found;
  }

  /// Splits and merges topics, and writes words' rows by them; returns the seconds that it took.
  double split(std::uint64_t seed, Progress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    const EachTopic each = [&](const std::function<void(std::uint16_t&)>& visit) {
      engine_.local_for_each_edge([&](VertexId, VertexId, auto& token) { visit(token.topic); });
    };
    const std::size_t moves =
        split_merge(context_, graph_, newest_priors(), Random(~seed).stream(progress.rounds), each);
    progress.moves += moves;
    if (moves > 0) write_rows();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  /// Takes the likeliest priors, and writes words' rows by them; returns the seconds that it took.
  double tune() {
    const auto begin = std::chrono::steady_clock::now();
    engine_.program().take(likeliest_priors(
        context_.transport(), [&](const DocumentVisit& visit) { for_each(visit); }, word_counts(),
        newest_priors()));
    write_rows();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
  std::uint64_t moves_ = 0;
};

}  // namespace gas::detail
