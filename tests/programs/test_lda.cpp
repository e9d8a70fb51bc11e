// Topic models as vertex programs: the same topics everywhere, every token kept, likelihoods by the
// definition, and a textbook sampler to compare with.
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>

#include "gas/base/error.hpp"
#include "partition/partition.hpp"
#include "programs/lda/fold_in.hpp"
#include "programs/lda/program.hpp"
#include "programs/lda/sparse/program.hpp"
#include "tests/programs/lda_oracle.hpp"
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

/// Priors of topics that differ, by share of 0.3: from 0.5 to 2.
gas::TopicShares shares_of(std::size_t topics) {
  std::vector<double> priors;
  for (std::size_t k = 0; k < topics; ++k) priors.push_back(0.5 + static_cast<double>(k * k % 4));
  return gas::TopicShares(priors);
}

TEST_CASE("a draw follows the exact distribution, without the token itself", "[lda]") {
  const bool alike = GENERATE(true, false);
  // 40 topics: three blocks, the last one short. 300: not all are looked at for a draw.
  for (const std::size_t topics : {std::size_t{40}, std::size_t{300}})
    for (const std::size_t z : {std::size_t{17}, std::size_t{20}, topics}) {  // topics: none yet
      INFO(topics << " topics, from topic " << z << ", alike " << alike);
      const gas::TopicShares shares = alike ? gas::TopicShares() : shares_of(topics);
      std::vector<std::int32_t> counts(topics, 0);
      counts[3] = 2, counts[17] = 1, counts[20] = 4, counts[39] = 1;
      std::vector<float> memory(gas::TopicRow::width(topics)), flat(memory.size());
      gas::TopicRow::write(
          memory, topics, [](std::size_t k) { return 0.01F * static_cast<float>(1 + k * 7 % 11); },
          shares);
      gas::TopicRow::write(
          flat, topics, [](std::size_t k) { return k == 20 ? 0.03F : 0.01F; }, shares);
      const gas::TopicRow row(memory, topics), first(flat, topics);
      // Two draws, of tokens of topics z and 3: the second's chances depend on the first's outcome.
      const auto chances = [&](const std::vector<double>& n, const gas::TopicRow& of,
                               std::size_t own, double kept) {
        std::vector<double> p(topics);
        double sum = 0;
        for (std::size_t k = 0; k < topics; ++k)
          sum += p[k] = (n[k] - (k == own ? 1 : 0) + 0.3 * static_cast<double>(shares.share(k))) *
                        static_cast<double>(of.weights[k]) * (k == own ? kept : 1);
        for (double& x : p) x /= sum;
        return p;
      };
      std::vector<double> n(counts.begin(), counts.end());
      const std::vector<double> once = chances(n, first, z, 0.7);
      std::vector<double> twice(topics, 0);
      if (z < topics) --n[z];
      for (std::size_t k = 0; k < topics; ++k) {
        ++n[k];
        const std::vector<double> then = chances(n, row, 3, 0.25);
        for (std::size_t l = 0; l < topics; ++l) twice[l] += once[k] * then[l];
        --n[k];
      }
      constexpr int draws = 200000;
      std::vector<double> drawn_once(topics, 0), drawn_twice(topics, 0);
      const gas::Random random(z + 5);
      gas::TopicCounts document;
      for (std::uint64_t i = 0; i < draws; ++i) {
        document.begin(counts, 0.3F, shares);
        const std::size_t k = z == topics ? document.draw_first(first, random.bits(2 * i))
                                          : document.draw_again(first, z, 0.7F, random.bits(2 * i));
        ++drawn_once[k];
        ++drawn_twice[document.draw_again(row, 3, 0.25F, random.bits(2 * i + 1))];
      }
      const auto chi_square = [&](const std::vector<double>& drawn, const std::vector<double>& p) {
        double chi = 0;
        for (std::size_t k = 0; k < topics; ++k) {
          const double mean = draws * p[k];
          chi += (drawn[k] - mean) * (drawn[k] - mean) / mean;
        }
        return chi;
      };
      const auto freedom = static_cast<double>(topics - 1);
      CHECK(chi_square(drawn_once, once) < freedom + 5 * std::sqrt(2 * freedom));
      CHECK(chi_square(drawn_twice, twice) < freedom + 5 * std::sqrt(2 * freedom));
    }
}

TEST_CASE("a word's picks are its weights' shares on average", "[lda]") {
  const bool alike = GENERATE(true, false);
  for (const std::size_t topics : {std::size_t{1}, std::size_t{20}, std::size_t{300}}) {
    std::vector<float> row(gas::TopicPicks::width(topics));
    const auto weight = [](std::size_t k) { return 0.01F * static_cast<float>(1 + k * k % 13); };
    const gas::TopicShares shares = alike ? gas::TopicShares() : shares_of(topics);
    gas::TopicRow::write(std::span(row).first(gas::TopicRow::width(topics)), topics, weight,
                         shares);
    std::vector<double> share(topics, 0), expected(topics, 0);
    constexpr int times = 1000;
    for (int i = 0; i < times; ++i) {
      gas::TopicPicks::write(row, topics, (static_cast<float>(i) + 0.5F) / times, shares);
      for (const float k : gas::TopicPicks::of(row)) ++share.at(static_cast<std::size_t>(k));
    }
    double sum = 0;
    for (std::size_t k = 0; k < topics; ++k) sum += static_cast<double>(weight(k));
    for (std::size_t k = 0; k < topics; ++k) {
      share[k] /= times * static_cast<double>(gas::TopicPicks::picks);
      CHECK(share[k] == Approx(static_cast<double>(weight(k)) / sum).margin(2e-4));
    }
  }
}

TEST_CASE("a word's list has its counts, and a table its picks and its sum", "[lda]") {
  const gas::Random random(3);
  std::vector<std::uint16_t> occurring;
  std::vector<gas::TopicList::Cell> list;  // keeps its memory, as a word's does
  std::uint64_t draw = 0;
  for (const std::size_t topics : {1U, 16U, 300U, 511U, 512U, 513U, 526U, 65535U})
    for (const std::size_t tokens : {0U, 1U, 7U, 100U, 5000U})
      for (const std::int32_t each : {1, 65535, 65536}) {
        CAPTURE(topics, tokens, each);
        std::vector<std::int32_t> counts(topics, 0);
        for (std::size_t i = 0; i < tokens; ++i) {
          std::int32_t& count = counts[random.bits(++draw) % topics];
          count = each == 1 ? count + 1 : each;
        }
        const std::size_t different =
            topics - static_cast<std::size_t>(std::ranges::count(counts, 0));
        const bool in_order = different <= 256 && (each <= 65535 || tokens == 0);
        REQUIRE(gas::TopicList::write_in_order(list, counts, occurring) == in_order);
        REQUIRE(occurring.size() == different);
        std::vector<float> row(gas::TopicPicks::width(topics));
        for (std::size_t i = 0; i < gas::TopicPicks::picks; ++i)
          row[row.size() - gas::TopicPicks::picks + i] =
              static_cast<float>(random.bits(++draw) % topics);
        if (!in_order || each == 65535)  // what could stand in order may stand in a table
          gas::TopicList::write_table(list, counts, row, 0.7F, occurring);
        const gas::TopicList found(list);
        REQUIRE(found.in_order() == (in_order && each != 65535));
        REQUIRE(found.holds());
        bool same = true;
        for (std::size_t k = 0; k < topics; ++k)
          same = same && found.count(k) == static_cast<std::uint32_t>(counts[k]);
        CHECK(same);
        CHECK(list.capacity() <= 3 * list.size());
        if (found.in_order()) {
          CHECK(list.size() <= std::max<std::size_t>(16, different + 15));
        } else {
          CHECK(found.total() == 0.7F);
          const auto picks = gas::TopicPicks::of(row);
          for (std::size_t i = 0; i < picks.size(); ++i)
            REQUIRE(found.pick(i) == static_cast<std::size_t>(picks[i]));
          if (each < 65536) CHECK(list.size() <= 33 + std::max<std::size_t>(1, 4 * different));
          CHECK(list.size() <= 36 + 2 * topics);
        }
        gas::TopicList::write_table(list, {}, row, 0.5F, occurring);
        CHECK_FALSE(gas::TopicList(list).holds());
        CHECK_FALSE(gas::TopicList(list).in_order());
        CHECK(gas::TopicList(list).total() == 0.5F);
      }
}

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

TEST_CASE("tables of counts give the topics that rows of weights give, bit for bit", "[lda]") {
  // Words of 4800 tokens, and of 100 that are kept from standing in order.
  const bool many = GENERATE(true, false);
  const Corpus corpus =
      many ? planted_corpus(60, 5, 3, 400, 3).corpus : planted_corpus(300, 120, 10, 40, 3).corpus;
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

/// Words of one list for all tokens, as LdaSparse has them.
struct OneList {
  struct Row {
    gas::TopicList list;
    float weight(std::size_t) const { return 0; }
    std::size_t pick(std::size_t) const { return 0; }
    void fetch(std::size_t) const {}
    void fetch_pick(std::size_t) const {}
    void fetch_all() const {}
  };
  gas::TopicList list;
  gas::ListDraws& lists;
  Row row(std::size_t) const { return {list}; }
  void fetch(std::size_t) const {}
  float left_of(std::size_t, float weight) const { return weight; }
  void changes(std::size_t k, float factor) { lists.changes(k, factor); }
  static bool draws(const Row&) { return true; }
  template <class Offer>
  std::size_t draw(const Row& row, std::size_t z, std::uint64_t bits, Offer offer) {
    return lists.draw(row.list, z, bits, offer);
  }
};

TEST_CASE("a draw from a list follows the exact distribution, without the token itself", "[lda]") {
  const bool alike = GENERATE(true, false);
  // A topic without a token in a small vocabulary: offers by the document are nearly all refused.
  const bool refused = GENERATE(false, true);
  CAPTURE(alike, refused);
  constexpr std::size_t topics = 40;
  const double alpha = 0.3, beta = 0.2, words = 10;
  const gas::TopicShares shares = alike ? gas::TopicShares() : shares_of(topics);
  const std::vector<std::uint16_t> before{3, 3, 0, 7, 38, 12};
  std::vector<std::int32_t> of_word(topics, 0), of_document(topics, 0);
  std::vector<float> inverse, without_one;
  std::vector<double> chance;
  for (const std::uint16_t k : before) ++of_document[k];
  double sum = 0;
  for (std::size_t k = 0; k < topics; ++k) {
    if (k % 3 == 0) of_word[k] = static_cast<std::int32_t>(1 + k % 5);
    const double tokens =
        refused ? (k == 38 ? 1.0 : 3000.0) : 50.0 + 30.0 * static_cast<double>(k % 4);
    const double n = tokens + words * beta, own = k == 3 ? 1 : 0;
    inverse.push_back(static_cast<float>(1 / n));
    without_one.push_back(static_cast<float>(n / (n - 1)));
    chance.push_back((of_document[k] - own + alpha * static_cast<double>(shares.share(k))) *
                     (of_word[k] - own + beta) / (n - own));
    sum += chance[k];
  }
  std::vector<gas::TopicList::Cell> cells;
  std::vector<std::uint16_t> occurring;
  REQUIRE(gas::TopicList::write_in_order(cells, of_word, occurring));
  gas::TopicWalk walk;
  gas::ListDraws lists;
  std::vector<double> seen(topics, 0);
  constexpr std::uint64_t times = 200000;
  for (std::uint64_t i = 0; i < times; ++i) {
    std::vector<gas::Lda::Token> token;
    for (const std::uint16_t k : before) token.push_back({k});
    walk.begin(of_document, static_cast<float>(alpha), shares);
    lists.begin(of_document, static_cast<float>(alpha), shares, static_cast<float>(beta), inverse,
                without_one);
    walk.step_by(std::span(token), OneList{gas::TopicList(cells), lists}, gas::Random(7).stream(i));
    ++seen.at(token[0].topic);
  }
  for (std::size_t k = 0; k < topics; ++k) {
    const double p = chance[k] / sum;
    INFO("topic " << k);
    CHECK(seen[k] / times == Approx(p).margin(5 * std::sqrt(p / times) + 1e-6));
  }
}

TEST_CASE("topics are drawn by their shares", "[lda]") {
  const std::vector<double> priors{0.2, 3, 0.001, 1, 0.8};
  const gas::TopicShares shares(priors);
  std::vector<double> drawn(5, 0);
  constexpr int times = 100000;  // evenly over all places
  for (int i = 0; i < times; ++i)
    ++drawn[shares.draw(5 * (static_cast<float>(i) + 0.5F) / static_cast<float>(times))];
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(drawn[k] / times == Approx(priors[k] / 5.001).margin(1e-4));
    CHECK(static_cast<double>(shares.share(k)) == Approx(priors[k] * 5 / 5.001));
  }
  CHECK(shares.draw(5) < 5);
}

TEST_CASE("walks have the exact distribution of a document's topics", "[lda]") {
  const bool alike = GENERATE(true, false);
  INFO("alike " << alike);
  // Three tokens of words with fixed rows, four topics: all 64 states, by the definition.
  constexpr std::size_t topics = 4, tokens = 3, words = 2;
  const double alpha = 0.4;
  const gas::TopicShares shares = alike ? gas::TopicShares() : shares_of(topics);
  const double weight[words][topics] = {{0.1, 0.4, 0.2, 0.05}, {0.3, 0.02, 0.1, 0.5}};
  const gas::LocalId word_of[tokens] = {0, 1, 1};
  std::vector<double> chance(64);
  double sum = 0;
  for (std::size_t state = 0; state < chance.size(); ++state) {
    double p = 1;
    std::array<int, topics> before{};
    for (std::size_t i = 0; i < tokens; ++i) {
      const std::size_t k = state >> (2 * i) & 3U;
      p *= weight[word_of[i]][k] * (before[k]++ + alpha * static_cast<double>(shares.share(k)));
    }
    sum += chance[state] = p;
  }
  std::vector<gas::Lda::Token> token(tokens);
  std::vector<float> rows(words * gas::TopicPicks::width(topics));
  gas::TopicWalk walk;
  std::vector<double> seen(chance.size(), 0);
  constexpr std::uint64_t sweeps = 400000;
  for (std::uint64_t sweep = 0; sweep <= sweeps; ++sweep) {
    const gas::Random random = gas::Random(7).stream(sweep);
    for (std::size_t w = 0; w < words; ++w) {
      const std::span row = std::span(rows)
                                .subspan(w * gas::TopicPicks::width(topics))
                                .first(gas::TopicPicks::width(topics));
      gas::TopicRow::write(
          row.first(gas::TopicRow::width(topics)), topics,
          [&](std::size_t k) { return static_cast<float>(weight[w][k]); }, shares);
      gas::TopicPicks::write(row, topics, random.uniform_float(tokens + w), shares);
    }
    const gas::EdgesView<gas::Lda::Token, float> edges(token.data(), nullptr, word_of, tokens, 0,
                                                       rows.data(), gas::TopicPicks::width(topics),
                                                       gas::TopicPicks::width(topics));
    std::vector<std::int32_t> counts(topics, 0);
    if (sweep > 0)
      for (const gas::Lda::Token t : token) ++counts[t.topic];
    walk.begin(counts, static_cast<float>(alpha), shares);
    if (sweep == 0) {
      walk.begin_at_random(edges, random);
      continue;
    }
    walk.step(edges, random, [](std::size_t, float left) { return left; });
    std::size_t state = 0;
    for (std::size_t i = 0; i < tokens; ++i) state |= std::size_t{token[i].topic} << (2 * i);
    ++seen[state];
  }
  // Neighbouring sweeps are not independent: the margin is some deviations of sweeps / 10 draws.
  for (std::size_t state = 0; state < chance.size(); ++state) {
    const double p = chance[state] / sum;
    INFO("state " << state);
    CHECK(seen[state] / sweeps == Approx(p).margin(5 * std::sqrt(p / (sweeps / 10))));
  }
}

TEST_CASE("every level of instructions draws the same", "[lda]") {
  std::uint32_t levels = 0;
  while (gas::draw_kernel_level(levels) != nullptr) ++levels;
  REQUIRE(levels >= 1);
  for (const std::uint32_t topics : {1U, 15U, 16U, 17U, 100U, 256U}) {
    INFO(topics << " topics");
    const std::uint32_t blocks = (topics + 15) / 16;
    std::vector<float> row(blocks * 16, 0.0F);
    std::vector<std::vector<std::uint32_t>> drawn(levels);
    for (std::uint32_t level = 0; level < levels; ++level) {
      alignas(64) float factor[256] = {};
      for (std::uint32_t k = 0; k < topics; ++k) factor[k] = 0.1F;
      gas::DrawCounts counts;
      counts.factor = factor;
      counts.things = topics;
      const gas::Draw draw = gas::draw_kernel_level(level)->draw[blocks - 1];
      std::vector<std::uint32_t> token(50);
      for (std::uint64_t i = 0; i < 5000; ++i) {
        const gas::Random random = gas::Random(topics).stream(i);
        for (std::uint32_t k = 0; k < topics; ++k)
          row[k] = k % 3 == i % 3 ? random.uniform_float(k + 1) : 0.001F;
        std::uint32_t& z = token[i % token.size()];
        const bool has_one = i >= token.size();
        z = draw(counts, row.data(), has_one ? z : 0, has_one ? 1.0F : 0.0F, has_one ? 0.9F : 1.0F,
                 random.bits(0));
        REQUIRE(z < topics);
        drawn[level].push_back(z);
      }
      // Whatever was drawn, the tokens' counts are what stands there.
      counts.settle();
      for (std::uint32_t k = 0; k < topics; ++k)
        CHECK(factor[k] ==
              Approx(0.1 + static_cast<double>(std::ranges::count(token, k))).margin(1e-3));
      CHECK(drawn[level] == drawn[0]);
    }
  }
}

TEST_CASE("every level of instructions draws the same from lists", "[lda]") {
  std::vector<float> by_topic(3001);
  for (std::size_t k = 0; k < 3000; ++k) by_topic[k] = gas::Random(1).uniform_float(k);
  for (std::uint32_t level = 1; gas::draw_kernel_level(level) != nullptr; ++level)
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const gas::Random random = gas::Random(2).stream(i);
      const auto size = 1 + static_cast<std::uint32_t>(random.below(256, 0));
      std::vector<std::uint32_t> cells((size + 15) / 16 * 16, 3000U << 16U);
      for (std::uint32_t c = 0; c < size; ++c)
        cells[c] = (c * 11) << 16U | static_cast<std::uint32_t>(1 + random.below(3, c + 1));
      const auto draw = [&](std::uint32_t at) {
        return gas::draw_kernel_level(at)->draw_listed(
            cells.data(), static_cast<std::uint32_t>(cells.size() / 16), by_topic.data(),
            static_cast<std::uint32_t>(11 * random.below(size, 500)),
            random.uniform_float(501) * 50, random.bits(502));
      };
      REQUIRE(draw(level) == draw(0));
    }
}

TEST_CASE("counts stay a document's own over many draws", "[lda]") {
  for (const std::size_t topics : {std::size_t{20}, std::size_t{300}}) {
    std::vector<std::int32_t> counts(topics, 0);
    std::vector<std::uint16_t> token(30);
    for (std::size_t i = 0; i < token.size(); ++i)
      ++counts[token[i] = static_cast<std::uint16_t>(i * i % topics)];
    std::vector<float> memory(gas::TopicRow::width(topics));
    gas::TopicRow::write(memory, topics, [](std::size_t k) { return k % 3 == 0 ? 0.5F : 0.001F; });
    const gas::TopicRow row(memory, topics);
    gas::TopicCounts document;
    document.begin(counts, 0.01F);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      std::uint16_t& z = token[i % token.size()];
      z = document.draw_again(row, z, 1, gas::Random(1).bits(i));
      double expected = 0;
      for (std::size_t k = 0; k < topics; ++k)
        expected += (0.01 + static_cast<double>(std::ranges::count(token, k))) *
                    static_cast<double>(row.weights[k]);
      if (i % 5 == 0) REQUIRE(document.likelihood(row) == Approx(expected).epsilon(1e-5));
    }
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
    CHECK(check({1, {{0}}}, 1).likelihoods.back() == Approx(0).margin(1e-6));
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
  INFO("walks " << walks);
  const auto changes = run_ranks<int>(1, [&](gas::Transport& comm) {
    const auto executor = gas_test::make_executor(1);
    gas::Lda program;
    program.topics = 2;
    program.words = 2;
    program.alpha = 10;
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
  CHECK_NOTHROW(gas::Lda::local_require_counts(graph));
  graph.parameter.in_degree.push_back(0x80000000U);
  CHECK_THROWS_WITH(gas::Lda::local_require_counts(graph),
                    "2147483648 tokens of one word, at most 2147483647 can be counted");
}
