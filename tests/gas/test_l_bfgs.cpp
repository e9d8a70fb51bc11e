#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "gas/l_bfgs.hpp"

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using gas::l_bfgs;
using gas::Lbfgs;
using gas::LbfgsOptions;

namespace {

/// Σ 100 (x_{i+1} − x_i²)² + (1 − x_i)², least at 1, 1, …: a bent valley.
double rosenbrock(const VectorXd& x, VectorXd& gradient) {
  double sum = 0;
  gradient.setZero();
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double bend = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
    sum += 100 * bend * bend + rest * rest;
    gradient[i] += -400 * x[i] * bend - 2 * rest;
    gradient[i + 1] += 200 * bend;
  }
  return sum;
}

/// A symmetric matrix with eigenvalues from 1 to `condition`.
MatrixXd matrix(Index n, double condition) {
  std::mt19937 draw(3);
  std::normal_distribution<double> normal;
  const MatrixXd noise = MatrixXd::NullaryExpr(n, n, [&] { return normal(draw); });
  const MatrixXd q = Eigen::HouseholderQR<MatrixXd>(noise).householderQ();
  const VectorXd values = VectorXd::LinSpaced(n, 0, std::log(condition)).array().exp();
  return q * values.asDiagonal() * q.transpose();
}

}  // namespace

TEST_CASE("L-BFGS finds the minimum of a bent valley", "[l_bfgs]") {
  for (const std::size_t memory : {1U, 3U, 10U}) {
    VectorXd start(10);
    for (Index i = 0; i < 10; ++i) start[i] = i % 2 == 0 ? -1.2 : 1;
    const Lbfgs found = l_bfgs(rosenbrock, start, {.tolerance = 1e-8, .memory = memory});
    INFO("memory " << memory << ", " << found.evaluations() << " evaluations");
    CHECK(found.converged());
    CHECK((found.point() - VectorXd::Ones(10)).norm() < 1e-7);
    CHECK(found.evaluations() < 500);
  }
}

TEST_CASE("L-BFGS solves a linear system to rounding, as a factorisation does", "[l_bfgs]") {
  const MatrixXd a = matrix(30, 1e4);
  const VectorXd b = VectorXd::LinSpaced(30, -1, 2);
  const auto f = [&](const VectorXd& x, VectorXd& gradient) {
    gradient = a * x - b;
    return 0.5 * x.dot(gradient - b);
  };
  const VectorXd expected = a.ldlt().solve(b);
  const Lbfgs found = l_bfgs(f, VectorXd::Zero(30), {.tolerance = 1e-9});
  CHECK(found.converged());
  CHECK((found.point() - expected).norm() < 1e-8 * expected.norm());
  const Lbfgs further = l_bfgs(f, VectorXd::Zero(30), {.tolerance = 0});  // ends by itself
  CHECK(further.done());
  CHECK((a * further.point() - b).norm() < 1e-9);
}

TEST_CASE("L-BFGS: each step keeps the Wolfe conditions, and the last values only rounding",
          "[l_bfgs]") {
  const VectorXd start = VectorXd::LinSpaced(6, -4, 5);
  Lbfgs search(start);
  VectorXd gradient(6), before_x = start, before_gradient(6);
  double before = 0;
  for (std::uint64_t steps = 0; !search.done();) {
    const VectorXd x = search.point();
    const double value = rosenbrock(x, gradient);
    search.tell(value, gradient);
    const bool first = search.evaluations() == 1;
    if (!first && search.iterations() == steps) continue;  // a trial that was not taken
    if (!first) {
      const VectorXd step = x - before_x;
      const double slope = before_gradient.dot(step);
      CHECK(value <= before + 1e-4 * slope + 1e-12 * std::abs(before));
      CHECK(std::abs(gradient.dot(step)) <= 0.9 * std::abs(slope) * (1 + 1e-12));
      CHECK(search.value() == value);
    }
    steps = search.iterations();
    before = value, before_x = x, before_gradient = gradient;
  }
  CHECK(search.converged());
}

TEST_CASE("L-BFGS goes around where the function is not finite", "[l_bfgs]") {
  const auto f = [](const VectorXd& x, VectorXd& gradient) {  // −log x + x, of positive numbers
    gradient = 1 - x.array().inverse();
    return (x.array() - x.array().log()).sum();
  };
  const Lbfgs found = l_bfgs(f, VectorXd::Constant(3, 1e-3), {.tolerance = 1e-10});
  CHECK((found.point() - VectorXd::Ones(3)).norm() < 1e-9);
}

TEST_CASE("L-BFGS: limits and refusals", "[l_bfgs]") {
  const VectorXd start = VectorXd::Constant(4, 2.0);
  const Lbfgs none = l_bfgs(rosenbrock, start, {.iterations = 0});
  CHECK(none.point() == start);
  CHECK(none.evaluations() == 1);
  CHECK(l_bfgs(rosenbrock, start, {.iterations = 5}).iterations() == 5);
  CHECK(l_bfgs(rosenbrock, VectorXd::Ones(4)).converged());
  CHECK_THROWS_AS(Lbfgs(start, {.tolerance = -1}), gas::UsageError);
  CHECK_THROWS_AS(Lbfgs(start, {.tolerance = std::nan("")}), gas::UsageError);
  CHECK_THROWS_AS(Lbfgs(start, {.memory = 0}), gas::UsageError);
  CHECK_THROWS_AS(Lbfgs(start).tell(1, VectorXd::Zero(3)), gas::UsageError);
  CHECK_THROWS_AS(Lbfgs(start).tell(std::nan(""), start), gas::UsageError);
  const auto falls = [](const VectorXd& x, VectorXd& gradient) {  // no minimum: it must end
    gradient = VectorXd::Constant(x.size(), -1);
    return -x.sum();
  };
  CHECK_FALSE(l_bfgs(falls, start).converged());
}
