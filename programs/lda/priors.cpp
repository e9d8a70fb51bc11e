#include "programs/lda/priors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gas/base/rank_sums.hpp"

namespace gas {
namespace {

constexpr double least_prior = 1e-6, most_prior = 1e6;
constexpr double precision = 1e-5;
constexpr int most_steps = 200;
constexpr double unit = 0x1p24;  // sums are whole numbers of its inverse

/// The digamma function of x ≥ 64, to the last bit or so.
double digamma(double x) {
  const double y = 1 / (x * x);
  return std::log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y / 252));
}

/// How often each count occurs, for some rows of counts (topics, say).
class CountsOfCounts {
 public:
  explicit CountsOfCounts(std::size_t rows) : rows_(rows), small_(rows * few, 0) {}

  void add(std::size_t row, std::int64_t count) {
    if (count <= static_cast<std::int64_t>(few))
      ++small_[row * few + static_cast<std::size_t>(count) - 1];
    else
      large_.push_back({row, count});
  }

  /// By row Σ over its counts n of prior · (ψ(n + prior) − ψ(prior)), in units.
  std::vector<std::int64_t> sums(std::span<const double> priors) const {
    std::vector<std::int64_t> sums(rows_, 0);
    std::vector<double> of_few(rows_), digamma_of_few(rows_);
    for (std::size_t row = 0; row < rows_; ++row) {
      double sum = 0;
      for (std::size_t n = 0; n < few; ++n) {
        sum += priors[row] / (static_cast<double>(n) + priors[row]);
        if (small_[row * few + n] > 0)
          sums[row] += static_cast<std::int64_t>(small_[row * few + n]) * std::llrint(sum * unit);
      }
      of_few[row] = sum;
      digamma_of_few[row] = digamma(static_cast<double>(few) + priors[row]);
    }
    for (const auto& [row, count] : large_)
      sums[row] += std::llrint(
          (of_few[row] + priors[row] * (digamma(static_cast<double>(count) + priors[row]) -
                                        digamma_of_few[row])) *
          unit);
    return sums;
  }

 private:
  static constexpr std::size_t few = 64;
  struct Large {
    std::size_t row;
    std::int64_t count;
  };
  std::size_t rows_;
  std::vector<std::uint64_t> small_;  // of the counts 1 … few of each row
  std::vector<Large> large_;
};

std::vector<double> all_sums(Communicator& comm, std::vector<std::int64_t> sums) {
  add_ranks(comm, sums);
  return {sums.begin(), sums.end()};
}

/// A step's new value, and whether it is another.
bool moves(double& prior, double to) {
  const double before = prior;
  prior = std::clamp(to, least_prior, most_prior);
  return std::abs(prior - before) > precision * before;
}

void take_alpha(Communicator& comm, const EachDocument& each, std::vector<double>& alpha) {
  const std::size_t topics = alpha.size();
  CountsOfCounts by_topic(topics), lengths(1);
  each([&](std::span<const TopicTokens> document) {
    std::int64_t length = 0;
    for (const TopicTokens& tokens : document) {
      by_topic.add(tokens.topic, tokens.count);
      length += tokens.count;
    }
    lengths.add(0, length);
  });
  bool moved = true;
  for (int step = 0; moved && step < most_steps; ++step) {
    const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
    std::vector<std::int64_t> mine = by_topic.sums(alpha);
    mine.push_back(lengths.sums(std::span(&sum, 1))[0]);
    const std::vector<double> sums = all_sums(comm, std::move(mine));
    moved = false;
    if (sums.back() <= 0) return;  // no token
    for (std::size_t k = 0; k < topics; ++k)
      moved = moves(alpha[k], sums[k] * sum / sums.back()) || moved;
  }
}

void take_beta(Communicator& comm, const TokenCounts& words, double& beta) {
  CountsOfCounts by_word(1), by_topic(1);
  for (std::size_t w = 0; w < words.local_words(); ++w)
    for (const std::int32_t count : words.local_counts(w)) by_word.add(0, count);
  const std::vector<std::int64_t> of_topics = words.of_topics(comm);
  if (comm.rank() == 0)
    for (const std::int64_t count : of_topics)
      if (count > 0) by_topic.add(0, count);
  bool moved = true;
  for (int step = 0; moved && step < most_steps; ++step) {
    const double sum = static_cast<double>(words.words()) * beta;
    const std::vector<double> sums = all_sums(
        comm, {by_word.sums(std::span(&beta, 1))[0], by_topic.sums(std::span(&sum, 1))[0]});
    if (sums[1] <= 0) return;  // no token
    moved = moves(beta, sums[0] * beta / sums[1]);
  }
}

}  // namespace

void mixture(std::span<const TopicTokens> document, const LdaPriors& priors, std::span<float> out) {
  double length = 0;
  for (const TopicTokens& tokens : document) length += tokens.count;
  const double sum = length + priors.alpha_sum();
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(priors.alpha[k] / sum);
  for (const auto [topic, count] : document)
    out[topic] = static_cast<float>((count + priors.alpha[topic]) / sum);
}

double log_joint(Communicator& comm, const EachDocument& each, const TokenCounts& words,
                 const LdaPriors& priors) {
  const double alpha = priors.alpha_sum(), beta = priors.beta;
  double sum = 0;
  each([&](std::span<const TopicTokens> document) {
    double length = 0;
    for (const TopicTokens& tokens : document) {
      const double prior = priors.alpha[tokens.topic];
      sum += std::lgamma(tokens.count + prior) - std::lgamma(prior);
      length += tokens.count;
    }
    sum += std::lgamma(alpha) - std::lgamma(length + alpha);
  });
  for (std::size_t w = 0; w < words.local_words(); ++w)
    for (const std::int32_t count : words.local_counts(w))
      sum += std::lgamma(count + beta) - std::lgamma(beta);
  sum = all_sum(comm, sum);
  const double all_beta = static_cast<double>(words.words()) * beta;
  for (const std::int64_t count : words.of_topics(comm))
    sum += std::lgamma(all_beta) - std::lgamma(static_cast<double>(count) + all_beta);
  return sum;
}

LdaPriors likeliest_priors(Communicator& comm, const EachDocument& each, const TokenCounts& words,
                           LdaPriors priors) {
  take_alpha(comm, each, priors.alpha);
  take_beta(comm, words, priors.beta);
  return priors;
}

}  // namespace gas
