// gas::lda on documents in memory: planted topics are found again, and what the fit says of itself
// is recomputed by the definitions.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "gas/base/error.hpp"
#include "programs/lda/lda.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::Context;
using gas::LdaFit;
using gas::LdaOptions;
using gas::LdaSampler;
using gas::Matrix;

namespace {

constexpr std::size_t documents = 60, words = 12, topics = 3;

/// Document d has words d mod 3, d mod 3 + 3, … alone, each 1 + d mod 4 times.
struct Share {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<int> counts;
};
Share share(const Context& context) {
  const auto ranks = static_cast<std::size_t>(context.ranks());
  const auto rank = static_cast<std::size_t>(context.rank());
  // Of several ranks the first gives none.
  const std::size_t part = ranks == 1 ? documents : documents / (ranks - 1);
  const std::size_t first = ranks == 1 || rank == 0 ? 0 : (rank - 1) * part;
  const std::size_t last = ranks == 1 ? documents : rank * part;
  Share mine;
  for (std::size_t d = first; d < last; ++d) {
    for (std::size_t w = d % 3; w < words; w += 3) {
      mine.columns.push_back(static_cast<std::int32_t>(w));
      mine.counts.push_back(1 + static_cast<int>(d % 4));
    }
    mine.offsets.push_back(mine.columns.size());
  }
  return mine;
}
Matrix matrix_of(const Context& context) {
  const Share mine = share(context);
  return Matrix::from_rows(context, mine.offsets, mine.columns, mine.counts, {.columns = words});
}

struct Got {
  std::vector<float> theta, phi;         // of this rank's documents; of all words
  std::vector<std::int32_t> n_dk, n_kw;  // likewise
  std::vector<std::int64_t> n_k;
  std::vector<std::vector<gas::VertexId>> top;  // on rank 0
  Share mine;
  double objective = 0, sum = 0;  // told; Σ log-likelihood of this rank's documents
  std::uint64_t tokens = 0, told = 0, objectives = 0;
  gas::Outcome outcome;
};

/// Σ over the tokens of log Σ_k θ_dk φ_kw.
double log_likelihood(const Share& mine, const std::vector<float>& theta,
                      const std::vector<float>& phi) {
  double sum = 0;
  for (std::size_t d = 0; d + 1 < mine.offsets.size(); ++d)
    for (std::uint64_t e = mine.offsets[d]; e < mine.offsets[d + 1]; ++e) {
      double p = 0;
      for (std::size_t k = 0; k < topics; ++k)
        p += double{theta[d * topics + k]} *
             double{phi[static_cast<std::size_t>(mine.columns[e]) * topics + k]};
      sum += mine.counts[e] * std::log(p);
    }
  return sum;
}

Got fit(const Context& context, LdaOptions options) {
  const Matrix matrix = matrix_of(context);
  Got got;
  got.mine = share(context);
  options.topics = topics;
  options.on_round = [&](const gas::RoundTold& round) {
    got.told = round.round;
    got.objectives += round.objective ? 1 : 0;
    return true;
  };
  LdaFit fit = gas::lda(context, matrix, options);
  got.theta = fit.documents.topics();
  got.phi = gas::whole(context.transport(), fit.words.local_block());
  got.n_dk = fit.documents.counts();
  const gas::TokenCounts counts = fit.documents.word_counts();
  got.n_kw = gas::whole(context.transport(), counts.local_block());
  got.n_k = counts.of_topics(context.transport());
  got.top = fit.words.top_words(4);
  got.tokens = fit.documents.tokens();
  got.objective = fit.objective.value_or(NAN);
  got.sum = gas::all_sum(context.transport(), log_likelihood(got.mine, got.theta, got.phi));
  got.outcome = fit.outcome;
  return got;
}

void check(const Got& got, double alpha) {
  CHECK(got.outcome.rounds == 80);
  CHECK(got.told == 80);
  CHECK(got.tokens == 600);
  REQUIRE(got.phi.size() == words * topics);
  const std::size_t mine = got.mine.offsets.size() - 1;
  REQUIRE(got.theta.size() == mine * topics);
  CHECK(got.objective == Approx(got.sum / 600).epsilon(1e-5));
  for (std::size_t k = 0; k < topics; ++k) {
    double sum = 0;
    for (std::size_t w = 0; w < words; ++w) sum += double{got.phi[w * topics + k]};
    CHECK(sum == Approx(1).epsilon(1e-5));
  }
  // The counts are those of the corpus, and what the distributions are made of.
  REQUIRE(got.n_kw.size() == words * topics);
  REQUIRE(got.n_dk.size() == mine * topics);
  for (std::size_t w = 0; w < words; ++w) {
    std::int64_t times = 0;
    for (std::size_t d = 0; d < documents; ++d) times += d % 3 == w % 3 ? 1 + d % 4 : 0;
    for (std::size_t k = 0; k < topics; ++k) {
      const double n = got.n_kw[w * topics + k];
      times -= got.n_kw[w * topics + k];
      CHECK(double{got.phi[w * topics + k]} ==
            Approx((n + 0.01) / (static_cast<double>(got.n_k[k]) + words * 0.01)).epsilon(1e-5));
    }
    CHECK(times == 0);
  }
  for (std::size_t d = 0; d < mine; ++d) {
    const double length = 4.0 * got.mine.counts[got.mine.offsets[d]];
    const auto drawn = got.n_dk.begin() + static_cast<std::ptrdiff_t>(d * topics);
    CHECK(std::accumulate(drawn, drawn + topics, 0.0) == length);
    for (std::size_t k = 0; k < topics; ++k)
      CHECK(double{got.theta[d * topics + k]} ==
            Approx((got.n_dk[d * topics + k] + alpha) / (length + topics * alpha)).epsilon(1e-5));
  }
  for (std::size_t d = 0; d < mine; ++d) {
    const auto row = got.theta.begin() + static_cast<std::ptrdiff_t>(d * topics);
    CHECK(std::accumulate(row, row + topics, 0.0) == Approx(1).epsilon(1e-5));
    const double length = 4.0 * got.mine.counts[got.mine.offsets[d]];
    // All its tokens are of one topic, that of its words.
    const auto most = static_cast<std::size_t>(std::max_element(row, row + topics) - row);
    CHECK(double{row[static_cast<std::ptrdiff_t>(most)]} ==
          Approx((length + alpha) / (length + topics * alpha)).epsilon(1e-5));
    for (std::uint64_t e = got.mine.offsets[d]; e < got.mine.offsets[d + 1]; ++e)
      CHECK(double{got.phi[static_cast<std::size_t>(got.mine.columns[e]) * topics + most]} > 0.2);
  }
}

}  // namespace

TEST_CASE("planted topics are found, alike on any ranks and threads", "[ranks][lda]") {
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh}) {
    LdaOptions options{.sampler = sampler, .objectives = true, .seed = 4};
    options.run.iterations = 80;
    const Got alone = fit(Context(2), options);
    check(alone, 0.1);
    CHECK(alone.objectives == (sampler == LdaSampler::gibbs ? 4 : 1));
    REQUIRE(alone.top.size() == topics);
    for (const auto& words_of : alone.top) {
      REQUIRE(words_of.size() == 4);
      for (const gas::VertexId word : words_of) CHECK(word % 3 == words_of[0] % 3);
    }
    for (const int ranks : rank_counts())
      for (const Got& got : run_ranks<Got>(ranks, [&](gas::Transport& transport) {
             return fit(Context(transport, 1), options);
           })) {
        CAPTURE(ranks);
        check(got, 0.1);
        CHECK(got.phi == alone.phi);
        CHECK(got.objective == alone.objective);
      }
  }
}

TEST_CASE("other documents are folded in, scored, and a fit goes on from words", "[ranks][lda]") {
  for (const int ranks : rank_counts()) {
    struct Folded {
      std::vector<float> theta;
      double objective = 0, sum = 0, heldout = 0, again = 0;
    };
    for (const Folded& got : run_ranks<Folded>(ranks, [&](gas::Transport& transport) {
           const Context context(transport, 1);
           const Matrix matrix = matrix_of(context);
           LdaOptions options{.topics = topics};
           options.run = {.iterations = 60, .staleness = {.bound = 1}};
           const LdaFit fit = gas::lda(context, matrix, options);
           const std::vector<float> phi = gas::whole(transport, fit.words.local_block());
           options.run.iterations = 20;
           gas::LdaFolded folded = gas::lda_transform(context, matrix, fit.words, options);
           Folded got;
           got.theta = folded.documents.topics();
           got.objective = folded.objective.value_or(NAN);
           got.sum = gas::all_sum(transport, log_likelihood(share(context), got.theta, phi)) / 600;
           got.heldout = gas::lda_heldout(context, matrix, fit.words, options).value();
           options.run.interrupted = [] { return true; };
           CHECK(!gas::lda_heldout(context, matrix, fit.words, options));
           options.run.interrupted = nullptr;
           options.start = [&](gas::VertexId word, std::span<float> weights) {
             for (std::size_t k = 0; k < topics; ++k) weights[k] = phi[word * topics + k];
           };
           options.run.iterations = 1;
           options.measure = false;
           LdaFit again = gas::lda(context, matrix, options);
           got.again = again.objective ? NAN : again.documents.measure().value_or(NAN);
           return got;
         })) {
      CAPTURE(ranks);
      CHECK(got.objective == Approx(got.sum).epsilon(1e-5));
      CHECK(got.again == Approx(got.objective).margin(0.1));
      CHECK(got.heldout > std::log(1.0 / words) + 0.5);  // far better than any word
    }
  }
}

TEST_CASE("words of many topics are kept as counts and read as weights", "[ranks][lda]") {
  constexpr std::size_t many = 300, most = 5;
  for (const int ranks : rank_counts())
    for (const std::uint64_t rounds : {0U, 10U}) {
      struct Found {
        bool alike = true, heldout_alike = true;
        int rank = 0;
        std::vector<float> phi;
        std::vector<std::int32_t> n_kw;
        std::vector<std::int64_t> n_k;
        std::vector<std::vector<gas::VertexId>> top;  // on rank 0
      };
      const auto all = run_ranks<Found>(ranks, [&](gas::Transport& transport) {
        const Context context(transport, 1);
        const Matrix matrix = matrix_of(context);
        LdaOptions options{.topics = many, .seed = 4};
        options.run.iterations = rounds;
        const LdaFit fit = gas::lda(context, matrix, options);
        const std::vector<float> block = fit.words.local_block();
        Found found;
        found.rank = context.rank();
        found.phi = gas::whole(transport, std::vector<float>(block));
        const gas::TokenCounts counts = fit.documents.word_counts();
        found.n_kw = gas::whole(transport, counts.local_block());
        found.n_k = counts.of_topics(transport);
        found.top = fit.words.top_words(most);
        std::vector<float> row(many), part(17);
        for (std::size_t i = 0; i < fit.words.local_words(); ++i) {
          const std::span of_word = std::span(block).subspan(i * many, many);
          fit.words.local_row(i, row);
          fit.words.local_part(i, 240, part);
          found.alike = found.alike && std::ranges::equal(row, of_word) &&
                        std::ranges::equal(part, of_word.subspan(240, 17));
          for (std::size_t k = 0; k < many; ++k)
            found.alike = found.alike && fit.words.local_weight(i, k) == of_word[k];
        }
        gas::TopicWords rows(transport, words, many);
        std::vector<gas::VertexId> mine;
        for (gas::VertexId w = 0; w < words; ++w)
          if (static_cast<int>(w) % ranks == context.rank()) mine.push_back(w);
        rows.put(mine, [&](std::size_t i) {
          return std::span<const float>(found.phi).subspan(mine[i] * many, many);
        });
        found.heldout_alike = gas::lda_heldout(context, matrix, fit.words, options) ==
                              gas::lda_heldout(context, matrix, rows, options);
        if (rows.top_words(most) != found.top || rows.local_block() != block) found.alike = false;
        return found;
      });
      CAPTURE(ranks, rounds);
      for (const Found& found : all) {
        CHECK(found.alike);
        CHECK(found.heldout_alike);
        REQUIRE(found.phi.size() == words * many);
        std::size_t wrong = 0;
        for (std::size_t w = 0; w < words; ++w)
          for (std::size_t k = 0; k < many; ++k) {
            const double phi = rounds == 0 ? 1.0 / words
                                           : (found.n_kw[w * many + k] + 0.01) /
                                                 (static_cast<double>(found.n_k[k]) + words * 0.01);
            wrong += double{found.phi[w * many + k]} == Approx(phi).epsilon(1e-5) ? 0 : 1;
          }
        CHECK(wrong == 0);
      }
      for (const Found& found : all) {
        CHECK(std::accumulate(found.n_k.begin(), found.n_k.end(), std::int64_t{0}) ==
              (rounds == 0 ? 0 : 600));
        REQUIRE(found.top.size() == (found.rank == 0 ? many : 0));
        for (std::size_t k = 0; k < found.top.size(); ++k) {
          std::vector<gas::VertexId> by_weight(words);
          std::iota(by_weight.begin(), by_weight.end(), gas::VertexId{0});
          std::ranges::stable_sort(by_weight, std::greater<>(),
                                   [&](gas::VertexId w) { return found.phi[w * many + k]; });
          by_weight.resize(most);
          REQUIRE(found.top[k] == by_weight);
        }
      }
    }
}

TEST_CASE("on_round ends the rounds, a tolerance too", "[ranks][lda]") {
  for (const int ranks : rank_counts())
    for (const bool objectives : {false, true}) {
      const auto outcomes = run_ranks<gas::Outcome>(ranks, [&](gas::Transport& transport) {
        const Context context(transport, 1);
        LdaOptions options{.topics = topics, .objectives = objectives};
        options.on_round = [&](const gas::RoundTold& round) {
          return round.round < 5 || context.rank() > 0;
        };
        return gas::lda(context, matrix_of(context), options).outcome;
      });
      for (const gas::Outcome& outcome : outcomes) {
        CAPTURE(ranks, objectives);
        CHECK(outcome.interrupted);
        CHECK(outcome.rounds >= 5);
        CHECK(outcome.rounds <= 7);
      }
    }
  const Context context(1);
  const auto outcome =
      gas::lda(context, matrix_of(context), {.topics = topics, .tolerance = 0.01}).outcome;
  CHECK(outcome.converged);
  CHECK(outcome.rounds % 20 == 0);
  CHECK(outcome.rounds < 200);
}

TEST_CASE("what is no model of documents is refused", "[lda]") {
  const Context context(1);
  const Matrix matrix = matrix_of(context);
  for (const LdaOptions& wrong :
       {LdaOptions{.topics = 0}, LdaOptions{.topics = 65536}, LdaOptions{.alpha = 0},
        LdaOptions{.beta = NAN}, LdaOptions{.tolerance = -1}})
    CHECK_THROWS_AS(gas::lda(context, matrix, wrong), gas::UsageError);
  const std::vector<int> rows{0, 1}, columns{0, 13};
  const std::vector<double> halves{1, 2.5};
  CHECK_THROWS_WITH(
      gas::lda(context, Matrix::from_entries(context, rows, columns, halves), {.topics = 2}),
      Catch::Contains("found 2.5, expected numbers of occurrences"));
  const std::vector<double> many{1, 16777217};  // 2^24 as a float
  CHECK_THROWS_WITH(
      gas::lda(context, Matrix::from_entries(context, rows, columns, many), {.topics = 2}),
      Catch::Contains(
          "found 16777216, expected numbers of occurrences, whole and at most 16777215"));
  LdaOptions options{.topics = topics};
  options.run.iterations = 2;
  const LdaFit fit = gas::lda(context, matrix, options);
  CHECK_THROWS_WITH(
      gas::lda_transform(context, Matrix::from_entries(context, rows, columns), fit.words, options),
      Catch::Contains("found 14 words, expected at most 12, as the topics have"));
}
