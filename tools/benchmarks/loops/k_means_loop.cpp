// A round of Lloyd's k-means by blocked matrix products, as one would write it by hand with Eigen
// (whose namespace is renamed by the build, so that the two variants do not share code).
#include "tools/benchmarks/loops/k_means_loop.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <utility>

namespace gas::bench::GAS_BENCH_VARIANT {

void k_means_round(const PointRows& p, LloydState& s, int threads) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto k = static_cast<Eigen::Index>(s.k), d = static_cast<Eigen::Index>(p.dimensions);
  const Eigen::Map<const Rows> centroids(s.centroids.data(), k, d);
  const Eigen::VectorXf norms = centroids.rowwise().squaredNorm();
  double objective = 0;
  s.sums.resize(s.k * (p.dimensions + 1));
#pragma omp parallel num_threads(threads) reduction(+ : objective)
  {
    std::vector<double> sums(s.sums.size());
    Eigen::MatrixXf scores;
#pragma omp for schedule(dynamic)
    for (std::size_t first = 0; first < p.count; first += 256) {
      const std::size_t many = std::min<std::size_t>(256, p.count - first);
      const Eigen::Map<const Rows> x(p.values + first * p.dimensions, Eigen::Index(many), d);
      scores.noalias() = centroids * x.transpose();
      for (std::size_t i = 0; i < many; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        Eigen::Index now = 0;
        const float least = (norms - 2 * scores.col(row)).minCoeff(&now);
        objective += least + x.row(row).squaredNorm();
        const std::uint32_t before = std::exchange(s.nearest[first + i], std::uint32_t(now));
        if (before == s.nearest[first + i]) continue;
        for (const auto& [to, sign] : {std::pair{before, -1.0}, {std::uint32_t(now), 1.0}}) {
          if (to == s.k) continue;
          double* const sum = &sums[to * (p.dimensions + 1)];
          for (std::size_t j = 0; j < p.dimensions; ++j)
            sum[j] += sign * p.values[(first + i) * p.dimensions + j];
          sum[p.dimensions] += sign;
        }
      }
    }
#pragma omp critical
    for (std::size_t i = 0; i < s.sums.size(); ++i) s.sums[i] += sums[i];
  }
  s.objective = objective;
  for (std::size_t c = 0; c < s.k; ++c)
    if (const double* const sum = &s.sums[c * (p.dimensions + 1)]; sum[p.dimensions] > 0)
      for (std::size_t j = 0; j < p.dimensions; ++j)
        s.centroids[c * p.dimensions + j] = float(sum[j] / sum[p.dimensions]);
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
