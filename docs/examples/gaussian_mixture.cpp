// A mixture of Gaussians with diagonal covariances, by expectation maximisation.
//
//     mpirun -n 4 gaussian_mixture COORDINATES COMPONENTS
//
// reads lines `point dimension value`, and prints per point its likeliest component and its share.
#include <fmt/format.h>

#include "gas/eigen.hpp"
#include "gas/gas.hpp"
#include "programs/calls/matrix.hpp"

/// Points by dimensions; an edge is a coordinate. A dimension publishes the mean and the variance
/// of each component; a point adds up its log density under each, and publishes its shares, of sum
/// 1. The weights are a Summary, which ranks must see alike: it stands staleness 0 only.
struct Mixture {
  std::size_t k = 2;  // components
  struct Point {
    Eigen::Index component = 0;  // the likeliest
    double share = 0;            // of the point that belongs there
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = gas::VectorSum<double>;
  };
  struct Dimension {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;          // all means, all variances
    struct Accumulator : gas::VectorSum<double> {  // all Σ share, all Σ share x, all Σ share x²
      using VectorSum::VectorSum;
    };
  };
  using Data = Point;
  using Parameter = Dimension;
  using Edge = float;
  using Summary = gas::VectorSum<double>;  // of the points: Σ share
  std::size_t width(auto) const { return k; }
  std::size_t width(gas::PublishedOf<Dimension>) const { return 2 * k; }
  std::size_t width(gas::AccumulatorOf<Dimension>) const { return 3 * k; }
  void init(auto&, gas::RowView<double> out, auto&) const { std::ranges::fill(out, 1.0); }
  void gather(gas::VectorSum<double>& log, gas::RowView<const double> dimension, float x) const {
    const auto mean = gas::as_vector(dimension.first(k)).array();
    const auto variance = gas::as_vector(dimension.last(k)).array();
    gas::as_vector(log).array() -= ((x - mean).square() / variance + variance.log()) / 2;
  }
  void gather(Dimension::Accumulator& sums, gas::RowView<const double> shares, float x) const {
    gas::as_matrix(sums, k, 3) += gas::as_vector(shares) * Eigen::RowVector3d(1, x, x * x);
  }
  void apply(Point& point, gas::VectorSum<double>& log, gas::RowView<double> out, auto& v) const {
    auto shares = gas::as_vector(out).array();
    shares = gas::as_vector(log).array() + (gas::as_vector(v.last().data()).array() + 1).log();
    shares = (shares - shares.maxCoeff()).exp();
    if (v.round() == 1)  // all components are alike: begin at random
      for (std::size_t c = 0; c < out.size(); ++c) out[c] = v.random().uniform(c);
    gas::as_vector(v.summary()).array() += shares /= shares.sum();
    point.share = shares.maxCoeff(&point.component);
  }
  void apply(Dimension&, Dimension::Accumulator& sums, gas::RowView<double> out, auto&) const {
    const auto moments = gas::as_matrix(sums, k, 3).array();
    const Eigen::ArrayXd mean = moments.col(1) / moments.col(0);
    gas::as_vector(out).array() << mean, moments.col(2) / moments.col(0) - mean.square() + 1e-6;
  }
};

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    const gas::Context context(ranks);
    const auto points = gas::Matrix::load(context, argc > 1 ? argv[1] : "-");
    const Mixture mixture{.k = argc > 2 ? std::stoul(argv[2]) : 2};
    gas::Engine engine(context, points.laid_out(context).graph, mixture);
    engine.run({.iterations = 100});
    const auto found = gas::whole(ranks, engine.by_id<Mixture::Point>([](auto& p) { return p; }));
    points.row_ids().for_each(ranks, found, [](std::string_view id, const Mixture::Point& point) {
      fmt::print("{} {} {:.6f}\n", id, point.component, point.share);
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
