// What says how good topics are, recomputed from whole matrices by the definitions; several numbers
// of topics from one load; priors that are found again.
#include <Eigen/SVD>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <utility>

#include "gas/base/error.hpp"
#include "programs/lda/measures/measures.hpp"
#include "tests/programs/lda/whole_fit.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::Context;
using gas::LdaFit;
using gas::LdaMeasures;
using gas::LdaOptions;
using gas::LdaSampler;
using gas::LdaTrial;
using gas::Matrix;

namespace {

/// Of the `count` likeliest words of each topic.
gas::TopicCoherence mean_coherence(const Corpus& corpus, const Whole& fit, std::size_t count) {
  const auto documents = static_cast<Eigen::Index>(corpus.documents.size());
  Dense has = Dense::Zero(documents, fit.phi.rows());
  for (Eigen::Index d = 0; d < documents; ++d)
    for (const std::uint64_t w : corpus.documents[static_cast<std::size_t>(d)])
      has(d, static_cast<Eigen::Index>(w)) = 1;
  const Dense both = has.transpose() * has;
  const auto all = static_cast<double>(documents);
  gas::TopicCoherence mean;
  for (Eigen::Index k = 0; k < fit.phi.cols(); ++k) {
    std::vector<Eigen::Index> words;
    for (Eigen::Index w = 0; w < fit.phi.rows(); ++w) words.push_back(w);
    std::ranges::stable_sort(words, std::greater<>(),
                             [&](Eigen::Index w) { return fit.phi(w, k); });
    double npmi = 0, umass = 0, mimno = 0;
    for (std::size_t i = 1; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double u = both(words[j], words[j]), v = both(words[i], words[i]),
                     together = both(words[i], words[j]);
        npmi += together == 0
                    ? -1
                    : std::log(together / all / (u / all * v / all)) / -std::log(together / all);
        umass += std::log((together / all + 1e-12) / (u / all));
        mimno += std::log((together + 1) / u);
      }
    const auto pairs = static_cast<double>(count * (count - 1) / 2);
    const auto topics = static_cast<double>(fit.phi.cols());
    mean.npmi += npmi / pairs / topics;
    mean.umass += umass / pairs / topics;
    mean.mimno += mimno / topics;
  }
  return mean;
}

double mean_cosine(const Dense& phi) {
  double sum = 0;
  for (Eigen::Index a = 0; a < phi.cols(); ++a)
    for (Eigen::Index b = 0; b < a; ++b)
      sum += phi.col(a).dot(phi.col(b)) / phi.col(a).norm() / phi.col(b).norm();
  return sum / (static_cast<double>(phi.cols() * (phi.cols() - 1)) / 2);
}

double arun(const Whole& fit) {
  Eigen::VectorXd p = Eigen::JacobiSVD<Dense>(fit.phi).singularValues();
  Eigen::VectorXd q = Eigen::VectorXd::Zero(p.size());
  for (Eigen::Index d = 0; d < fit.n_dk.rows(); ++d) {
    const double length = fit.n_dk.row(d).sum();
    for (Eigen::Index k = 0; k < q.size(); ++k)
      q[k] += length * (fit.n_dk(d, k) + fit.priors.alpha[static_cast<std::size_t>(k)]) /
              (length + fit.priors.alpha_sum());
  }
  std::sort(q.begin(), q.end(), std::greater<>());
  p /= p.sum();
  q /= q.sum();
  return (p.array() * (p.array() / q.array()).log()).sum() +
         (q.array() * (q.array() / p.array()).log()).sum();
}

/// Documents drawn from a model with these priors; the length of document d is 20 + d mod 80.
Corpus drawn_corpus(std::size_t documents, std::size_t words, const std::vector<double>& alpha,
                    double beta, unsigned seed) {
  std::mt19937 random(seed);
  const auto dirichlet = [&](const std::vector<double>& prior) {
    std::vector<double> p;
    for (const double a : prior) p.push_back(std::gamma_distribution<double>(a)(random) + 1e-300);
    return std::discrete_distribution<std::size_t>(p.begin(), p.end());
  };
  std::vector<std::discrete_distribution<std::size_t>> phi;
  for (std::size_t k = 0; k < alpha.size(); ++k) phi.push_back(dirichlet(std::vector(words, beta)));
  Corpus corpus{words, {}};
  for (std::size_t d = 0; d < documents; ++d) {
    auto theta = dirichlet(alpha);
    std::vector<std::uint64_t> document;
    for (std::size_t i = 0; i < 20 + d % 80; ++i) document.push_back(phi[theta(random)](random));
    std::ranges::sort(document);
    corpus.documents.push_back(document);
  }
  return corpus;
}

struct PriorsFit {
  gas::LdaPriors priors, likeliest;
  Whole whole;
  double gained = 0;
};

/// A fit whose priors are learnt, and the likeliest ones for the topics that its tokens have.
PriorsFit fit_priors(const Context& context, const Corpus& corpus, const LdaOptions& options) {
  const LdaFit found = gas::lda(context, matrix_of(context, corpus), options);
  const auto each = [&](const gas::DocumentVisit& visit) { found.documents.local_for_each(visit); };
  return {
      found.priors,
      gas::likeliest_priors(context.transport(), each, found.documents.word_counts(), found.priors),
      whole_of(context, found), found.gained.value_or(NAN)};
}

}  // namespace

TEST_CASE("measures of a fit are those of its definition", "[ranks][lda]") {
  Corpus corpus = planted_corpus(90, 50, 5, 25, 4).corpus;
  corpus.documents.emplace_back();  // without a word
  for (const int ranks : rank_counts()) {
    struct Got {
      LdaMeasures told;
      Whole whole;
    };
    const auto results = run_ranks<Got>(ranks, [&](gas::Transport& transport) -> Got {
      const Context context(transport, 1);
      LdaOptions options{.topics = 5, .alpha_by_topic = {0.3, 0.1, 0.2, 0.05, 0.1}};
      options.run.iterations = 30;
      const LdaFit fit = gas::lda(context, matrix_of(context, corpus), options);
      return {gas::lda_measures(context, fit, 8), whole_of(context, fit)};
    });
    for (const Got& got : results) {
      CAPTURE(ranks);
      CHECK(got.told.joint.value() ==
            Approx(log_joint(got.whole) / static_cast<double>(corpus.tokens())).epsilon(1e-9));
      const gas::TopicCoherence mean = mean_coherence(corpus, got.whole, 8);
      CHECK(got.told.npmi.value() == Approx(mean.npmi).epsilon(1e-9));
      CHECK(got.told.umass.value() == Approx(mean.umass).epsilon(1e-9));
      CHECK(got.told.mimno.value() == Approx(mean.mimno).epsilon(1e-9));
      CHECK(got.told.of_topics.size() == 5);
      CHECK(got.told.spread.cao_juan.value() == Approx(mean_cosine(got.whole.phi)).epsilon(1e-9));
      CHECK(got.told.spread.arun.value() == Approx(arun(got.whole)).epsilon(1e-6));
    }
  }
}

TEST_CASE("topics that have tokens of few words are measured by as many words as others", "[lda]") {
  const Corpus corpus = planted_corpus(90, 50, 5, 25, 4).corpus;
  const Context context(1);
  LdaOptions options{.topics = 300};
  options.run.iterations = 30;
  const LdaFit fit = gas::lda(context, matrix_of(context, corpus), options);
  const Whole whole = whole_of(context, fit);
  CHECK((whole.n_kw.array() > 0).colwise().count().minCoeff() < 4);
  const gas::TopicCoherence mean = mean_coherence(corpus, whole, 8);
  const LdaMeasures told = gas::lda_measures(context, fit, 8);
  CHECK(told.npmi.value() == Approx(mean.npmi).epsilon(1e-9));
  CHECK(told.umass.value() == Approx(mean.umass).epsilon(1e-9));
  CHECK(told.mimno.value() == Approx(mean.mimno).epsilon(1e-9));
}

TEST_CASE("what cannot be measured is left out", "[lda]") {
  const Context context(1);
  LdaOptions options{.topics = 1};
  options.run.iterations = 2;
  const Corpus corpus{3, {{0, 1}, {1, 1}, {}}};
  const LdaFit one = gas::lda(context, matrix_of(context, corpus), options);
  const LdaMeasures of_one = gas::lda_measures(context, one);
  CHECK_FALSE(of_one.spread.cao_juan);
  CHECK_FALSE(of_one.spread.arun);
  // Words 1 and 0 occur, in two documents and in one; word 2 in none, and its pairs are left out.
  CHECK(of_one.npmi.value() == Approx(std::log(1.0 / 3 / (2.0 / 3 / 3)) / std::log(3)));
  CHECK(of_one.mimno.value() == Approx(std::log(2.0 / 2)).margin(1e-12).epsilon(0));
  options.topics = 9;  // more than words
  CHECK_FALSE(gas::lda_measures(context, gas::lda(context, matrix_of(context, corpus), options))
                  .spread.arun);
  const LdaMeasures empty =
      gas::lda_measures(context, gas::lda(context, matrix_of(context, {3, {{}, {}}}), options));
  CHECK_FALSE(empty.joint);
  CHECK_FALSE(empty.npmi);
  CHECK_THROWS_AS(gas::lda_measures(context, one, 1), gas::UsageError);
  CHECK_THROWS_AS(gas::lda_measures(context, one, 65), gas::UsageError);
}

TEST_CASE("several numbers of topics are fits of their own", "[ranks][lda]") {
  const Corpus corpus = planted_corpus(120, 60, 6, 30, 12).corpus;
  const std::vector<std::size_t> topics{2, 6, 3};
  for (const int ranks : rank_counts()) {
    const auto told = run_ranks<std::vector<std::string>>(ranks, [&](gas::Transport& transport) {
      std::vector<std::string> wrong;
      const auto check = [&](bool right, const std::string& what) {
        if (!right) wrong.push_back(what);
      };
      const Context context(transport, 1);
      const Matrix documents = matrix_of(context, corpus);
      LdaOptions options;
      options.run.iterations = 40;
      std::vector<std::vector<float>> phi;
      const auto trials =
          gas::lda_scan(context, documents, topics, options,
                        {.heldout = &documents, .each = [&](LdaFit& fit, const LdaTrial& trial) {
                           check(trial.topics == fit.words.topics(), "topics of a fit");
                           phi.push_back(fit.words.local_block());
                         }});
      check(trials.size() == 3, "number of fits");
      for (std::size_t i = 0; i < trials.size(); ++i) {
        options.topics = topics[i];
        const LdaFit alone = gas::lda(context, documents, options);
        check(phi[i] == alone.words.local_block(), "phi");
        check(trials[i].topics == topics[i], "topics");
        check(trials[i].objective == alone.objective, "objective");
        const double heldout = gas::lda_heldout(context, documents, alone.words, options).value();
        check(trials[i].heldout == heldout, "heldout");
        check(trials[i].measures.npmi == gas::lda_measures(context, alone).npmi, "npmi");
      }
      // Six were planted.
      check(trials[1].measures.joint > trials[0].measures.joint, "best joint");
      check(trials[1].heldout > trials[0].heldout, "best heldout");
      check(trials[1].measures.npmi > trials[0].measures.npmi, "best npmi");
      for (const std::vector<std::size_t>& numbers :
           {std::vector<std::size_t>{}, std::vector<std::size_t>{3, 4, 3}})
        try {
          gas::lda_scan(context, documents, numbers, options);
          check(false, "wrong numbers of topics are taken");
        } catch (const gas::UsageError&) {
        }
      return wrong;
    });
    for (const std::vector<std::string>& wrong : told) CHECK(wrong == std::vector<std::string>());
  }
}

TEST_CASE("an interrupted scan ends with the fit that was interrupted", "[lda]") {
  const Context context(1);
  LdaOptions options;
  int rounds = 0;
  options.on_round = [&](const gas::RoundTold&) { return ++rounds < 250; };
  const std::vector<std::size_t> topics{2, 3, 4};
  const auto trials = gas::lda_scan(
      context, matrix_of(context, planted_corpus(30, 20, 3, 10, 1).corpus), topics, options);
  REQUIRE(trials.size() == 2);
  CHECK_FALSE(trials[0].outcome.interrupted);
  CHECK(trials[1].outcome.interrupted);
  CHECK_FALSE(trials[1].measures.joint);
}

TEST_CASE("planted priors are found again", "[lda]") {
  const std::vector<double> alpha{0.4, 0.2, 0.1};
  const Corpus corpus = drawn_corpus(1500, 100, alpha, 0.1, 1);
  const auto tokens = static_cast<double>(corpus.tokens());
  const Context context(2);
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh}) {
    LdaOptions options{.topics = 3, .sampler = sampler, .measure = false};
    options.run.iterations = sampler == LdaSampler::mh ? 400 : 100;
    const double fixed =
        log_joint(whole_of(context, gas::lda(context, matrix_of(context, corpus), options))) /
        tokens;
    options.optimize_every = 10;
    // Before the burn-in is over rounds are those of priors as given; after it they are not.
    const std::uint64_t rounds = std::exchange(options.run.iterations, 40);
    options.optimize_burn_in = 40;
    const PriorsFit burning = fit_priors(context, corpus, options);
    options.optimize_burn_in = 20;
    const PriorsFit burnt = fit_priors(context, corpus, options);
    options.optimize_every = options.optimize_burn_in = 0;
    const PriorsFit never = fit_priors(context, corpus, options);
    CHECK(burning.whole.phi == never.whole.phi);
    CHECK(burning.priors.alpha == std::vector<double>(3, options.alpha));
    CHECK(burnt.whole.phi != never.whole.phi);
    CHECK(burnt.priors.alpha != burning.priors.alpha);
    options.optimize_every = 10;
    options.run.iterations = rounds;
    const PriorsFit found = fit_priors(context, corpus, options);
    std::vector<double> largest_first = found.priors.alpha;
    std::ranges::sort(largest_first, std::greater<>());
    for (std::size_t k = 0; k < 3; ++k) CHECK(largest_first[k] == Approx(alpha[k]).epsilon(0.25));
    CHECK(found.priors.beta == Approx(0.1).epsilon(0.15));
    const double joint = log_joint(found.whole) / tokens;
    CHECK(joint > fixed + 0.005);
    Whole under_given = found.whole;
    under_given.priors = {std::vector<double>(3, 0.1), 0.01};
    CHECK(found.gained == Approx(joint - log_joint(under_given) / tokens).epsilon(1e-6));
    CHECK(found.gained > 0.005);
    // The likeliest for these tokens' topics: no prior alone does better.
    Whole best = found.whole;
    best.priors = found.likeliest;
    CHECK(log_joint(best) >= log_joint(found.whole));
    for (std::size_t k = 0; k <= 3; ++k)
      for (const double by : {0.98, 1.02}) {
        Whole moved = best;
        (k < 3 ? moved.priors.alpha[k] : moved.priors.beta) *= by;
        CHECK(log_joint(moved) < log_joint(best));
      }
  }
}

TEST_CASE("priors are found alike on any ranks", "[ranks][lda]") {
  const Corpus corpus = drawn_corpus(200, 60, {0.4, 0.2, 0.1}, 0.1, 1);
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh}) {
    LdaOptions options{.topics = 3, .sampler = sampler, .measure = false};
    options.run.iterations = 60;
    options.optimize_every = 10;
    const PriorsFit alone = fit_priors(Context(2), corpus, options);
    CHECK(alone.priors.alpha != std::vector<double>(3, options.alpha));
    for (const int ranks : rank_counts())
      for (const PriorsFit& found : run_ranks<PriorsFit>(ranks, [&](gas::Transport& transport) {
             return fit_priors(Context(transport, 1), corpus, options);
           })) {
        CAPTURE(ranks, sampler == LdaSampler::mh);
        CHECK(found.priors.alpha == alone.priors.alpha);
        CHECK(found.priors.beta == alone.priors.beta);
        CHECK(found.whole.phi == alone.whole.phi);
      }
  }
}

TEST_CASE("priors of topics that differ are used, and refused where they make no sense", "[lda]") {
  // Topics of one word in all: only the priors tell them apart, and θ follows them.
  const Context context(1);
  const Matrix documents = matrix_of(context, {1, std::vector(400, std::vector<std::uint64_t>(3))});
  for (const LdaSampler sampler : {LdaSampler::gibbs, LdaSampler::mh})
    for (const std::size_t topics : {std::size_t{3}, std::size_t{300}}) {
      CAPTURE(topics, sampler == LdaSampler::mh);
      LdaOptions options{.topics = topics, .sampler = sampler, .measure = false};
      options.alpha_by_topic.assign(topics, 4.0 / static_cast<double>(topics));
      options.alpha_by_topic[1] = 8;
      options.run.iterations = 200;
      double share = 0;
      const LdaFit fit = gas::lda(context, documents, options);
      const std::vector<float> theta = fit.documents.topics();
      for (std::size_t d = 0; d < 400; ++d) share += double{theta[d * topics + 1]} / 400;
      const double sum = fit.priors.alpha_sum();
      CHECK(share == Approx(8 / sum).margin(0.05));
    }
  LdaOptions options{.topics = 3, .alpha_by_topic = {1, 2}};
  CHECK_THROWS_AS(gas::lda(context, documents, options), gas::UsageError);
  options.alpha_by_topic = {1, 2, 0};
  CHECK_THROWS_AS(gas::lda(context, documents, options), gas::UsageError);
}
