// Logistic regression of several classes, beside dense loops: Newton's method for softmax, and two
// classes each for one against the rest.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "programs/logistic_regression/multiclass/multiclass.hpp"
#include "tests/programs/logreg_oracle.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using namespace gas_test;
using gas::Context;
using gas::Matrix;
using gas::Multiclass;
using gas::MulticlassFit;
using gas::MulticlassOptions;

namespace {

using Doubles = std::vector<double>;

constexpr std::size_t classes = 4;
const Doubles labels = {-2, 0.5, 3, 7};

/// Examples in rows with a class each: that of the largest of noisy sums.
struct Classes {
  Task task;
  std::vector<std::size_t> of;
};

Classes some_classes(unsigned seed) {
  Classes made{make_task({.examples = 120, .columns = 8, .nonzeros = 4, .seed = seed}), {}};
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Doubles truth(classes * 8);
  for (double& weight : truth) weight = normal(random);
  for (std::size_t i = 0; i < made.task.rows.size(); ++i) {
    Doubles sums(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      sums[k] = normal(random) + (k == 2 ? 1 : 0);
      for (const auto& [j, x] : made.task.rows[i]) sums[k] += truth[k * 8 + j] * double{x};
    }
    made.of.push_back(static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin()));
  }
  return made;
}

/// A rank's share of the rows, the last rank having most.
struct Share {
  std::size_t first, last;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  Doubles values, label;

  Share(const Context& context, const Classes& all) {
    const auto rank = static_cast<std::size_t>(context.rank());
    const auto ranks = static_cast<std::size_t>(context.ranks());
    first = all.of.size() * rank * rank / (ranks * ranks);
    last = all.of.size() * (rank + 1) * (rank + 1) / (ranks * ranks);
    for (std::size_t i = first; i < last; ++i) {
      for (const auto& [column, value] : all.task.rows[i]) {
        columns.push_back(static_cast<std::uint32_t>(column));
        values.push_back(double{value});
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
      label.push_back(labels[all.of[i]]);
    }
  }
  Matrix matrix(const Context& context) const {
    return Matrix::from_rows(context, offsets, columns, values, {.columns = 8});
  }
};

/// The rows with a last column of ones if there is a bias.
Eigen::MatrixXd dense(const Classes& all, bool bias) {
  Eigen::MatrixXd X = Eigen::MatrixXd::Zero(Eigen::Index(all.of.size()), bias ? 9 : 8);
  for (std::size_t i = 0; i < all.of.size(); ++i)
    for (const auto& [j, x] : all.task.rows[i]) X(Eigen::Index(i), Eigen::Index(j)) = double{x};
  if (bias) X.col(8).setOnes();
  return X;
}

Eigen::MatrixXd softmax(const Eigen::MatrixXd& X, const Eigen::MatrixXd& W) {
  Eigen::MatrixXd P = (X * W.transpose()).array().exp();
  return P.array().colwise() / P.rowwise().sum().array();
}

double objective(const Classes& all, const Eigen::MatrixXd& X, const Eigen::MatrixXd& W,
                 const Doubles& costs) {
  const Eigen::MatrixXd P = softmax(X, W);
  double sum = W.squaredNorm() / 2;
  for (std::size_t i = 0; i < all.of.size(); ++i)
    sum -= costs[all.of[i]] * std::log(P(Eigen::Index(i), Eigen::Index(all.of[i])));
  return sum;
}

/// Newton's method with the whole Hessian of all K·D weights, halving steps that do not descend.
Eigen::MatrixXd newton(const Classes& all, const Eigen::MatrixXd& X, const Doubles& costs) {
  const Eigen::Index D = X.cols(), K = classes;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(K, D);
  for (int round = 0; round < 50; ++round) {
    const Eigen::MatrixXd P = softmax(X, W);
    Eigen::VectorXd g(K * D);
    Eigen::MatrixXd H = Eigen::MatrixXd::Identity(K * D, K * D);
    for (Eigen::Index k = 0; k < K; ++k) g.segment(k * D, D) = W.row(k).transpose();
    for (std::size_t i = 0; i < all.of.size(); ++i) {
      const auto row = Eigen::Index(i);
      const double cost = costs[all.of[i]];
      const Eigen::VectorXd x = X.row(row).transpose();
      for (Eigen::Index k = 0; k < K; ++k) {
        const double own = k == Eigen::Index(all.of[i]) ? 1 : 0;
        g.segment(k * D, D) += cost * (P(row, k) - own) * x;
        for (Eigen::Index l = 0; l < K; ++l)
          H.block(k * D, l * D, D, D) +=
              cost * P(row, k) * ((k == l ? 1 : 0) - P(row, l)) * x * x.transpose();
      }
    }
    const Eigen::VectorXd d = H.ldlt().solve(-g);
    const Eigen::MatrixXd step =
        Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(d.data(), K, D);
    double length = 1;
    while (length > 1e-12 &&
           objective(all, X, W + length * step, costs) > objective(all, X, W, costs))
      length /= 2;
    W += length * step;
  }
  return W;
}

struct Found {
  MulticlassFit fit;
  Doubles chances;
};

/// What a fit and its prediction give on every rank, for each number of ranks.
void on_all_ranks(const Classes& all, const MulticlassOptions& options,
                  const std::function<void(const Found&)>& check) {
  for (const int ranks : rank_counts()) {
    INFO(ranks << " ranks");
    for (const Found& found : run_ranks<Found>(ranks, [&](gas::Transport& transport) {
           const Context context(transport, 2);
           const Share share(context, all);
           const Matrix matrix = share.matrix(context);
           Found mine{gas::multiclass_regression(context, matrix, share.label, options), {}};
           const Doubles chances = mine.fit.predict(context, matrix).chances;
           for (const auto& block : gas::all_gather(transport, std::span<const double>(chances)))
             mine.chances.insert(mine.chances.end(), block.begin(), block.end());
           return mine;
         }))
      check(found);
  }
}

}  // namespace

TEST_CASE("softmax: the weights of Newton's method with the whole Hessian", "[multiclass][ranks]") {
  const Classes all = some_classes(71);
  struct Case {
    double cost;
    bool bias;
    Doubles weights;
  };
  for (const Case& each :
       {Case{1, false, {}}, Case{30, true, {1, 3, 0.5, 2}}, Case{0.01, true, {}}}) {
    INFO("C " << each.cost);
    MulticlassOptions options{.class_weights = each.weights};
    options.fit.cost = each.cost;
    options.fit.bias = each.bias;
    options.fit.tolerance = 1e-10;
    Doubles costs(classes, each.cost);
    for (std::size_t k = 0; k < each.weights.size(); ++k) costs[k] *= each.weights[k];
    const Eigen::MatrixXd X = dense(all, each.bias), W = newton(all, X, costs), P = softmax(X, W);
    on_all_ranks(all, options, [&](const Found& found) {
      CHECK(found.fit.classes == labels);
      CHECK(found.fit.outcome.converged);
      REQUIRE(found.fit.weights.size() == std::size_t(W.size()));
      for (Eigen::Index k = 0; k < W.rows(); ++k)
        for (Eigen::Index j = 0; j < W.cols(); ++j)
          CHECK(found.fit.weights[std::size_t(k * W.cols() + j)] ==
                Approx(W(k, j)).epsilon(1e-3).margin(1e-3));
      const double least = objective(all, X, W, costs);
      CHECK(found.fit.objective == Approx(least).epsilon(1e-9));
      CHECK(found.fit.gap <= 1e-10);
      double right = 0;
      for (std::size_t i = 0; i < all.of.size(); ++i) {
        Eigen::Index likeliest = 0;
        P.row(Eigen::Index(i)).maxCoeff(&likeliest);
        right += likeliest == Eigen::Index(all.of[i]) ? 1 : 0;
        for (std::size_t k = 0; k < classes; ++k)
          CHECK(found.chances[i * classes + k] ==
                Approx(P(Eigen::Index(i), Eigen::Index(k))).margin(1e-4));
      }
      CHECK(found.fit.accuracy == Approx(right / double(all.of.size())));
    });
  }
}

TEST_CASE("softmax: the gap bounds how far the objective is above the least", "[multiclass]") {
  const Classes all = some_classes(72);
  const Eigen::MatrixXd X = dense(all, false);
  const double least = objective(all, X, newton(all, X, Doubles(classes, 5)), Doubles(classes, 5));
  const Context context(2);
  const Share share(context, all);
  const Matrix matrix = share.matrix(context);
  double before = 1;
  for (const double tolerance : {0.5, 0.05, 1e-3, 1e-6}) {
    MulticlassOptions options;
    options.fit.cost = 5;
    options.fit.tolerance = tolerance;
    const MulticlassFit fit = gas::multiclass_regression(context, matrix, share.label, options);
    CHECK(fit.gap <= tolerance);
    CHECK(fit.objective * (1 - fit.gap) <= least * (1 + 1e-12));
    CHECK(fit.objective >= least * (1 - 1e-12));
    CHECK(fit.gap < before);
    before = fit.gap;
  }
}

TEST_CASE("one against the rest: K fits of two classes, and chances of sum 1",
          "[multiclass][ranks]") {
  const Classes all = some_classes(73);
  Doubles counts(classes);
  for (const std::size_t of : all.of) ++counts[of];
  MulticlassOptions options{.method = Multiclass::one_against_rest, .balanced = true};
  options.fit.tolerance = 1e-9;
  std::vector<Doubles> expected;
  for (std::size_t k = 0; k < classes; ++k) {
    const Context context(1);
    const Share share(context, all);
    Doubles is_class;
    for (const std::size_t of : all.of) is_class.push_back(of == k ? 1 : 0);
    gas::LogisticRegressionOptions one{.class_weights = {1, 120 / (classes * counts[k])},
                                       .tolerance = 1e-9};
    expected.push_back(
        gas::logistic_regression(context, share.matrix(context), is_class, one).weights);
  }
  const Eigen::MatrixXd X = dense(all, false);
  on_all_ranks(all, options, [&](const Found& found) {
    REQUIRE(found.fit.weights.size() == classes * 8);
    REQUIRE(found.fit.parts.size() == classes);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      CHECK(found.fit.class_weights[k] == Approx(120 / (classes * counts[k])));
      sum += found.fit.parts[k].objective;
      for (std::size_t j = 0; j < 8; ++j)
        CHECK(found.fit.weights[k * 8 + j] == Approx(expected[k][j]).margin(1e-4));
    }
    CHECK(found.fit.objective == Approx(sum));
    CHECK(found.fit.gap <= 1e-9);
    double right = 0;
    for (std::size_t i = 0; i < all.of.size(); ++i) {
      Doubles chance(classes);
      double whole = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        double product = 0;
        for (const auto& [j, x] : all.task.rows[i]) product += expected[k][j] * double{x};
        whole += chance[k] = 1 / (1 + std::exp(-product));
      }
      for (std::size_t k = 0; k < classes; ++k)
        CHECK(found.chances[i * classes + k] == Approx(chance[k] / whole).margin(1e-4));
      right +=
          std::ranges::max_element(chance) - chance.begin() == std::ptrdiff_t(all.of[i]) ? 1 : 0;
    }
    CHECK(found.fit.accuracy == Approx(right / double(all.of.size())));
  });
}

TEST_CASE("one against the rest: far from 0 classes are told apart by the products",
          "[multiclass][ranks]") {
  // Of 40 and 50 both probabilities round to 1; of −800 and −750 they are below what doubles hold.
  gas::MulticlassModel model{
      Multiclass::one_against_rest, {3, 5, 8}, {40, -800, 50, -750, 45, -790}};
  for (const int ranks : rank_counts())
    run_ranks<int>(ranks, [&](gas::Transport& transport) {
      const Context context(transport, 1);
      const std::vector<std::uint64_t> offsets{0, 1, 2};
      const std::vector<std::uint32_t> columns{0, 1};
      const Doubles values{1, 1};
      const Matrix matrix = Matrix::from_rows(context, offsets, columns, values, {.columns = 2});
      const auto found = model.predict(context, matrix);
      if (found.likeliest != std::vector<std::uint32_t>{1, 1})
        throw std::runtime_error("likeliest");
      for (std::size_t i = 0; i < 2; ++i)
        if (std::abs(found.chances[3 * i] + found.chances[3 * i + 1] + found.chances[3 * i + 2] -
                     1) > 1e-12)
          throw std::runtime_error("sum");
      if (std::abs(found.chances[4] - 1) > 1e-12) throw std::runtime_error("chance");
      const auto score = model.score(context, matrix, Doubles{5, 8});
      if (score.accuracy != 0.5) throw std::runtime_error("accuracy");
      // −log of 1/3, and of exp(−40).
      if (std::abs(score.log_loss - (std::log(3.0) + 40) / 2) > 1e-9)
        throw std::runtime_error("loss");
      return 0;
    });
}

TEST_CASE("softmax goes on from weights", "[multiclass]") {
  const Classes all = some_classes(74);
  const Context context(2);
  const Share share(context, all);
  const Matrix matrix = share.matrix(context);
  MulticlassOptions options;
  options.fit.tolerance = 1e-9;
  options.fit.start = gas::multiclass_regression(context, matrix, share.label, options).weights;
  options.fit.tolerance = 1e-8;
  CHECK(gas::multiclass_regression(context, matrix, share.label, options).outcome.rounds <= 2);
}

TEST_CASE("several classes: what makes no sense is refused", "[multiclass][ranks]") {
  const Classes all = some_classes(75);
  const auto refused = [&](MulticlassOptions options, const std::string& words,
                           bool one_label = false) {
    for (const int ranks : rank_counts())
      for (const std::string& said : run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
             const Context context(transport, 1);
             Share share(context, all);
             if (one_label) share.label.assign(share.label.size(), 2);
             return thrown([&] {
               gas::multiclass_regression(context, share.matrix(context), share.label, options);
             });
           }))
        CHECK_THAT(said, Catch::Contains(words));
  };
  refused({}, "found one label, expected labels of two classes or more", true);
  refused({.class_weights = {1, 2}}, "found 2 class weights for 4 classes");
  refused({.class_weights = {1, 2, 0, 1}}, "class weights must be numbers above 0");
  refused({.fit = {.penalty = gas::Penalty::l1}}, "softmax needs penalty l2");
  refused({.fit = {.solver = gas::LogisticSolver::dual}}, "softmax needs the solver newton");
  refused({.fit = {.start = {1, 2}}}, "found 2 initial weights");
  refused({.fit = {.run = {.staleness = {1, false}}}}, "same sums on all ranks");
  refused({.method = Multiclass::one_against_rest, .fit = {.start = {1}}},
          "cannot start from given weights");
}
