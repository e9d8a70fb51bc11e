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

/// gibbs: exact draws, which look at all topics; mh: Metropolis–Hastings steps; automatic: gibbs up
/// to 256 topics, above them mh, but where lda_keeps_lists() exact draws for words that have tokens
/// of at most 256 topics.
enum class LdaSampler { automatic, gibbs, mh };

/// Writes the weight of each topic for a word, above 0.
using WordWeights = std::function<void(VertexId word, std::span<float> weights)>;

struct LdaOptions {
  std::size_t topics = 100;  // 1 to 65535
  double alpha = 0.1;        // prior of a document's topics, each; above 0
  double beta = 0.01;        // prior of a topic's words, each; above 0
  /// Priors of a document's topics where they differ, one per topic; empty: alpha.
  std::vector<double> alpha_by_topic = {};
  /// Rounds after which the priors become those that are likeliest for the tokens' topics, each
  /// topic's alpha and one beta (likeliest_priors); 0: never. Takes about a round each time.
  std::uint64_t optimize_every = 0;
  /// Rounds after which that begins: topics that have hardly formed fit wrong priors.
  std::uint64_t optimize_burn_in = 0;
  LdaSampler sampler = LdaSampler::automatic;
  /// The rounds end where the objective changes by at most this share of itself per round; 0:
  /// never.
  double tolerance = 0;
  /// OnRound is told an objective every 20 rounds (mh: 100), which costs a round.
  bool objectives = false;
  WordWeights start = {};  // of the topics to start from; none: at random
  std::uint64_t seed = 1;
  bool measure = true;  // the objective at the end; else LdaDocuments::measure gives it later
  RunOptions run = {.iterations = 200};  // any staleness
  OnRound on_round = {};
  /// Called with what measures between rounds, to run it; for clocks that are to stop meanwhile.
  std::function<void(const std::function<void()>& work)> off_the_clock = {};
};

/// Documents whose tokens have topics, as the rounds left them. Copies share everything; the
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

  /// Tokens of all documents.
  std::uint64_t tokens() const { return state_->graph().edge_count; }
  /// Mean over the tokens of log Σ_k θ_dk φ_kw; none without a token. Takes a round. Collective.
  std::optional<double> measure() { return state_->measure(); }
  /// θ_dk = (n_dk + α_k) / (n_d + Σα) of the documents that this rank gives (see Matrix), one
  /// document's topics behind the other's. Collective.
  std::vector<float> topics() const { return state_->topics(); }
  /// The same of the documents that this rank computes with, whose ids are local_ids(). Local.
  std::vector<float> local_topics() const { return state_->local_topics(); }
  std::vector<VertexId> local_ids() const;
  /// n_dk, the tokens of each document by topic, where topics() and local_topics() have θ_dk.
  std::vector<std::int32_t> counts() const { return state_->counts(); }
  std::vector<std::int32_t> local_counts() const { return state_->local_counts(); }
  /// The same of the topics that occur alone; document i is that of local_ids()[i]. Local.
  DocumentCounts local_document_counts() const { return state_->local_document_counts(); }
  /// α as θ has it. Local.
  const LdaPriors& priors() const { return state_->priors(); }
  /// n_kw, the tokens of each word by topic. Collective.
  TokenCounts word_counts() const { return state_->word_counts(); }
  /// The tokens by topic of each document of this rank that has any, in the order of local_ids().
  /// Local.
  void local_for_each(const DocumentVisit& visit) const { state_->for_each(visit); }
  /// Documents by words, an edge for each token. Local.
  const LocalGraph& local_graph() const { return state_->graph(); }
  /// The topic of each token on this rank. Local.
  std::vector<VertexId> local_drawn() const { return state_->local_drawn(); }

 private:
  std::shared_ptr<State> state_;
};

/// Documents under a model that stays as it is.
struct LdaFolded {
  LdaDocuments documents;
  std::optional<double> objective;  // LdaDocuments::measure
  Outcome outcome;
};

struct LdaFit : LdaFolded {
  TopicWords words;  // φ_kw = (n_kw + β) / (n_k + Vβ)
  LdaPriors priors;  // as given, or as found last by optimize_every
  /// Mean over the tokens of log p(words, topics | priors), less that under the priors given; with
  /// optimize_every, and tokens.
  std::optional<double> gained;
};

/// Latent Dirichlet allocation (Blei, Ng, Jordan 2003) by collapsed Gibbs sampling of `documents`
/// by words, whose values are numbers of occurrences. At staleness 0 the topics are the same, bit
/// for bit, on any ranks and threads. A round takes O(tokens · topics that are looked at) time.
/// UsageError for options out of range; InputError for values that are no counts; RunError where a
/// document or word has more than 2³¹ − 1 tokens. Collective.
LdaFit lda(const Context& context, const Matrix& documents, const LdaOptions& options = {});

namespace detail {

/// The tokens of documents as lda() lays them out for so many topics, and lda() on them.
/// Collective.
std::shared_ptr<const LocalGraph> lda_tokens(const Context& context, const Matrix& documents,
                                             std::size_t topics);
LdaFit lda_on(const Context& context, const Matrix& documents,
              std::shared_ptr<const LocalGraph> tokens, const LdaOptions& options);

}  // namespace detail

/// The topics of documents under given words, which every column must be one of; of the options
/// beta, sampler and start are not read. Errors as above. Collective.
LdaFolded lda_transform(const Context& context, const Matrix& documents, const WordWeights& words,
                        const LdaOptions& options);
LdaFolded lda_transform(const Context& context, const Matrix& documents, const TopicWords& words,
                        LdaOptions options);

/// Document completion: the mean log-likelihood of the even tokens of documents whose odd tokens
/// were fitted under the words; NaN without a token to score. Collective.
double lda_heldout(const Context& context, const Matrix& documents, const TopicWords& words,
                   LdaOptions options);

/// UsageError for RunOptions that it does not take, with the reason. Local.
void check_lda(const RunOptions& options);

/// Does lda() keep of a word only the topics that it has tokens of? Where it walks (mh), of more
/// than 256 topics, without `start`. Else a word takes 8 bytes for each topic.
bool lda_keeps_lists(const LdaOptions& options);

/// What it takes; see PieceSizes.
double lda_bytes(const PieceSizes& piece, const LdaOptions& options);

}  // namespace gas
