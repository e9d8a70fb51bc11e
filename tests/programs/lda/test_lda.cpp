// Topic models as vertex programs: the same topics everywhere, every token kept, likelihoods by the
// definition, and a textbook sampler to compare with.
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "gas/base/error.hpp"
#include "partition/partition.hpp"
#include "programs/lda/fold_in.hpp"
#include "programs/lda/most_tokens.hpp"
#include "programs/lda/program.hpp"
#include "programs/lda/sparse/program.hpp"
#include "tests/programs/lda/lda_oracle.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

using Topics = std::vector<std::vector<std::size_t>>;  // by document and token

struct Setting {
  std::size_t topics = 8;
  double alpha = 0.1, beta = 0.01;
  std::uint64_t rounds = 10, seed = 1;
  int ranks = 1;
  unsigned threads = 1;
  std::string method = "hash";
  std::uint64_t measure_every = 0;  // also measure after every so many rounds
  bool walks = false;
  gas::Staleness staleness = {};
  std::vector<double> priors = {};  // of a document's topics; none: alpha
};

struct Outcome {
  Topics topic;
  std::vector<std::vector<float>> phi;  // published, by word
  std::vector<double> likelihoods;      // means, as measured; the last one of the final state
  std::vector<std::int64_t> totals;     // n_k of the last Summary
};

/// This rank's share of the corpus: one edge per word of a document, its value the number of times.
gas::EdgeList share_of(const gas::Communicator& comm, const Corpus& corpus) {
  gas::EdgeList edges;
  const gas::BlockDistribution blocks{corpus.documents.size(), comm.size()};
  for (std::uint64_t d = blocks.first(comm.rank()); d < blocks.first(comm.rank() + 1); ++d)
    for (const std::uint64_t w : corpus.documents[d]) {
      if (!edges.source.empty() && edges.source.back() == d && edges.target.back() == w) {
        ++edges.value.back();
        continue;
      }
      edges.source.push_back(gas::to_vertex_id(d));
      edges.target.push_back(gas::to_vertex_id(w));
      edges.value.push_back(1);
    }
  return edges;
}

std::shared_ptr<const gas::LocalGraph> lay_out(gas::Communicator& comm, const Corpus& corpus,
                                               const std::string& method) {
  gas::EdgeList edges = share_of(comm, corpus);
  const gas::GraphShape shape{corpus.documents.size(), corpus.words, true};
  gas::Partition partition = gas::partition::make_partition(
      comm, edges, shape, {.method = method, .parts = static_cast<gas::Part>(comm.size())});
  return std::make_shared<const gas::LocalGraph>(
      gas::build_graph(comm, shape, std::move(edges), std::move(partition), gas::Repeats::expand));
}

/// The topic of every token on every rank, by document, then in the order of words.
template <class Program>
Topics all_topics(gas::Transport& comm, gas::Engine<Program>& engine, std::size_t documents) {
  struct Entry {
    gas::VertexId document, word;
    std::uint16_t topic;
  };
  std::vector<Entry> mine;
  engine.local_for_each_edge([&](gas::VertexId document, gas::VertexId word, const auto& token) {
    mine.push_back({document, word, token.topic});
  });
  Topics topics(documents);
  for (const auto& block : gas::all_gather(comm, std::span<const Entry>(mine)))
    for (const Entry& entry : block) topics[entry.document].push_back(entry.topic);
  return topics;
}

/// φ of a word, as it publishes it.
std::vector<float> weights_of(const gas::Lda& program, gas::RowView<const float> row) {
  const auto weights = gas::TopicRow(row, program.topics).weights;
  return {weights.begin(), weights.end()};
}
std::vector<float> weights_of(const gas::LdaSparse& program,
                              std::span<const gas::TopicList::Cell> list) {
  std::vector<float> weights;
  for (std::size_t k = 0; k < program.topics; ++k)
    weights.push_back(program.weight(gas::TopicList(list).count(k), k));
  return weights;
}

template <class Program = gas::Lda>
Outcome train(const Corpus& corpus, const Setting& setting, const Program& plain = {}) {
  const auto on_rank = [&](gas::Transport& comm) {
    const auto executor = gas_test::make_executor(setting.threads);
    Program program = plain;
    program.topics = setting.topics;
    program.alpha = static_cast<float>(setting.alpha);
    program.beta = static_cast<float>(setting.beta);
    program.words = corpus.words;
    program.seed = setting.seed;
    program.walks = setting.walks;
    if (!setting.priors.empty()) program.take({setting.priors, setting.beta});
    gas::Engine<Program> engine(comm, *executor, lay_out(comm, corpus, setting.method), program);
    Outcome outcome;
    std::uint64_t rounds = 0;
    const auto measure = [&] {
      engine.run_at_rest(setting.staleness.bound > 0 ? 2 : 1);  // words catch up
      outcome.likelihoods.push_back(gas::Lda::log_likelihood(engine.last().data()) /
                                    static_cast<double>(corpus.tokens()));
    };
    if (setting.staleness.bound > 0)
      rounds = engine.run({.iterations = setting.rounds, .staleness = setting.staleness}).rounds;
    for (std::uint64_t round = rounds + 1; round <= setting.rounds; ++round) {
      engine.run({.iterations = 1});
      if (setting.measure_every != 0 && round % setting.measure_every == 0) measure();
    }
    measure();
    const auto totals = engine.last().data().values;
    outcome.totals.assign(totals.begin(), totals.end() - 1);
    outcome.topic = all_topics(comm, engine, corpus.documents.size());
    std::vector<gas::VertexId> rows;
    std::vector<float> values;
    engine.template local_for_each_published<typename Program::Word>(
        [&](gas::VertexId row, const auto& word) {
          const std::vector<float> weights = weights_of(engine.program(), word);
          rows.push_back(row);
          values.insert(values.end(), weights.begin(), weights.end());
        });
    outcome.phi.resize(corpus.words);
    const auto all_rows = gas::all_gather(comm, std::span<const gas::VertexId>(rows));
    const auto all_values = gas::all_gather(comm, std::span<const float>(values));
    for (std::size_t r = 0; r < all_rows.size(); ++r)
      for (std::size_t i = 0; i < all_rows[r].size(); ++i) {
        const auto first = all_values[r].begin() + static_cast<std::ptrdiff_t>(i * setting.topics);
        outcome.phi[all_rows[r][i]].assign(first,
                                           first + static_cast<std::ptrdiff_t>(setting.topics));
      }
    return outcome;
  };
  return run_ranks<Outcome>(setting.ranks, on_rank).front();
}

/// Mean log-likelihood of the scored tokens (halves), or of all, under given topics; and the
/// topics.
std::pair<double, Topics> fold_in(const Corpus& corpus, const std::vector<std::vector<double>>& phi,
                                  bool halves, int ranks, const std::string& method = "range") {
  using Result = std::pair<double, Topics>;
  return run_ranks<Result>(ranks,
                           [&](gas::Transport& comm) -> Result {
                             const auto executor = gas_test::make_executor(1);
                             gas::LdaFoldIn program;
                             program.topics = phi.size();
                             program.halves = halves;
                             program.settling = 20;
                             gas::Engine<gas::LdaFoldIn> engine(
                                 comm, *executor, lay_out(comm, corpus, method), program);
                             engine.local_give<gas::LdaFoldIn::Word>(
                                 [&](gas::VertexId row, gas::RowView<float> out) {
                                   gas::TopicRow::write(out, phi.size(), [&](std::size_t k) {
                                     return static_cast<float>(phi[k][row]);
                                   });
                                 });
                             engine.run({.iterations = 60});
                             engine.run_at_rest();
                             return {engine.last().data().mean(),
                                     all_topics(comm, engine, corpus.documents.size())};
                           })
      .front();
}

void check_conserved(const Corpus& corpus, const Outcome& outcome, const Setting& setting) {
  std::vector<std::int64_t> totals(setting.topics, 0);
  std::int64_t tokens = 0;
  REQUIRE(outcome.topic.size() == corpus.documents.size());
  for (std::size_t d = 0; d < corpus.documents.size(); ++d) {
    REQUIRE(outcome.topic[d].size() == corpus.documents[d].size());
    for (const std::size_t k : outcome.topic[d]) {
      REQUIRE(k < setting.topics);
      ++totals[k];
      ++tokens;
    }
  }
  CHECK(outcome.totals == totals);
  CHECK(tokens == static_cast<std::int64_t>(corpus.tokens()));
  // What the words published comes from the same tokens: φ by the definition.
  const Estimates state =
      estimates(corpus, outcome.topic, setting.topics, setting.alpha, setting.beta);
  for (std::size_t w = 0; w < corpus.words; ++w) {
    REQUIRE(outcome.phi[w].size() == setting.topics);
    for (std::size_t k = 0; k < setting.topics; ++k)
      REQUIRE(outcome.phi[w][k] == Approx(state.phi[k][w]).epsilon(1e-5));
  }
  if (tokens > 0)
    CHECK(outcome.likelihoods.back() ==
          Approx(mean_log_likelihood(corpus, state)).epsilon(1e-5).margin(1e-6));
}

/// One way to lay out the corpus per rank count of this process.
int most_ranks() { return rank_counts().back(); }

}  // namespace

TEST_CASE("lists of counts: the same topics on any ranks and threads", "[ranks][lda]") {
  // Words of 100 tokens, whose topics stand in order, and of 1000, most of them in tables.
  const std::size_t words = GENERATE(std::size_t{120}, std::size_t{12});
  const Corpus corpus = planted_corpus(300, words, 10, 40, 3).corpus;
  std::vector<double> priors;
  for (std::size_t k = 0; k < 600; ++k) priors.push_back(0.02 + 0.01 * static_cast<double>(k % 7));
  for (const auto& some : {std::vector<double>(), priors}) {
    const Setting setting{.topics = 600, .measure_every = 4, .walks = true, .priors = some};
    const Outcome alone = train<gas::LdaSparse>(corpus, setting);
    if (some.empty()) check_conserved(corpus, alone, setting);
    for (const int ranks : rank_counts()) {
      Setting other = setting;
      other.ranks = ranks;
      other.threads = ranks == 1 ? 2 : 1;
      CAPTURE(words, ranks, some.size());
      const Outcome lists = train<gas::LdaSparse>(corpus, other);
      CHECK(lists.topic == alone.topic);
      CHECK(lists.phi == alone.phi);
      CHECK(lists.likelihoods == alone.likelihoods);
      CHECK(lists.totals == alone.totals);
    }
  }
  for (const int ranks : rank_counts()) {
    const Setting stale{.topics = 600, .ranks = ranks, .walks = true, .staleness = {2}};
    check_conserved(corpus, train<gas::LdaSparse>(corpus, stale), stale);
  }
}

TEST_CASE("documents join by shares, alike on any ranks and threads", "[ranks][lda]") {
  // Words of 100 tokens, and of 1000, which do not draw.
  const std::size_t words = GENERATE(std::size_t{120}, std::size_t{12});
  const Corpus corpus = planted_corpus(300, words, 10, 40, 3).corpus;
  gas::LdaSparse program;
  program.halvings = 3;
  program.rounds_of_part = 2;
  const std::pair<std::uint64_t, double> joined[] = {{1, 0.125}, {2, 0.25}, {3, 0.25}, {4, 0.5},
                                                     {5, 0.5},   {6, 1},    {8, 1}};
  for (const auto& [rounds, part] : joined) {
    const Setting setting{.topics = 600, .rounds = rounds, .walks = true};
    const Outcome alone = train<gas::LdaSparse>(corpus, setting, program);
    CAPTURE(words, rounds);
    std::size_t found = 0;
    for (const auto& document : alone.topic) {
      const auto without = std::ranges::count(document, gas::TopicCounts::none);
      CHECK((without == 0 || without == static_cast<std::ptrdiff_t>(document.size())));
      found += without == 0 ? 1U : 0U;
    }
    const double all = static_cast<double>(corpus.documents.size());
    CHECK(static_cast<double>(found) / all ==
          Approx(part).margin(part == 1 ? 0 : 3 * std::sqrt(part / all)));
    if (part == 1) check_conserved(corpus, alone, setting);
    for (const int ranks : rank_counts()) {
      Setting other = setting;
      other.ranks = ranks;
      other.threads = ranks == 1 ? 2 : 1;
      const Outcome there = train<gas::LdaSparse>(corpus, other, program);
      CAPTURE(ranks);
      CHECK(there.topic == alone.topic);
      CHECK(there.phi == alone.phi);
      CHECK(there.totals == alone.totals);
    }
  }
  for (const int ranks : rank_counts()) {
    const Setting stale{
        .topics = 600, .rounds = 12, .ranks = ranks, .walks = true, .staleness = {2}};
    check_conserved(corpus, train<gas::LdaSparse>(corpus, stale, program), stale);
  }
}

TEST_CASE("documents begin with few topics where there are many", "[lda]") {
  const Corpus corpus = planted_corpus(400, 120, 10, 40, 3).corpus;
  const auto begun = [&]<class Program>(std::size_t topics, const Program& program) {
    const Outcome one =
        train(corpus, {.topics = topics, .alpha = 0.5, .rounds = 1, .walks = true}, program);
    double found = 0;
    for (const auto& document : one.topic)
      found += static_cast<double>(std::set(document.begin(), document.end()).size());
    return found / static_cast<double>(one.topic.size());
  };
  // Of an urn with a sum S of priors, token i brings a topic with probability S / (S + i).
  double few = 0;
  for (std::size_t i = 0; i < 40; ++i) few += 1 / (1 + static_cast<double>(i));
  CHECK(begun(600, gas::LdaSparse()) == Approx(few).epsilon(0.05));
  CHECK(begun(600, gas::Lda()) == Approx(few).epsilon(0.05));
  CHECK(begun(200, gas::Lda()) > 4 * few);  // S = 100
}

TEST_CASE("tables of counts give the topics that rows of weights give, bit for bit", "[lda]") {
  // Words of 4800 tokens, and of 100 that are kept from standing in order.
  const bool many = GENERATE(true, false);
  const Corpus corpus =
      many ? planted_corpus(600, 5, 3, 40, 3).corpus : planted_corpus(300, 120, 10, 40, 3).corpus;
  std::vector<double> priors;
  for (std::size_t k = 0; k < 600; ++k) priors.push_back(0.02 + 0.01 * static_cast<double>(k % 7));
  for (const auto& some : {std::vector<double>(), priors}) {
    const Setting setting{
        .topics = 600, .rounds = 4, .measure_every = 1, .walks = true, .priors = some};
    gas::LdaSparse program;
    program.draws_lists = many;
    const Outcome rows = train(corpus, setting), lists = train(corpus, setting, program);
    CAPTURE(many, some.size());
    CHECK(lists.topic == rows.topic);
    CHECK(lists.phi == rows.phi);
    CHECK(lists.likelihoods == rows.likelihoods);
  }
}

TEST_CASE("the same topic for every token on any ranks, threads and partition", "[lda][ranks]") {
  const Corpus corpus = planted_corpus(80, 60, 5, 30, 3).corpus;
  const bool walks = GENERATE(false, true);
  INFO("walks " << walks);
  std::optional<Outcome> first;
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U})
      for (const char* method : {"metis", "range", "hash"}) {
        INFO("ranks " << ranks << " threads " << threads << " partition " << method);
        const Setting setting{
            .topics = 20, .ranks = ranks, .threads = threads, .method = method, .walks = walks};
        const Outcome outcome = train(corpus, setting);
        if (!first) {
          first = outcome;
          check_conserved(corpus, outcome, setting);
        }
        CHECK(outcome.topic == first->topic);
        CHECK(outcome.phi == first->phi);
        CHECK(outcome.likelihoods == first->likelihoods);
        CHECK(outcome.totals == first->totals);
      }
  // A number that does not depend on the ranks of this process either: serial runs match mpirun's.
  const Outcome other_seed =
      train(corpus, {.topics = 20, .seed = 2, .ranks = most_ranks(), .walks = walks});
  CHECK(other_seed.topic != first->topic);
}

TEST_CASE("measuring changes nothing and agrees with the definition", "[lda][ranks]") {
  const Corpus corpus = planted_corpus(60, 50, 4, 25, 8).corpus;
  const Setting plain{.rounds = 6, .ranks = most_ranks(), .walks = GENERATE(false, true)};
  Setting measured = plain;
  measured.measure_every = 2;
  const Outcome a = train(corpus, plain), b = train(corpus, measured);
  CHECK(a.topic == b.topic);
  CHECK(b.likelihoods.size() == 4);
  CHECK(a.likelihoods.back() == b.likelihoods.back());
  check_conserved(corpus, b, measured);
  // A prefix of the run is the shorter run.
  Setting shorter = plain;
  shorter.rounds = 2;
  CHECK(train(corpus, shorter).likelihoods.back() == b.likelihoods.front());
}

TEST_CASE("planted topics are found, as well as by a textbook sampler", "[lda][ranks]") {
  constexpr std::size_t topics = 6;
  const Planted planted = planted_corpus(400, 120, topics, 40, 21);
  const bool walks = GENERATE(false, true);
  INFO("walks " << walks);
  const Setting setting{.topics = topics,
                        .rounds = walks ? 120U : 60U,
                        .ranks = most_ranks(),
                        .method = "metis",
                        .walks = walks};
  const Outcome outcome = train(planted.corpus, setting);
  check_conserved(planted.corpus, outcome, setting);

  const Topics serial = serial_gibbs(planted.corpus, topics, setting.alpha, setting.beta, 60, 4);
  const double reached = mean_log_likelihood(
      planted.corpus, estimates(planted.corpus, serial, topics, setting.alpha, setting.beta));
  CHECK(outcome.likelihoods.back() == Approx(reached).margin(0.02));

  // Each planted topic has one that is near, and no two the same one.
  std::map<std::size_t, double> nearest;
  for (const auto& phi : planted.phi) {
    std::vector<double> distance(topics, 0);
    for (std::size_t k = 0; k < topics; ++k)
      for (std::size_t w = 0; w < phi.size(); ++w)
        distance[k] += std::abs(phi[w] - static_cast<double>(outcome.phi[w][k]));
    const auto least = std::ranges::min_element(distance);
    nearest[static_cast<std::size_t>(least - distance.begin())] = *least;
  }
  CHECK(nearest.size() == topics);
  for (const auto& [k, distance] : nearest) CHECK(distance < 0.35);
}

TEST_CASE("at any bound every token is kept, and topics are found", "[lda][ranks]") {
  constexpr std::size_t topics = 6;
  const Planted planted = planted_corpus(400, 120, topics, 40, 21);
  const Topics serial = serial_gibbs(planted.corpus, topics, 0.1, 0.01, 60, 4);
  const double reached =
      mean_log_likelihood(planted.corpus, estimates(planted.corpus, serial, topics, 0.1, 0.01));
  for (const int ranks : rank_counts())
    for (const std::uint64_t bound : {1U, 4U})
      for (const bool walks : {false, true}) {
        INFO("ranks " << ranks << " bound " << bound << " walks " << walks);
        const Setting setting{.topics = topics,
                              .rounds = walks ? 150U : 80U,
                              .ranks = ranks,
                              .walks = walks,
                              .staleness = {bound, bound == 4}};
        const Outcome outcome = train(planted.corpus, setting);
        check_conserved(planted.corpus, outcome, setting);
        CHECK(outcome.likelihoods.back() == Approx(reached).margin(0.15));
      }
}

TEST_CASE("small and odd corpora", "[lda][ranks]") {
  const int ranks = most_ranks();  // more than documents in most of these
  const auto check = [&](const Corpus& corpus, std::size_t topics) {
    INFO(topics << " topics, " << corpus.documents.size() << " documents, " << corpus.words
                << " words");
    Setting setting{.topics = topics, .rounds = 5, .ranks = ranks};
    check_conserved(corpus, train(corpus, setting), setting);
    setting.walks = true;
    Outcome outcome = train(corpus, setting);
    check_conserved(corpus, outcome, setting);
    return outcome;
  };
  SECTION("one token") {
    CHECK(check({1, {{0}}}, 1).likelihoods.back() == Approx(0).margin(1e-6).epsilon(0));
    check({1, {{0}}}, 5);
  }
  SECTION("one document, one topic: the words' frequencies") {
    const Outcome outcome = check({3, {{0, 0, 0, 2}}}, 1);
    CHECK(outcome.phi[0][0] == Approx(3.01 / 4.03));
    CHECK(outcome.phi[1][0] == Approx(0.01 / 4.03));  // a word without a token
  }
  SECTION("empty documents and words without a token") {
    check({7, {{}, {1, 1, 4}, {}, {4}, {}}}, 3);
  }
  SECTION("no token at all") {
    const Outcome outcome = train({3, {{}, {}}}, {.topics = 2, .rounds = 3, .ranks = ranks});
    CHECK(outcome.totals == std::vector<std::int64_t>{0, 0});
    for (const auto& row : outcome.phi)
      for (const float weight : row) CHECK(weight == Approx(1.0 / 3));
  }
  SECTION("no round at all: the priors") {
    const Outcome outcome = train({3, {{0, 1, 1}}}, {.topics = 2, .rounds = 0, .ranks = ranks});
    CHECK(outcome.likelihoods.back() == Approx(std::log(1.0 / 3)));
  }
  SECTION("topics in more than one block, more of them than tokens") {
    check({4, {{0, 1, 2}, {3, 3}}}, 100);
  }
}

TEST_CASE("repeated lines of a document and a word are tokens like others", "[lda][ranks]") {
  // (0, 1) twice, of 2 and 1 tokens, is (0, 1) once, of 3.
  for (const int ranks : rank_counts()) {
    using Counts = std::pair<std::size_t, Topics>;
    const auto results = run_ranks<Counts>(ranks, [&](gas::Transport& comm) -> Counts {
      TestGraph graph{{2, 3, true}, {}};
      graph.edges.source = {0, 0, 1, 0};
      graph.edges.target = {1, 2, 0, 1};
      graph.edges.value = {2, 1, 2, 1};
      const auto executor = gas_test::make_executor(1);
      gas::Lda program;
      program.topics = 4;
      program.words = 3;
      gas::Engine<gas::Lda> engine(
          comm, *executor,
          build(comm, graph, Cut::by_owner, static_cast<gas::Part>(comm.size()), 1,
                gas::Repeats::expand),
          program);
      engine.run({.iterations = 4});
      const auto totals = engine.last().data().values;
      return {static_cast<std::size_t>(std::accumulate(totals.begin(), totals.end(), 0L)),
              all_topics(comm, engine, 2)};
    });
    const Outcome merged = train({3, {{1, 1, 1, 2}, {0, 0}}},
                                 {.topics = 4, .rounds = 4, .ranks = ranks, .method = "range"});
    for (const Counts& result : results) {
      CHECK(result.first == 6);
      CHECK(result.second == merged.topic);
    }
  }
}

TEST_CASE("a token does not count for itself", "[lda]") {
  // A lone token's other topic is as likely as its own: all counts but its own are zero.
  const bool walks = GENERATE(false, true);
  const float beta = walks ? 0.01F : GENERATE(0.01F, 1e-20F);
  INFO("walks " << walks << ", beta " << beta);
  const auto changes = run_ranks<int>(1, [&](gas::Transport& comm) {
    const auto executor = gas_test::make_executor(1);
    gas::Lda program;
    program.topics = 2;
    program.words = 2;
    program.alpha = 10;
    program.beta = beta;
    program.walks = walks;
    gas::Engine<gas::Lda> engine(comm, *executor, lay_out(comm, {2, {{1}}}, "range"), program);
    int changed = 0;
    std::size_t before = gas::TopicCounts::none;
    engine.run({.iterations = 4001}, [&](const auto&) {
      engine.local_for_each_edge([&](gas::VertexId, gas::VertexId, const gas::Lda::Token& token) {
        if (before != gas::TopicCounts::none && token.topic != before) ++changed;
        before = token.topic;
      });
    });
    return changed;
  });
  // A walk leaves by its document's offer (always taken) unless its word's brings it back, or by
  // its word's. φ without the token is 1/2 in both topics, and 1.01/1.02 with it.
  const double own = 1.01 / 1.02, offered = 10.0 / (1 + 2 * 10), picked = 0.5 / (0.5 + own);
  const double leaves =
      walks ? (1 - offered) * picked + offered * (1 - (1 - picked) * 0.5 / own) : 0.5;
  for (const int changed : changes)
    CHECK(std::abs(changed - 4000 * leaves) < 5 * std::sqrt(4000 * leaves * (1 - leaves)));
}

TEST_CASE("a partition that splits documents is refused", "[lda]") {
  const TestGraph graph = random_graph(30, 10, 200, true, 2);
  CHECK_THROWS_AS(
      run_ranks<int>(2,
                     [&](gas::Transport& comm) {
                       const auto executor = gas_test::make_executor(1);
                       gas::Lda program;
                       program.words = 10;
                       gas::Engine<gas::Lda> engine(
                           comm, *executor,
                           build(comm, graph, Cut::by_other_end, 2, 1, gas::Repeats::expand),
                           program);
                       return 0;
                     }),
      gas::UsageError);
}

TEST_CASE("new documents are folded in with the topics fixed", "[lda][ranks]") {
  const Planted planted = planted_corpus(120, 90, 6, 40, 33);
  const auto [all, topics] = fold_in(planted.corpus, planted.phi, false, most_ranks());
  // The measure by its definition, of the topics drawn and the φ given.
  Estimates state = estimates(planted.corpus, topics, 6, 0.1, 0.01);
  state.phi = planted.phi;
  CHECK(all == Approx(mean_log_likelihood(planted.corpus, state)).epsilon(1e-5));
  // The words' own topics dominate, so nearly every token goes to the topic that owns its word.
  std::size_t at_owner = 0;
  for (std::size_t d = 0; d < topics.size(); ++d)
    for (std::size_t i = 0; i < topics[d].size(); ++i)
      if (topics[d][i] == planted.corpus.documents[d][i] * 6 / 90) ++at_owner;
  CHECK(static_cast<double>(at_owner) > 0.85 * static_cast<double>(planted.corpus.tokens()));
}

TEST_CASE("document completion scores the even tokens by the odd ones", "[lda][ranks]") {
  // One topic: θ = 1, so the score is the mean of log φ over the even tokens.
  const Planted one = planted_corpus(30, 20, 1, 7, 5);
  double expected = 0;
  int scored = 0;
  for (const auto& document : one.corpus.documents)
    for (std::size_t i = 1; i < document.size(); i += 2, ++scored)
      expected += std::log(one.phi[0][document[i]]);
  CHECK(fold_in(one.corpus, one.phi, true, most_ranks()).first ==
        Approx(expected / scored).epsilon(1e-5));

  // Six topics: worse than by all tokens, far better than by the words' frequencies; and the same
  // on any ranks.
  const Planted planted = planted_corpus(150, 90, 6, 40, 9);
  const auto [score, topics] = fold_in(planted.corpus, planted.phi, true, most_ranks(), "metis");
  const double all = fold_in(planted.corpus, planted.phi, false, most_ranks()).first;
  std::vector<double> frequency(90, 0);
  for (const auto& document : planted.corpus.documents)
    for (const std::uint64_t w : document) ++frequency[w];
  double unigram = 0;
  const auto tokens = static_cast<double>(planted.corpus.tokens());
  for (const double n : frequency)
    if (n > 0) unigram += n / tokens * std::log(n / tokens);
  CHECK(score < all);
  CHECK(score > unigram + 0.5);
  CHECK(fold_in(planted.corpus, planted.phi, true, 1).first == score);
  for (const auto& document : topics)
    for (std::size_t i = 0; i < document.size(); ++i)
      CHECK((document[i] == gas::TopicCounts::none) == (i % 2 == 1));
}

TEST_CASE("lda: a word of more tokens than a histogram counts to is refused", "[lda]") {
  gas::LocalGraph graph;
  graph.parameter.in_degree = {5, 0x7fffffff};
  CHECK_NOTHROW(gas::local_require_counts(graph));
  graph.parameter.in_degree.push_back(0x80000000U);
  CHECK_THROWS_WITH(gas::local_require_counts(graph),
                    "found 2147483648 tokens of one word, expected at most 2147483647");
}
