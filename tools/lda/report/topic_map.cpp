#include "tools/lda/report/topic_map.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gas/base/rank_sums.hpp"

namespace gas::tools {
namespace {

constexpr double most_logarithms = 1e8;

/// The share from which on a word is looked at by itself, so that these are about as many.
double least_share(Communicator& comm, std::span<const double> shares, std::uint64_t count,
                   std::uint64_t words) {
  if (count >= words) return 0;
  std::vector<double> largest(shares.begin(), shares.end());
  const std::size_t mine = std::min<std::size_t>(largest.size(), count);
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(mine),
                    largest.end(), std::greater<>());
  largest.resize(mine);
  std::vector<double> all = whole(comm, largest);
  if (all.size() < count) return 0;
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(all.begin(), last, all.end(), std::greater<>());
  return *last;
}

double p_log_p(double p) { return p > 0 ? p * std::log2(p) : 0; }

/// Σ over words of (p log p + q log q) / 2 − m log m of all pairs of topics, m = (p + q) / 2.
class Divergences {
 public:
  explicit Divergences(std::size_t topics)
      : topics_(topics), own_(topics), sums_(topics * topics, 0) {}

  void add(std::span<const double> shares) {
    for (std::size_t a = 0; a < topics_; ++a) own_[a] = p_log_p(shares[a]) / 2;
    for (std::size_t a = 0; a < topics_; ++a)
      for (std::size_t b = 0; b < a; ++b)
        sums_[a * topics_ + b] += own_[a] + own_[b] - p_log_p((shares[a] + shares[b]) / 2);
  }
  std::vector<double>& sums() { return sums_; }

 private:
  std::size_t topics_;
  std::vector<double> own_, sums_;
};

}  // namespace

TopicDistances topic_distances(Communicator& comm, const TopicWords& phi,
                               std::span<const std::size_t> topics,
                               std::span<const double> word_shares) {
  const std::size_t n = topics.size();
  const auto pairs = static_cast<double>(std::max<std::size_t>(1, n * n / 2));
  TopicDistances distances{
      std::vector<double>(n * n, 0),
      std::min(phi.words(), static_cast<std::uint64_t>(most_logarithms / pairs))};
  const double least = least_share(comm, word_shares, distances.words, phi.words());
  Divergences divergences(n);
  std::vector<double> shares(n), rest(n, 0);
  for (std::size_t w = 0; w < word_shares.size(); ++w) {
    for (std::size_t a = 0; a < n; ++a) shares[a] = phi.local_weight(w, topics[a]);
    if (word_shares[w] >= least)
      divergences.add(shares);
    else
      for (std::size_t a = 0; a < n; ++a) rest[a] += shares[a];
  }
  add_ranks(comm, rest);
  if (comm.rank() == 0) divergences.add(rest);
  std::vector<double>& sums = divergences.sums();
  add_ranks(comm, sums);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      distances.values[a * n + b] = distances.values[b * n + a] =
          std::sqrt(std::clamp(sums[a * n + b], 0.0, 1.0));
  return distances;
}

std::vector<std::array<double, 2>> classical_scaling(std::span<const double> distances,
                                                     std::size_t n) {
  std::vector<std::array<double, 2>> places(n, {0, 0});
  if (n < 2) return places;
  const auto size = static_cast<Eigen::Index>(n);
  const Eigen::MatrixXd squared =
      Eigen::Map<const Eigen::MatrixXd>(distances.data(), size, size).array().square();
  const Eigen::MatrixXd centring = Eigen::MatrixXd::Identity(size, size) -
                                   Eigen::MatrixXd::Constant(size, size, 1.0 / double(n));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(-0.5 * centring * squared * centring);
  for (const Eigen::Index axis : {0, 1}) {
    const Eigen::Index column = size - 1 - axis;  // eigenvalues ascend
    Eigen::VectorXd along =
        solved.eigenvectors().col(column) * std::sqrt(std::max(0.0, solved.eigenvalues()(column)));
    Eigen::Index farthest = 0;
    along.cwiseAbs().maxCoeff(&farthest);
    if (along(farthest) < 0) along = -along;  // of the two, always the same
    for (Eigen::Index i = 0; i < size; ++i)
      places[static_cast<std::size_t>(i)][static_cast<std::size_t>(axis)] = along(i);
  }
  return places;
}

}  // namespace gas::tools
