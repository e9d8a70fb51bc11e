// Draws of topics, walks and what words publish for them, each against its exact distribution or
// the counts themselves.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "programs/lda/program.hpp"
#include "programs/lda/sparse/program.hpp"

namespace {

/// Priors of topics that differ, by share of 0.3: from 0.5 to 2.
gas::TopicShares shares_of(std::size_t topics) {
  std::vector<double> priors;
  for (std::size_t k = 0; k < topics; ++k) priors.push_back(0.5 + static_cast<double>(k * k % 4));
  return gas::TopicShares(priors);
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
  static constexpr bool may_draw = true;
  void changes(std::size_t k, float factor) { lists.changes(k, factor); }
  static bool draws(const Row&) { return true; }
  template <class Offer>
  std::size_t draw(const Row& row, std::size_t z, std::uint64_t bits, Offer offer) {
    return lists.draw(row.list, z, bits, offer);
  }
  template <class Offer>
  std::size_t draw_first(const Row& row, std::uint64_t bits, Offer offer) {
    return lists.draw_first(row.list, bits, offer);
  }
};

/// A word with 1 to 5 tokens of every third topic, whose topics stand in order; tokens(k) are of
/// topic k in all.
struct ListedWord {
  static constexpr double beta = 0.2, words = 10;
  std::vector<std::int32_t> counts;
  std::vector<double> sums;  // n_k + Vβ
  std::vector<float> inverse, without_one;
  std::vector<gas::TopicList::Cell> cells;
  gas::ListPriors priors;

  template <class Tokens>
  ListedWord(std::size_t topics, Tokens tokens) : counts(topics, 0) {
    for (std::size_t k = 0; k < topics; ++k) {
      if (k % 3 == 0) counts[k] = static_cast<std::int32_t>(1 + k % 5);
      const double n = tokens(k) + words * beta;
      sums.push_back(n);
      inverse.push_back(static_cast<float>(1 / n));
      without_one.push_back(static_cast<float>(n / (n - 1)));
    }
    std::vector<std::uint16_t> occurring;
    gas::TopicList::find(counts, occurring);
    REQUIRE(gas::TopicList::write_in_order(cells, counts, occurring));
  }

  void begin(gas::TopicWalk& walk, gas::ListDraws& lists, std::span<const std::int32_t> document,
             double alpha, const gas::TopicShares& shares) {
    walk.begin(document, static_cast<float>(alpha), shares);
    priors = {inverse, without_one, shares, static_cast<float>(alpha), static_cast<float>(beta)};
    priors.add_up();
    lists.begin(document, priors);
  }
  OneList words_of(gas::ListDraws& lists) const { return {gas::TopicList(cells), lists}; }
};

}  // namespace

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
        gas::TopicList::find(counts, occurring);
        REQUIRE(occurring.size() == different);
        REQUIRE(gas::TopicList::write_in_order(list, counts, occurring) == in_order);
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
        gas::TopicList::write_none(list, topics, 0.5F, 0.75);
        const gas::TopicList none(list);
        CHECK_FALSE(none.holds());
        CHECK_FALSE(none.in_order());
        CHECK(none.total() == 0.5F);
        for (std::size_t i = 0; i < gas::TopicPicks::picks; ++i)
          REQUIRE(none.pick(i) == (4 * i + 3) * topics / (4 * gas::TopicPicks::picks));
      }
}

TEST_CASE("a draw from a list follows the exact distribution, without the token itself", "[lda]") {
  const bool alike = GENERATE(true, false);
  // A topic without a token in a small vocabulary: offers by the document are nearly all refused.
  const bool refused = GENERATE(false, true);
  CAPTURE(alike, refused);
  constexpr std::size_t topics = 40;
  const double alpha = 0.3;
  const gas::TopicShares shares = alike ? gas::TopicShares() : shares_of(topics);
  const std::vector<std::uint16_t> before{3, 3, 0, 7, 38, 12};
  ListedWord word(topics, [&](std::size_t k) {
    return refused ? (k == 38 ? 1.0 : 3000.0) : 50.0 + 30.0 * static_cast<double>(k % 4);
  });
  std::vector<std::int32_t> of_document(topics, 0);
  std::vector<double> chance;
  for (const std::uint16_t k : before) ++of_document[k];
  double sum = 0;
  for (std::size_t k = 0; k < topics; ++k) {
    const double own = k == 3 ? 1 : 0;
    chance.push_back((of_document[k] - own + alpha * static_cast<double>(shares.share(k))) *
                     (word.counts[k] - own + word.beta) / (word.sums[k] - own));
    sum += chance[k];
  }
  gas::TopicWalk walk;
  gas::ListDraws lists;
  std::vector<double> seen(topics, 0);
  constexpr std::uint64_t times = 200000;
  for (std::uint64_t i = 0; i < times; ++i) {
    std::vector<gas::Lda::Token> token;
    for (const std::uint16_t k : before) token.push_back({k});
    word.begin(walk, lists, of_document, alpha, shares);
    walk.step_by(std::span(token), word.words_of(lists), gas::Random(7).stream(i));
    ++seen.at(token[0].topic);
  }
  for (std::size_t k = 0; k < topics; ++k) {
    const double p = chance[k] / sum;
    INFO("topic " << k);
    CHECK(seen[k] / times == Approx(p).margin(5 * std::sqrt(p / times) + 1e-6));
  }
}

TEST_CASE("a document joins token by token, then draws each token again in each pass", "[lda]") {
  const bool alike = GENERATE(true, false);
  CAPTURE(alike);
  constexpr std::size_t topics = 20;
  const double alpha = 0.3;
  const gas::TopicShares shares = alike ? gas::TopicShares() : shares_of(topics);
  ListedWord word(topics, [](std::size_t k) { return 50.0 + 30.0 * static_cast<double>(k % 4); });
  std::vector<double> weight, prior;
  for (std::size_t k = 0; k < topics; ++k) {
    weight.push_back((word.counts[k] + word.beta) / word.sums[k]);
    prior.push_back(alpha * static_cast<double>(shares.share(k)));
  }
  // p[a][b]: of the first token's topic a and the second's b. Each is drawn given the other.
  const auto given = [&](std::size_t other) {
    std::vector<double> p;
    for (std::size_t k = 0; k < topics; ++k)
      p.push_back(weight[k] * (prior[k] + (k == other ? 1 : 0)));
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
    return p;
  };
  using Table = std::vector<std::vector<double>>;
  Table p(topics);
  const std::vector<double> alone = given(topics);
  for (std::size_t a = 0; a < topics; ++a)
    for (const double b : given(a)) p[a].push_back(alone[a] * b);
  for (std::size_t pass = 1; pass < gas::TopicWalk::passes_to_join; ++pass) {
    Table first(topics, std::vector<double>(topics)), second = first;
    for (std::size_t b = 0; b < topics; ++b) {
      double of_b = 0;
      for (std::size_t a = 0; a < topics; ++a) of_b += p[a][b];
      const std::vector<double> drawn = given(b);
      for (std::size_t a = 0; a < topics; ++a) first[a][b] = of_b * drawn[a];
    }
    for (std::size_t a = 0; a < topics; ++a) {
      const double of_a = std::accumulate(first[a].begin(), first[a].end(), 0.0);
      const std::vector<double> drawn = given(a);
      for (std::size_t b = 0; b < topics; ++b) second[a][b] = of_a * drawn[b];
    }
    p = second;
  }
  std::vector<double> chance(topics, 0);
  for (std::size_t a = 0; a < topics; ++a)
    for (std::size_t b = 0; b < topics; ++b) chance[b] += p[a][b];
  gas::TopicWalk walk;
  gas::ListDraws lists;
  std::vector<double> seen(topics, 0);
  constexpr std::uint64_t times = 200000;
  const std::vector<std::int32_t> none(topics, 0);
  for (std::uint64_t i = 0; i < times; ++i) {
    std::vector<gas::Lda::Token> token(2);
    word.begin(walk, lists, none, alpha, shares);
    walk.join_by(std::span(token), word.words_of(lists), gas::Random(7).stream(i));
    ++seen.at(token[1].topic);
  }
  for (std::size_t k = 0; k < topics; ++k) {
    INFO("topic " << k);
    CHECK(seen[k] / times == Approx(chance[k]).margin(5 * std::sqrt(chance[k] / times) + 1e-6));
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
      gas::draw_first_topics(edges, topics, static_cast<float>(alpha), shares, random);
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

TEST_CASE("first topics are those of an urn of the priors", "[lda]") {
  constexpr std::size_t topics = 4, tokens = 300, documents = 20000;
  const double alpha = GENERATE(0.05, 0.5);
  const gas::TopicShares by_topic = shares_of(topics), all_alike;
  for (const gas::TopicShares& shares : {by_topic, all_alike}) {
    INFO("alike " << shares.alike() << ", prior " << alpha);
    std::vector<double> first(topics, 0);
    double changes = 0;
    std::vector<gas::Lda::Token> token(tokens);
    const gas::EdgesView<gas::Lda::Token, float> edges(token.data(), nullptr, nullptr, tokens, 0,
                                                       nullptr, 0, 0);
    for (std::uint64_t d = 0; d < documents; ++d) {
      gas::draw_first_topics(edges, topics, static_cast<float>(alpha), shares,
                             gas::Random(3).stream(d));
      ++first[token[0].topic];
      for (std::size_t i = 1; i < tokens; ++i) changes += token[i].topic != token[0].topic ? 1 : 0;
    }
    // Two tokens of a Pólya urn have topics of their own with probability s / (s + 1), s the sum of
    // the priors; and these differ unless they happen to be the same.
    double same = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      const double p = static_cast<double>(shares.share(k)) / topics;
      CHECK(first[k] / documents == Approx(p).margin(5 * std::sqrt(p / documents)));
      same += p * p;
    }
    const double sum = topics * alpha;
    CHECK(changes / (documents * (tokens - 1.0)) ==
          Approx(sum / (sum + 1) * (1 - same)).epsilon(0.02));
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
