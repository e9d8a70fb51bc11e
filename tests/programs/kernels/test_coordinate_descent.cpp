// Coordinate descent on the quadratic model of a step, held to the model by its definition.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "programs/logistic_regression/proximal/coordinate_descent.hpp"

namespace {

constexpr std::size_t rows = 60, columns = 8;

/// Columns that are nearly alike, so that their weights must move together.
struct Problem {
  gas::Columns x;
  std::vector<gas::ModelRow> bends;
  std::vector<gas::ModelWeight> weights;

  explicit Problem(unsigned seed, double reach = 1e9) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    x.offsets.push_back(0);
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::uint32_t i = 0; i < rows; ++i) {
        x.rows.push_back(i);
        x.values.push_back(static_cast<float>(1 + 0.8 * any(generator)));
      }
      x.offsets.push_back(x.rows.size());
    }
    for (std::size_t i = 0; i < rows; ++i) bends.push_back({0.1 + std::abs(any(generator)), 0});
    for (std::uint32_t j = 0; j < columns; ++j) {
      gas::ModelWeight weight{.w = j % 3 == 0 ? 0 : any(generator),
                              .gradient = 20 * any(generator),
                              .reach = reach,
                              .scale = 1 + 0.2 * any(generator),
                              .more = 0.5 + std::abs(any(generator)),
                              .column = j};
      for (std::size_t i = 0; i < rows; ++i)
        weight.bend += bends[i].bend * entry(i, j) * entry(i, j);
      weight.bend = weight.bend * weight.scale * weight.scale + weight.more;
      weights.push_back(weight);
    }
  }
  double entry(std::size_t i, std::size_t j) const { return x.values[j * rows + i]; }
  double along(std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += weights[j].scale * entry(i, j) * weights[j].d;
    return sum;
  }
  double value() const {
    double sum = 0;
    for (const gas::ModelWeight& w : weights)
      sum += std::abs(w.w + w.d) + w.gradient * w.d + w.more * w.d * w.d / 2;
    for (std::size_t i = 0; i < rows; ++i) sum += bends[i].bend * along(i) * along(i) / 2;
    return sum;
  }
  std::vector<double> hessian() const {
    std::vector<double> h(columns * columns);
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < columns; ++k) {
        for (std::size_t i = 0; i < rows; ++i)
          h[j * columns + k] +=
              bends[i].bend * weights[j].scale * entry(i, j) * weights[k].scale * entry(i, k);
        if (j == k) h[j * columns + k] += weights[j].more;
      }
    return h;
  }
};

}  // namespace

TEST_CASE("descent lowers the model with every pass and keeps its rows", "[descent]") {
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const double reach : {1e9, 0.3}) {
      double before = INFINITY;
      for (int passes = 0; passes < 12; ++passes) {
        Problem problem(seed, reach);
        CAPTURE(seed, reach, passes);
        gas::descend(problem.x, problem.bends, problem.weights,
                     {.share = 0, .most = passes * 2.0 * rows * columns});
        CHECK(problem.value() <= before + 1e-9);
        before = problem.value();
        for (std::size_t i = 0; i < rows; ++i)
          CHECK(problem.bends[i].moved ==
                Approx(problem.bends[i].bend * problem.along(i)).margin(1e-9).epsilon(0));
        for (const gas::ModelWeight& weight : problem.weights)
          CHECK(std::abs(weight.d) <= reach * (1 + 1e-12));
      }
    }
}

TEST_CASE("descent by columns and on the matrix end in the model's least value", "[descent]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Problem problem(seed), other(seed);
    const std::vector<double> h = problem.hessian();
    CHECK(gas::descend(problem.x, problem.bends, problem.weights,
                       {.share = 1e-10, .most = 1e8, .look_again = true})
              .enough);
    for (gas::ModelWeight& weight : other.weights) weight.scale = 1, weight.more = 0;
    CHECK(gas::descend(h, other.weights, {.share = 1e-10, .most = 1e8, .look_again = true}).enough);
    for (std::size_t j = 0; j < columns; ++j) {
      const gas::ModelWeight& weight = problem.weights[j];
      double slope = weight.gradient;
      for (std::size_t k = 0; k < columns; ++k) slope += h[j * columns + k] * problem.weights[k].d;
      CAPTURE(j, weight.at());
      if (weight.at() == 0)
        CHECK(std::abs(slope) <= 1 + 1e-6);
      else
        CHECK(slope == Approx(weight.at() > 0 ? -1 : 1).margin(1e-6).epsilon(0));
      CHECK(other.weights[j].d == Approx(weight.d).margin(1e-7).epsilon(0));
    }
  }
}

TEST_CASE("going on along passes saves entries where columns are nearly alike", "[descent]") {
  double with = 0, without = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Problem plain(seed), stretched(seed);
    gas::DescentLimit limit{.share = 1e-6, .most = 1e8, .look_again = true};
    with += gas::descend(stretched.x, stretched.bends, stretched.weights, limit).touched;
    limit.stretch = false;
    without += gas::descend(plain.x, plain.bends, plain.weights, limit).touched;
    CHECK(stretched.value() == Approx(plain.value()));
  }
  CHECK(with < 0.7 * without);
}

TEST_CASE("descent on a matrix never climbs where it is badly conditioned", "[descent]") {
  constexpr std::size_t n = 20, m = 100;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    // H = Aᵀ A of columns that three hidden ones determine nearly, in units that differ by up to
    // 10⁶: as of numbers that were measured.
    std::vector<double> a(m * n), h(n * n), load(3 * n), unit(n);
    for (double& x : load) x = any(generator);
    for (double& x : unit) x = std::pow(10, std::round(3 * any(generator)));
    for (std::size_t i = 0; i < m; ++i) {
      const double hidden[3] = {any(generator), any(generator), any(generator)};
      const double bend = std::pow(10, -4 * std::abs(any(generator)));
      for (std::size_t j = 0; j < n; ++j) {
        double size = 0.001 * any(generator);
        for (std::size_t k = 0; k < 3; ++k) size += 0.3 * hidden[k] * load[3 * j + k];
        a[i * n + j] = std::sqrt(bend) * unit[j] * std::exp(size);
      }
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < m; ++i) h[j * n + k] += a[i * n + j] * a[i * n + k];
    std::vector<gas::ModelWeight> weights;
    for (std::uint32_t j = 0; j < n; ++j) {
      const double w = 10 * any(generator) / unit[j];
      weights.push_back({.w = w,
                         .gradient = (w > 0 ? -1 : 1) * (1 + 0.5 * any(generator)),
                         .bend = h[j * n + j],
                         .reach = 1e9,
                         .column = j});
    }
    double before = 0;
    for (const double most : {1e5, 1e6, 3e6, 1e7}) {
      std::vector<gas::ModelWeight> model = weights;
      gas::descend(h, model, {.share = 1e-12, .most = most, .look_again = true});
      double value = 0;
      for (std::size_t j = 0; j < n; ++j) {
        value += model[j].gradient * model[j].d + std::abs(model[j].at()) - std::abs(model[j].w);
        for (std::size_t k = 0; k < n; ++k) value += model[j].d * h[j * n + k] * model[k].d / 2;
      }
      CAPTURE(most);
      CHECK(value < before);
      before = value;
    }
  }
}
