#include "programs/lda/lda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gas/base/error.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/lda/fold_in.hpp"
#include "programs/lda/most_tokens.hpp"
#include "programs/lda/program.hpp"
#include "programs/lda/sampled.hpp"
#include "programs/lda/sparse/program.hpp"

namespace gas {
namespace {

using detail::masters, detail::Sampled;

constexpr std::uint64_t walks_between_measures = 100;        // a measure costs ten of their rounds
constexpr std::uint64_t exact_rounds_between_measures = 20;  // a measure costs as much as one
constexpr std::size_t most_exact = 256;                      // topics that automatic draws exactly
constexpr std::uint64_t heldout_rounds = 100;

/// Do 32-bit floats hold it, and its sum over all topics or words?
bool is_prior(double x) { return x >= 1e-30 && x <= 1e28; }

void check_options(const LdaOptions& options) {
  check_lda(options.run);
  if (options.topics < 1 || options.topics > TopicCounts::most_topics)
    throw UsageError(fmt::format("topics must be a number from 1 to {}", TopicCounts::most_topics));
  for (const auto& [name, prior] :
       {std::pair{"alpha", options.alpha}, std::pair{"beta", options.beta}})
    if (!is_prior(prior))
      throw UsageError(
          fmt::format("{}: found {}, expected a number from 1e-30 to 1e28", name, prior));
  if (!options.alpha_by_topic.empty() && options.alpha_by_topic.size() != options.topics)
    throw UsageError(
        fmt::format("alpha_by_topic has {} numbers, expected one for each of {} topics",
                    options.alpha_by_topic.size(), options.topics));
  for (const double alpha : options.alpha_by_topic)
    if (!is_prior(alpha)) throw UsageError("alpha_by_topic must be numbers from 1e-30 to 1e28");
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
                    : fmt::format("{}: found {} words, expected at most {}, as the topics have",
                                  documents.name(), documents.columns(), words.words()));
}

}  // namespace

void detail::check_fit(const LdaOptions& options) {
  check_options(options);
  if (options.split_merge > 0 && options.topics > most_exact)
    throw UsageError(fmt::format("split_merge: found {} topics, expected at most {}",
                                 options.topics, most_exact));
  if (options.turns < 1 || (options.turns > options.run.iterations && options.turns > 1))
    throw UsageError(
        fmt::format("turns: found {}, expected at least 1, and at most the {} iterations",
                    options.turns, options.run.iterations));
  if (options.turns > 1 && lda_keeps_lists(options))
    throw UsageError(
        fmt::format("turns: found {} topics, expected at most {}, or the sampler gibbs, or topics "
                    "to start from",
                    options.topics, most_exact));
}

std::vector<VertexId> LdaDocuments::local_ids() const { return masters(state_->graph().owner); }

void check_lda(const RunOptions& options) { Engine<Lda>::check(options); }

bool lda_keeps_lists(const LdaOptions& options) {
  return walks(options) && options.topics > TopicCounts::most_dense && !options.start;
}

std::shared_ptr<const LocalGraph> detail::lda_tokens(const Context& context,
                                                     const Matrix& documents, std::size_t topics) {
  constexpr double bytes_per_topic = 5;  // that a round sends of a word's counts, at 100 topics
  const auto graph =
      documents
          .laid_out(context, {.repeats = Repeats::expand,
                              .cuts = Cuts::whole,
                              .bytes_per_mirror = bytes_per_topic * static_cast<double>(topics)})
          .graph;
  together(context.transport(), [&] { local_require_counts(*graph); });
  return graph;
}

LdaFit lda(const Context& context, const Matrix& documents, const LdaOptions& options) {
  together(context.transport(), [&] { detail::check_fit(options); });
  return detail::lda_on(context, documents, detail::lda_tokens(context, documents, options.topics),
                        options);
}

namespace {

/// φ as the last round left it. Collective.
TopicWords words_of(const Context& context, Sampled<Lda>& sampled) {
  const Lda& program = sampled.engine().program();
  TopicWords words(context.transport(), program.words, program.topics);
  const std::vector<float> first(program.topics, 1.0F / static_cast<float>(program.words));
  words.put(masters(sampled.graph().parameter), [&](std::size_t i) -> std::span<const float> {
    if (program.sweep == 0 && !program.given) return first;
    return TopicRow(sampled.engine().template local_published<Lda::Word>(static_cast<LocalId>(i)),
                    program.topics)
        .weights;
  });
  return words;
}
TopicWords words_of(const Context& context, Sampled<LdaSparse>& sampled) {
  const LdaSparse& program = sampled.engine().program();
  const bool drew = program.sweep > 0;
  const float first = 1.0F / static_cast<float>(program.words);
  return {context.transport(), sampled.word_counts(), drew ? program.beta : 1.0F,
          drew ? program.inverse : std::vector<float>(program.topics, first)};
}

template <class Program>
LdaFit fitted(const Context& context, const Matrix& documents,
              const std::shared_ptr<const LocalGraph>& graph, Program program,
              const LdaOptions& options) {
  program.topics = options.topics;
  program.beta = static_cast<float>(options.beta);
  program.words = graph->parameter.count;
  program.seed = options.seed;
  program.turns = options.turns;
  set_alpha(program, options);
  program.walks = walks(options);
  const auto sampled =
      std::make_shared<Sampled<Program>>(context, documents, graph, program, given_priors(options));
  if constexpr (std::is_same_v<Program, Lda>)
    if (options.start) sampled->give_words(options.start);
  const Outcome outcome =
      sampled->run(options, program.walks ? walks_between_measures : exact_rounds_between_measures);
  // First what may throw: g++ 12 destroys the parts of an aggregate twice where a later one throws.
  TopicWords words = words_of(context, *sampled);
  LdaPriors priors = sampled->priors();
  LdaFit fit{{LdaDocuments(sampled), std::nullopt, outcome},
             std::move(words),
             std::move(priors),
             std::nullopt,
             sampled->moves()};
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

}  // namespace

LdaFit detail::lda_on(const Context& context, const Matrix& documents,
                      std::shared_ptr<const LocalGraph> graph, const LdaOptions& options) {
  if (lda_keeps_lists(options)) {
    LdaSparse program;
    program.draws_lists = options.sampler == LdaSampler::automatic;
    // What takes part first must be enough for topics to form.
    constexpr std::uint64_t tokens_per_topic = 150;
    const std::uint64_t least = tokens_per_topic * options.topics;
    if (const std::uint64_t rounds = options.run.iterations / 5; rounds > 0) {
      program.rounds_of_part = std::min<std::uint64_t>(rounds, 4);
      while (program.halvings < 4 && graph->edge_count >> (program.halvings + 1) >= least)
        ++program.halvings;
    }
    return fitted(context, documents, graph, program, options);
  }
  return fitted(context, documents, graph, Lda{.given = static_cast<bool>(options.start)}, options);
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

std::optional<double> lda_heldout(const Context& context, const Matrix& documents,
                                  const TopicWords& words, LdaOptions options) {
  options.topics = words.topics();
  together(context.transport(), [&] { check_options(options); });
  check_words(context, documents, words);
  const auto graph = detail::lda_tokens(context, documents, options.topics);
  LdaFoldIn program = fold_in_program(options);
  program.halves = true;
  Sampled<LdaFoldIn> sampled(context, documents, graph, program, given_priors(options));
  sampled.give_words(weights_of(words, *graph));
  RunOptions run{.iterations = heldout_rounds};
  run.interrupted = options.run.interrupted;
  if (sampled.engine().run(run).interrupted) return std::nullopt;
  sampled.engine().run_at_rest();
  return sampled.engine().last().data().mean();
}

namespace {

/// How many topics a word has tokens of, if words have so many tokens in the mean
/// (KindSizes::alike) and their topics are drawn at random.
double topics_of(double tokens, double topics, double alike) {
  return topics * (1 - std::pow(1 + tokens / topics / alike, -alike));
}

/// With the counts that are not zero of a word's row. Nearly all tokens are of words that ranks
/// share.
PieceSizes with_nonzeros(PieceSizes piece, std::size_t topics) {
  KindSizes& words = piece.parameter;
  const double shared = std::max(words.boundary + words.mirrors, 1.0);
  words.nonzeros = topics_of(piece.edges / shared, static_cast<double>(topics), words.alike);
  return piece;
}

}  // namespace

double lda_bytes(const PieceSizes& piece, const LdaOptions& options) {
  if (lda_keeps_lists(options)) {
    // The lists; the fitted words, whose counts take 6 bytes each while they are, and more while
    // they grow. Tokens of words are of random topics.
    const auto topics = static_cast<double>(options.topics);
    const double locals = piece.parameter.locals(), mine = piece.parameter.masters;
    const double tokens = piece.edges / std::max(locals, 1.0);
    const double occurring = topics_of(tokens, topics, piece.parameter.alike);
    const auto full = static_cast<double>(TopicList::width(options.topics, options.topics));
    const bool in_order = options.sampler == LdaSampler::automatic &&
                          occurring <= static_cast<double>(TopicList::most_in_order);
    // In order: whole blocks, and the lists before the first counts, whose memory stays too small.
    const double cells =
        in_order ? occurring + static_cast<double>(TopicList::block) / 2 + TopicList::empty
                 : std::min(3 * occurring + TopicList::empty, full);
    return detail::engine_bytes(LdaSparse{{.topics = options.topics}},
                                with_nonzeros(piece, options.topics)) +
           locals * (cells * sizeof(TopicList::Cell) + 16) + mine * (8 * occurring + 16) +
           piece.edges * sizeof(std::uint16_t);
  }
  Lda program{.topics = options.topics};
  program.walks = walks(options);
  // Beside the rounds' arrays the fitted words, of this rank's block, and a piece of them that is
  // put together, in an array that grows.
  const double words = piece.parameter.count / piece.ranks * static_cast<double>(options.topics);
  const double sides = options.split_merge > 0 ? split_merge_bytes(piece, options.topics) : 0;
  return detail::engine_bytes(program, with_nonzeros(piece, options.topics)) + sides +
         (words + std::min(words, 2.0 * static_cast<double>(TopicWords::piece))) * sizeof(float);
}

}  // namespace gas
