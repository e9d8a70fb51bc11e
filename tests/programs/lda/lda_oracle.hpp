#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace gas_test {

/// Documents as lists of words, in order of words.
struct Corpus {
  std::uint64_t words = 0;
  std::vector<std::vector<std::uint64_t>> documents;

  std::uint64_t tokens() const {
    std::uint64_t sum = 0;
    for (const auto& document : documents) sum += document.size();
    return sum;
  }
};

/// A corpus drawn from topics of words of their own (plus a tenth of the mass anywhere), one to
/// three topics per document. `phi[k][w]` are the planted topics.
struct Planted {
  Corpus corpus;
  std::vector<std::vector<double>> phi;
};

inline Planted planted_corpus(std::size_t documents, std::size_t words, std::size_t topics,
                              std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  Planted planted;
  planted.corpus.words = words;
  for (std::size_t k = 0; k < topics; ++k) {
    std::vector<double> phi(words, 0.1 / static_cast<double>(words));
    const std::size_t first = words * k / topics, last = words * (k + 1) / topics;
    double sum = 0;
    for (std::size_t w = first; w < last; ++w) sum += 1.0 / static_cast<double>(w - first + 2);
    for (std::size_t w = first; w < last; ++w)
      phi[w] += 0.9 / static_cast<double>(w - first + 2) / sum;
    planted.phi.push_back(phi);
  }
  for (std::size_t d = 0; d < documents; ++d) {
    const std::size_t mix[] = {random() % topics, random() % topics, random() % topics};
    std::vector<std::uint64_t> document;
    for (std::size_t i = 0; i < length; ++i) {
      const auto& phi = planted.phi[mix[random() % (1 + d % 3)]];
      std::discrete_distribution<std::uint64_t> word(phi.begin(), phi.end());
      document.push_back(word(random));
    }
    std::sort(document.begin(), document.end());
    planted.corpus.documents.push_back(document);
  }
  return planted;
}

/// Counts and smoothed estimates of a state, by the definitions.
struct Estimates {
  std::vector<std::vector<double>> theta, phi;  // by document, topic; by topic, word
};

inline Estimates estimates(const Corpus& corpus, const std::vector<std::vector<std::size_t>>& topic,
                           std::size_t topics, double alpha, double beta) {
  std::vector<std::vector<double>> nd(corpus.documents.size(), std::vector<double>(topics, 0));
  std::vector<std::vector<double>> nw(topics, std::vector<double>(corpus.words, 0));
  std::vector<double> n(topics, 0);
  for (std::size_t d = 0; d < topic.size(); ++d)
    for (std::size_t i = 0; i < topic[d].size(); ++i) {
      ++nd[d][topic[d][i]];
      ++nw[topic[d][i]][corpus.documents[d][i]];
      ++n[topic[d][i]];
    }
  const auto k_alpha = static_cast<double>(topics) * alpha;
  const auto v_beta = static_cast<double>(corpus.words) * beta;
  for (std::size_t d = 0; d < nd.size(); ++d)
    for (double& x : nd[d])
      x = (x + alpha) / (static_cast<double>(corpus.documents[d].size()) + k_alpha);
  for (std::size_t k = 0; k < topics; ++k)
    for (double& x : nw[k]) x = (x + beta) / (n[k] + v_beta);
  return {nd, nw};
}

/// Mean over tokens of log Σ_k θ_dk φ_kw.
inline double mean_log_likelihood(const Corpus& corpus, const Estimates& state) {
  double sum = 0;
  for (std::size_t d = 0; d < corpus.documents.size(); ++d)
    for (const std::uint64_t w : corpus.documents[d]) {
      double p = 0;
      for (std::size_t k = 0; k < state.phi.size(); ++k) p += state.theta[d][k] * state.phi[k][w];
      sum += std::log(p);
    }
  return sum / static_cast<double>(corpus.tokens());
}

/// Textbook collapsed Gibbs sampling, all counts always up to date; topic by document and token.
inline std::vector<std::vector<std::size_t>> serial_gibbs(const Corpus& corpus, std::size_t topics,
                                                          double alpha, double beta, int sweeps,
                                                          unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t documents = corpus.documents.size();
  std::vector<std::vector<std::size_t>> topic(documents);
  std::vector<std::vector<int>> nd(documents, std::vector<int>(topics, 0));
  std::vector<std::vector<int>> nw(corpus.words, std::vector<int>(topics, 0));
  std::vector<int> n(topics, 0);
  const auto count = [&](std::size_t d, std::size_t i, int by) {
    const std::size_t k = topic[d][i];
    nd[d][k] += by;
    nw[corpus.documents[d][i]][k] += by;
    n[k] += by;
  };
  for (std::size_t d = 0; d < documents; ++d)
    for (std::size_t i = 0; i < corpus.documents[d].size(); ++i) {
      topic[d].push_back(random() % topics);
      count(d, i, 1);
    }
  std::vector<double> p(topics);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t d = 0; d < documents; ++d)
      for (std::size_t i = 0; i < topic[d].size(); ++i) {
        count(d, i, -1);
        for (std::size_t k = 0; k < topics; ++k)
          p[k] = (nd[d][k] + alpha) * (nw[corpus.documents[d][i]][k] + beta) /
                 (n[k] + static_cast<double>(corpus.words) * beta);
        topic[d][i] = std::discrete_distribution<std::size_t>(p.begin(), p.end())(random);
        count(d, i, 1);
      }
  return topic;
}

}  // namespace gas_test
