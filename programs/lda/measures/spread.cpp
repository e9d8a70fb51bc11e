#include "programs/lda/measures/spread.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>

namespace gas {
namespace {

constexpr std::size_t most_topics = 4096;
// Singular values are the roots of eigenvalues, of which rounding leaves this share.
constexpr double least_share = 1e-7;

using Matrix = Eigen::MatrixXd;

/// φ φᵀ, its lower half, on rank 0.
Matrix products(Communicator& comm, const TopicWords& phi) {
  const auto topics = static_cast<Eigen::Index>(phi.topics());
  Matrix sum = Matrix::Zero(topics, topics);
  constexpr std::size_t words = 512;
  std::vector<float> row(phi.topics());
  for (std::size_t first = 0; first < phi.local_words(); first += words) {
    Matrix some(topics, std::min(words, phi.local_words() - first));
    for (Eigen::Index w = 0; w < some.cols(); ++w) {
      phi.local_row(first + static_cast<std::size_t>(w), row);
      some.col(w) = Eigen::Map<const Eigen::VectorXf>(row.data(), topics).cast<double>();
    }
    sum.selfadjointView<Eigen::Lower>().rankUpdate(some);
  }
  // Rank 0 adds the others' up, some columns at a time.
  const auto columns = std::max<Eigen::Index>(1, (Eigen::Index{1} << 18) / topics);
  for (Eigen::Index first = 0; comm.size() > 1 && first < topics; first += columns) {
    const Eigen::Index count = std::min(columns, topics - first);
    const std::span<const double> some(sum.data() + first * topics,
                                       static_cast<std::size_t>(count * topics));
    const auto ranks = gather(comm, some);
    for (std::size_t rank = 1; comm.rank() == 0 && rank < ranks.size(); ++rank)
      sum.middleCols(first, count) += Eigen::Map<const Matrix>(ranks[rank].data(), topics, count);
  }
  return sum;
}

double mean_cosine(const Matrix& lower) {
  double sum = 0;
  const Eigen::Index topics = lower.rows();
  for (Eigen::Index a = 1; a < topics; ++a)
    for (Eigen::Index b = 0; b < a; ++b) sum += lower(a, b) / std::sqrt(lower(a, a) * lower(b, b));
  return sum / (static_cast<double>(topics) * static_cast<double>(topics - 1) / 2);
}

/// In falling order, of sum 1.
std::vector<double> shares(std::vector<double> values) {
  std::ranges::sort(values, std::greater<>());
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
  return values;
}

std::optional<double> divergence(const Matrix& lower, std::span<const double> tokens) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(lower, Eigen::EigenvaluesOnly);
  std::vector<double> singular;
  for (const double value : solved.eigenvalues())
    singular.push_back(std::sqrt(std::max(0.0, value)));
  if (singular.front() <= least_share * singular.back()) return std::nullopt;
  const std::vector<double> p = shares(singular), q = shares({tokens.begin(), tokens.end()});
  if (!(q.back() > 0)) return std::nullopt;
  double sum = 0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += (p[k] - q[k]) * std::log(p[k] / q[k]);
  return sum;
}

}  // namespace

TopicSpread spread(Communicator& comm, const TopicWords& phi, std::span<const double> tokens) {
  if (phi.topics() < 2 || phi.topics() > most_topics || phi.words() == 0) return {};
  const Matrix lower = products(comm, phi);
  TopicSpread found;
  if (comm.rank() == 0) found = {mean_cosine(lower), divergence(lower, tokens)};
  const double told[] = {found.cao_juan.value_or(NAN), found.arun.value_or(NAN)};
  const std::vector<double> all = broadcast(comm, std::span<const double>(told));
  if (std::isfinite(all[0])) found.cao_juan = all[0];
  if (std::isfinite(all[1])) found.arun = all[1];
  return found;
}

}  // namespace gas
