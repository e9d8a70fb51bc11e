#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "programs/calls/call.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/calls/piece_sizes.hpp"
#include "programs/lda/priors.hpp"
#include "programs/lda/token_counts.hpp"
#include "programs/lda/topic_words.hpp"

namespace gas {

/// How topics are drawn. gibbs: exact draws, which look at all topics. mh: Metropolis–Hastings
/// steps. automatic: gibbs up to 256 topics, and mh above; but if lda_keeps_lists(), words that
/// have tokens of at most 256 topics get exact draws.
enum class LdaSampler { automatic, gibbs, mh };

/// Writes the weight of each topic for a word. Weights are above 0.
using WordWeights = std::function<void(VertexId word, std::span<float> weights)>;

struct LdaOptions {
  std::size_t topics = 100;  // 1 to 65535
  double alpha = 0.1;        // prior of a document's topics, each; above 0
  double beta = 0.01;        // prior of a topic's words, each; above 0
  /// The priors of a document's topics if they differ, one per topic; empty: alpha for each.
  std::vector<double> alpha_by_topic = {};
  /// Every so many rounds, the priors are set to those under which the tokens' topics are
  /// likeliest: an alpha per topic and one beta (likeliest_priors). 0: never. Takes about a round
  /// each time.
  std::uint64_t optimize_every = 0;
  /// Rounds before the first of these: while topics have hardly formed, the priors fitted are
  /// wrong.
  std::uint64_t optimize_burn_in = 0;
  /// Every so many rounds, but for the last third of run.iterations, topics are merged and others
  /// split in their place if that makes words and topics likelier (split_merge); 0: never. So
  /// topics that would stay mixed are told apart. At most 256 topics. Takes the time of about four
  /// rounds each time, and 16 bytes for each word and topic more.
  std::uint64_t split_merge = 0;
  /// Documents draw in so many turns, one in each round: a token gets a new topic in one round of
  /// `turns`, which takes less time. Documents that draw in the same round do not see each other's
  /// new topics. So for the same number of draws of a token, topics are usually likelier with more
  /// turns. From 1 to run.iterations; 1 where lda_keeps_lists().
  std::uint64_t turns = 1;
  LdaSampler sampler = LdaSampler::automatic;
  /// The rounds end when the objective changes by at most this share of itself per round, of
  /// `turns` rounds if there are several; 0: never.
  double tolerance = 0;
  /// Whether OnRound gets an objective every 20 rounds (mh: 100), each of which costs a round.
  bool objectives = false;
  WordWeights start = {};  // of the topics to start from; none: at random
  std::uint64_t seed = 1;
  bool measure = true;  // the objective at the end; else LdaDocuments::measure gives it later
  RunOptions run = {.iterations = 200};  // any staleness
  OnRound on_round = {};
  /// Called with the work that measures between rounds, and must run it; to stop a clock meanwhile.
  std::function<void(const std::function<void()>& work)> off_the_clock = {};
};

/// Documents with the topics of their tokens, as the rounds left them. Copies share everything. The
/// Context must outlive them.
class LdaDocuments {
 public:
  class State {
   public:
    virtual ~State() = default;
    virtual std::optional<double> measure() = 0;
    virtual std::vector<VertexId> local_drawn() = 0;
    virtual std::vector<std::int32_t> local_counts() = 0;
    virtual std::vector<std::int32_t> counts() = 0;
    virtual std::vector<float> local_topics() = 0;
    virtual DocumentCounts local_document_counts() = 0;
    virtual const LdaPriors& priors() const = 0;
    virtual std::vector<float> topics() = 0;
    virtual TokenCounts word_counts() = 0;
    virtual void for_each(const DocumentVisit& visit) = 0;
    virtual const LocalGraph& graph() const = 0;
  };
  explicit LdaDocuments(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// The number of tokens of all documents.
  std::uint64_t tokens() const { return state_->graph().edge_count; }
  /// The mean over the tokens of log Σ_k θ_dk φ_kw; empty without tokens. Takes a round.
  /// Collective.
  std::optional<double> measure() { return state_->measure(); }
  /// θ_dk = (n_dk + α_k) / (n_d + Σα) of the documents that this rank gives (see Matrix), document
  /// after document. Collective.
  std::vector<float> topics() const { return state_->topics(); }
  /// The same for the documents that this rank computes with, whose ids are local_ids(). Local.
  std::vector<float> local_topics() const { return state_->local_topics(); }
  std::vector<VertexId> local_ids() const;
  /// n_dk, the number of tokens of document d with topic k, in the order of topics() and
  /// local_topics().
  std::vector<std::int32_t> counts() const { return state_->counts(); }
  std::vector<std::int32_t> local_counts() const { return state_->local_counts(); }
  /// The same for only those topics that occur in a document; document i has the id local_ids()[i].
  /// Local.
  DocumentCounts local_document_counts() const { return state_->local_document_counts(); }
  /// The priors, whose α is used in θ. Local.
  const LdaPriors& priors() const { return state_->priors(); }
  /// n_kw, the number of tokens of word w with topic k. Collective.
  TokenCounts word_counts() const { return state_->word_counts(); }
  /// Visits each document of this rank that has tokens, in the order of local_ids(), with its
  /// tokens by topic. Local.
  void local_for_each(const DocumentVisit& visit) const { state_->for_each(visit); }
  /// The graph of documents and words, with an edge for each token. Local.
  const LocalGraph& local_graph() const { return state_->graph(); }
  /// The topic of each token on this rank. Local.
  std::vector<VertexId> local_drawn() const { return state_->local_drawn(); }

 private:
  std::shared_ptr<State> state_;
};

/// Documents under a fixed model.
struct LdaFolded {
  LdaDocuments documents;
  std::optional<double> objective;  // LdaDocuments::measure
  Outcome outcome;
};

struct LdaFit : LdaFolded {
  TopicWords words;  // φ_kw = (n_kw + β) / (n_k + Vβ)
  LdaPriors priors;  // as given, or as found last by optimize_every
  /// The mean over the tokens of log p(words, topics | priors), minus that under the priors given.
  /// Only with optimize_every and at least one token.
  std::optional<double> gained;
  std::uint64_t moves = 0;  // by split_merge: mergers of two topics with a split of a third
};

/// Latent Dirichlet allocation (Blei, Ng, Jordan 2003) by collapsed Gibbs sampling. The values of
/// the matrix, `documents` by words, are numbers of occurrences. At staleness 0 the topics are bit
/// for bit the same on any number of ranks and threads. A round takes O(tokens · topics looked at
/// per token) time. UsageError for options out of range; InputError for values that are no counts;
/// RunError if a document or word has more than 2³¹ − 1 tokens. Collective.
///
/// Documents join if words keep lists (lda_keeps_lists()), the sampler is automatic, run.iterations
/// is at least 5 and there are at least 300 tokens per topic. Then a part of them draws topics in
/// the first rounds: a half to a sixteenth, with about 150 tokens per topic or more. Then twice as
/// many do, until all do. A part takes a fifth of run.iterations, at most 4 rounds, the first one a
/// round less. So the first rounds of a longer run may be others. A run that goes on from a
/// checkpoint keeps the parts of its first start. A run that is interrupted before all have joined
/// leaves the others without topics.
LdaFit lda(const Context& context, const Matrix& documents, const LdaOptions& options = {});

namespace detail {

/// UsageError for options that lda() refuses. Local.
void check_fit(const LdaOptions& options);

/// The tokens of documents, laid out as lda() does for this number of topics; and lda() on them, by
/// options that were checked. Collective.
std::shared_ptr<const LocalGraph> lda_tokens(const Context& context, const Matrix& documents,
                                             std::size_t topics);
LdaFit lda_on(const Context& context, const Matrix& documents,
              std::shared_ptr<const LocalGraph> tokens, const LdaOptions& options);

}  // namespace detail

/// The topics of documents under given words; every column must be one of them. Of the options
/// beta, sampler, start, optimize_every, split_merge and turns are not read. Errors as for
/// lda(). Collective.
LdaFolded lda_transform(const Context& context, const Matrix& documents, const WordWeights& words,
                        const LdaOptions& options);
LdaFolded lda_transform(const Context& context, const Matrix& documents, const TopicWords& words,
                        LdaOptions options);

/// Document completion: fits the odd tokens of each document under the words, and returns the mean
/// log-likelihood of the even tokens: NaN if there are none, nothing if it was interrupted. It
/// takes 100 rounds, whatever the options say. Collective.
std::optional<double> lda_heldout(const Context& context, const Matrix& documents,
                                  const TopicWords& words, LdaOptions options);

/// Throws UsageError, with the reason, for RunOptions that lda does not allow. Local.
void check_lda(const RunOptions& options);

/// Whether lda() keeps for a word only the topics that it has tokens of: with more than 256 topics,
/// no `start` and a sampler other than gibbs. Otherwise a word takes 8 bytes for each topic.
bool lda_keeps_lists(const LdaOptions& options);

/// The memory that it needs; see PieceSizes.
double lda_bytes(const PieceSizes& piece, const LdaOptions& options);

}  // namespace gas
