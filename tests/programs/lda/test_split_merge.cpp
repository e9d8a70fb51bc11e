// Topics that are split and merged: mixed topics are told apart, alike on any ranks, and never for
// the worse. Documents that draw in turns.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "gas/base/error.hpp"
#include "programs/lda/program.hpp"
#include "programs/lda/split_merge/split_merge.hpp"
#include "tests/programs/lda/whole_fit.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::Context;
using gas::LdaOptions;
using gas::LdaSampler;

namespace {

constexpr std::size_t planted_topics = 4, own_words = 30;
constexpr std::size_t common_words = 20;  // that all topics have

/// Documents of two planted topics each, but not of the last two, whose tokens take turns; a tenth
/// are of common words.
struct Known {
  Corpus corpus;
  std::vector<std::vector<std::pair<std::uint64_t, std::size_t>>> tokens;  // word, topic
};
Known known(std::size_t documents, std::size_t length) {
  std::mt19937 random(7);
  Known made;
  made.corpus.words = planted_topics * own_words + common_words;
  for (std::size_t d = 0; d < documents; ++d) {
    std::vector<std::pair<std::uint64_t, std::size_t>> tokens;
    const std::size_t both[] = {d % planted_topics, d / planted_topics % 2};
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t topic = both[i % 2];
      const std::uint64_t word = random() % 10 == 0
                                     ? planted_topics * own_words + random() % common_words
                                     : topic * own_words + random() % own_words;
      tokens.push_back({word, topic});
    }
    std::ranges::sort(tokens);
    made.corpus.documents.emplace_back();
    for (const auto& [word, topic] : tokens) made.corpus.documents.back().push_back(word);
    made.tokens.push_back(std::move(tokens));
  }
  return made;
}

struct Moved {
  std::size_t moves = 0, again = 0;
  Whole before, after;
  std::vector<std::size_t> topic;  // that each planted one has become; `none` if not one alone
};
constexpr std::size_t none = 99;

/// split_merge of tokens that begin with topic begins(document, planted topic).
Moved moved(gas::Transport& transport, const Known& made,
            const std::function<std::size_t(std::size_t, std::size_t)>& begins) {
  const Context context(transport, 1);
  const auto graph = gas::detail::lda_tokens(context, matrix_of(context, made.corpus), 4);
  const gas::LdaPriors priors{std::vector(4, 0.1), 0.01};
  // The tokens of this rank in the order of edges: of a document by word, as the planted ones are.
  struct Token {
    std::size_t document, planted;
    gas::VertexId word;
  };
  std::vector<Token> tokens;
  const gas::Adjacency& a = graph->adjacency;
  for (gas::LocalId v = 0; v < a.vertices(); ++v) {
    const std::size_t d = graph->owner.rows[v];
    for (gas::EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
      const auto& [word, planted] = made.tokens[d][static_cast<std::size_t>(e - a.offsets[v])];
      tokens.push_back({d, planted, graph->parameter.rows[a.neighbours[e]]});
      if (tokens.back().word != word) throw std::logic_error("tokens in another order");
    }
  }
  std::vector<std::uint16_t> topics;
  for (const Token& token : tokens)
    topics.push_back(static_cast<std::uint16_t>(begins(token.document, token.planted)));
  const auto whole = [&] {
    Dense n_dk = Dense::Zero(static_cast<Eigen::Index>(made.tokens.size()), 4);
    Dense n_kw = Dense::Zero(static_cast<Eigen::Index>(made.corpus.words), 4);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      n_dk(static_cast<Eigen::Index>(tokens[i].document), topics[i]) += 1;
      n_kw(static_cast<Eigen::Index>(tokens[i].word), topics[i]) += 1;
    }
    for (Dense* counts : {&n_dk, &n_kw})
      for (Eigen::Index i = 0; i < counts->size(); ++i)
        counts->data()[i] = gas::all_sum(transport, counts->data()[i]);
    return Whole{n_dk, n_kw, {}, priors};
  };
  Moved result;
  result.before = whole();
  const gas::EachTopic each = [&](const std::function<void(std::uint16_t&)>& visit) {
    for (std::uint16_t& topic : topics) visit(topic);
  };
  result.moves = gas::split_merge(context, graph, priors, gas::Random(1), each);
  result.after = whole();
  for (std::size_t k = 0; k < planted_topics; ++k) {
    std::uint64_t least = none, most = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].planted == k) {
        least = std::min<std::uint64_t>(least, topics[i]);
        most = std::max<std::uint64_t>(most, topics[i]);
      }
    least = gas::all_min(transport, least);
    most = gas::all_max(transport, most);
    result.topic.push_back(least == most ? least : none);
  }
  result.again = gas::split_merge(context, graph, priors, gas::Random(2), each);
  return result;
}

void check_told_apart(const Moved& moved) {
  CHECK(moved.moves == 1);
  CHECK(std::set(moved.topic.begin(), moved.topic.end()) == std::set<std::size_t>{0, 1, 2, 3});
  CHECK(log_joint(moved.after) > log_joint(moved.before) + 100);
  CHECK(moved.again == 0);
}

}  // namespace

TEST_CASE("two halves of a topic are merged, and a mixed one is divided", "[ranks][lda]") {
  const Known made = known(160, 40);
  for (const int ranks : rank_counts())
    for (const Moved& moved : run_ranks<Moved>(ranks, [&](gas::Transport& transport) {
           // Topics 0 and 1 are halves of the first planted one, and the last two are one.
           return ::moved(transport, made, [](std::size_t document, std::size_t planted) {
             if (planted == 0) return document / 16 % 2;
             return std::min<std::size_t>(planted + 1, 3);
           });
         })) {
      CAPTURE(ranks);
      check_told_apart(moved);
    }
}

TEST_CASE("no topic is moved where no move makes them likelier", "[lda]") {
  const Known made = known(160, 40);
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto planted = [](std::size_t, std::size_t topic) { return topic; };
    const Moved same = moved(transport, made, planted);
    CHECK(same.moves == 0);
    CHECK(same.after.n_dk == same.before.n_dk);
    CHECK(same.topic == std::vector<std::size_t>{0, 1, 2, 3});
    // A topic without tokens costs nothing to merge.
    const Moved empty = moved(transport, made, [](std::size_t, std::size_t topic) {
      return std::min<std::size_t>(topic, 2);
    });
    check_told_apart(empty);
  });
}

namespace {

/// How many of the planted topics a fit has: of a cosine above 0.95.
std::size_t found(const Planted& planted, const Whole& fit) {
  std::size_t count = 0;
  for (const std::vector<double>& phi : planted.phi) {
    const Eigen::Map<const Eigen::VectorXd> wanted(phi.data(),
                                                   static_cast<Eigen::Index>(phi.size()));
    double best = 0;
    for (Eigen::Index k = 0; k < fit.phi.cols(); ++k)
      best = std::max(best, fit.phi.col(k).normalized().dot(wanted.normalized()));
    count += best > 0.95 ? 1 : 0;
  }
  return count;
}

struct Fitted {
  Whole whole;
  std::uint64_t moves = 0;
};
Fitted fit(const Context& context, const Corpus& corpus, const LdaOptions& options) {
  const gas::LdaFit fit = gas::lda(context, matrix_of(context, corpus), options);
  return {whole_of(context, fit), fit.moves};
}

}  // namespace

TEST_CASE("with moves all planted topics are found with each seed, without them not", "[lda]") {
  const Planted planted = planted_corpus(400, 400, 16, 40, 5);
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh}) {
    std::size_t mixed = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(seed, sampler == LdaSampler::mh);
      LdaOptions options{.topics = 16, .sampler = sampler, .seed = seed, .measure = false};
      options.run.iterations = 60;
      const Context context(2);
      const Fitted plain = fit(context, planted.corpus, options);
      CHECK(plain.moves == 0);
      mixed += 16 - found(planted, plain.whole);
      options.split_merge = 10;
      const Fitted moved = fit(context, planted.corpus, options);
      CHECK(found(planted, moved.whole) == 16);
      CHECK(moved.moves > 0);
      CHECK(log_joint(moved.whole) > log_joint(plain.whole));
      options.turns = 3;
      options.run.iterations = 180;
      options.split_merge = 30;
      const Fitted alone = fit(context, planted.corpus, options);
      CHECK(found(planted, alone.whole) == 16);
    }
    CHECK(mixed > 0);
  }
}

TEST_CASE("moves are alike on any ranks", "[ranks][lda]") {
  const Planted planted = planted_corpus(400, 400, 16, 40, 5);
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh}) {
    LdaOptions options{.topics = 16, .sampler = sampler, .measure = false};
    options.run.iterations = 90;
    options.turns = 3;
    options.split_merge = 30;
    const Fitted alone = fit(Context(2), planted.corpus, options);
    CHECK(alone.moves > 0);
    for (const int ranks : rank_counts())
      for (const Fitted& got : run_ranks<Fitted>(ranks, [&](gas::Transport& transport) {
             return fit(Context(transport, 1), planted.corpus, options);
           })) {
        CAPTURE(ranks, sampler == LdaSampler::mh);
        CHECK(got.moves == alone.moves);
        CHECK(got.whole.n_dk == alone.whole.n_dk);
        CHECK(got.whole.phi == alone.whole.phi);
      }
  }
}

TEST_CASE("topics are told apart at a bound of staleness and with priors that are fitted, too",
          "[lda]") {
  const Planted planted = planted_corpus(400, 400, 16, 40, 5);
  LdaOptions options{.topics = 16, .optimize_every = 10, .split_merge = 10, .measure = false};
  options.run.iterations = 90;
  options.run.staleness = {2};
  gas::run_local_ranks(2, [&](gas::Transport& transport) {
    const Fitted moved = fit(Context(transport, 1), planted.corpus, options);
    if (transport.rank() == 0) CHECK(found(planted, moved.whole) == 16);
  });
}

TEST_CASE("topics that a model gives stay those of the model, however many turns", "[lda]") {
  const Planted planted = planted_corpus(200, 200, 8, 40, 9);
  LdaOptions options{.topics = 8, .turns = 40, .measure = false};
  options.start = [&](gas::VertexId word, std::span<float> weights) {
    for (std::size_t k = 0; k < 8; ++k) weights[k] = static_cast<float>(planted.phi[k][word]);
  };
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh})
    for (const std::uint64_t rounds : {40, 200}) {
      CAPTURE(rounds, sampler == LdaSampler::mh);
      options.sampler = sampler;
      options.run.iterations = rounds;
      const Whole whole = fit(Context(2), planted.corpus, options).whole;
      for (Eigen::Index k = 0; k < 8; ++k) {
        const auto& phi = planted.phi[static_cast<std::size_t>(k)];
        const Eigen::Map<const Eigen::VectorXd> wanted(phi.data(), 200);
        CHECK(whole.phi.col(k).normalized().dot(wanted.normalized()) > 0.95);
      }
    }
}

TEST_CASE("in each round the documents of one turn draw, and the others keep their topics",
          "[lda]") {
  const Corpus corpus = planted_corpus(120, 100, 5, 30, 2).corpus;
  constexpr std::uint64_t turns = 3;
  for (const bool walks : {false, true}) {
    CAPTURE(walks);
    const Context context(2);
    gas::Lda program{.topics = 5, .turns = turns, .walks = walks};
    program.words = corpus.words;
    const auto graph = gas::detail::lda_tokens(context, matrix_of(context, corpus), 5);
    gas::Engine<gas::Lda> engine(context.transport(), context.executor(), graph, program);
    std::vector<std::uint16_t> before(corpus.tokens(), gas::TopicCounts::none);
    std::vector<std::set<std::size_t>> drew;  // documents, by round
    for (std::uint64_t round = 0; round < 3 * turns; ++round) {
      engine.run({.iterations = 1});
      std::size_t i = 0;
      drew.emplace_back();
      engine.local_for_each_edge([&](gas::VertexId document, gas::VertexId, gas::Lda::Token token) {
        if (token.topic != before[i]) drew.back().insert(document);
        before[i++] = token.topic;
      });
      if (round < turns) continue;
      const auto& first = drew[round % turns];
      CHECK(std::ranges::includes(first, drew.back()));
      CHECK(drew.back().size() > first.size() / 2);
    }
    std::set<std::size_t> all;
    std::size_t sum = 0;
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      all.insert(drew[turn].begin(), drew[turn].end());
      sum += drew[turn].size();
      CHECK(drew[turn].size() > 20);
    }
    CHECK(all.size() == corpus.documents.size());
    CHECK(sum == corpus.documents.size());
  }
}

TEST_CASE("turns and moves that make no sense are refused", "[lda]") {
  const Context context(1);
  const gas::Matrix documents = matrix_of(context, {2, {{0, 1}, {1, 1}}});
  LdaOptions options{.topics = 2, .turns = 0};
  const auto says = [&](const char* text) {
    CHECK_THROWS_WITH(gas::lda(context, documents, options), Catch::Contains(text));
  };
  says("turns: found 0, expected at least 1, and at most the 200 iterations");
  options.turns = 201;
  says("turns: found 201, expected at least 1, and at most the 200 iterations");
  options.turns = 2;
  options.topics = 300;
  says("turns: found 300 topics, expected at most 256");
  options.turns = 1;
  options.split_merge = 10;
  says("split_merge: found 300 topics, expected at most 256");
}
