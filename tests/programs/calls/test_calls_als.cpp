// gas::als on ratings in memory.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "programs/als/als.hpp"
#include "tests/partition/folders.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

namespace {

constexpr std::size_t users = 30, items = 20, rank = 2;

bool rates(std::size_t user, std::size_t item) { return (user * 5 + item) % 7 != 3; }
double rating_of(std::size_t user, std::size_t item) {
  return 0.3 * static_cast<double>(user) - static_cast<double>(item * item % 9) +
         static_cast<double>(user * item % 3);
}

/// Ratings of users first … last − 1, those of a rank: the first of several has none.
gas::Matrix matrix_of(const gas::Context& context,
                      double (*rating)(std::size_t, std::size_t) = rating_of) {
  const auto ranks = static_cast<std::size_t>(context.ranks());
  const auto mine = static_cast<std::size_t>(context.rank());
  const std::size_t part = ranks > 1 ? users / (ranks - 1) : users;
  const std::size_t first = mine > 0 ? (mine - 1) * part : 0;
  const std::size_t last = mine + 1 == ranks ? users : mine * part;
  std::vector<std::uint64_t> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
  for (std::size_t user = first; user < last; ++user) {
    for (std::size_t item = 0; item < items; ++item)
      if (rates(user, item)) {
        columns.push_back(static_cast<int>(item));
        values.push_back(rating(user, item));
      }
    offsets.push_back(columns.size());
  }
  return gas::Matrix::from_rows(context, offsets, columns, values, {.columns = items});
}

/// How often a user took an item; 0, too.
double count_of(std::size_t user, std::size_t item) {
  return static_cast<double>((user * 7 + item * item) % 4);
}

struct Found {
  std::vector<float> users, items, folded;
  double objective = 0, rmse = 0, measured = 0;
  bool converged = false;
};

Found find(const gas::Context& context) {
  const gas::Matrix ratings = matrix_of(context);
  const gas::AlsFit fit =
      gas::als(context, ratings,
               {.rank = rank, .lambda = 0.5, .tolerance = 1e-9, .run = {.iterations = 3000}});
  gas::Communicator& comm = context.transport();
  const gas::AlsModel folded = fit.model.fold_in(context, ratings);
  return {gas::whole(comm, fit.model.users),
          fit.model.items,
          gas::whole(comm, folded.users),
          fit.score->objective,
          fit.score->rmse.value(),
          fit.model.measure(context, ratings).objective,
          fit.outcome.converged};
}

template <class F>
std::string thrown(F call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("als: on ratings in memory, the objective is that of the rows, at a minimum",
          "[calls][als][ranks]") {
  for (const int ranks : rank_counts())
    for (const Found& found : run_ranks<Found>(ranks, [](gas::Transport& transport) {
           return find(gas::Context(transport, gas_test::make_executor(2)));
         })) {
      INFO(ranks << " ranks");
      CHECK(found.converged);
      REQUIRE(found.users.size() == users * rank);
      REQUIRE(found.items.size() == items * rank);
      double error = 0, penalty = 0, count = 0;
      std::vector<double> slope(rank * (users + items));  // of the objective, halved
      for (std::size_t u = 0; u < users; ++u)
        for (std::size_t i = 0; i < items; ++i) {
          if (!rates(u, i)) continue;
          double lacks = rating_of(u, i);
          for (std::size_t k = 0; k < rank; ++k)
            lacks -= static_cast<double>(found.users[u * rank + k]) *
                     static_cast<double>(found.items[i * rank + k]);
          for (std::size_t k = 0; k < rank; ++k) {
            slope[u * rank + k] -= lacks * static_cast<double>(found.items[i * rank + k]);
            slope[(users + i) * rank + k] -= lacks * static_cast<double>(found.users[u * rank + k]);
          }
          error += lacks * lacks;
          ++count;
        }
      std::vector<float> all = found.users;
      all.insert(all.end(), found.items.begin(), found.items.end());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto x = static_cast<double>(all[i]);
        penalty += x * x;
        CHECK(slope[i] + 0.5 * x == Approx(0).margin(0.05));
      }
      CHECK(found.objective == Approx(error + 0.5 * penalty).epsilon(1e-6));
      CHECK(found.measured == Approx(found.objective).epsilon(1e-12));
      CHECK(found.rmse == Approx(std::sqrt(error / count)).epsilon(1e-6));
      for (std::size_t i = 0; i < found.users.size(); ++i)  // the same users are found again
        CHECK(found.folded[i] == Approx(found.users[i]).margin(1e-2));
    }
}

TEST_CASE("als: a mean that is subtracted is added to what is predicted", "[calls][als][ranks]") {
  struct Centred {
    double mean = 0, objective = 0, measured = 0;
    std::vector<double> predicted;
    std::vector<float> users, items, folded;
  };
  double sum = 0, count = 0;
  for (std::size_t u = 0; u < users; ++u)
    for (std::size_t i = 0; i < items; ++i)
      if (rates(u, i)) sum += rating_of(u, i), ++count;
  for (const int ranks : rank_counts())
    for (const Centred& found : run_ranks<Centred>(ranks, [](gas::Transport& transport) {
           const gas::Context context(transport, gas_test::make_executor(2));
           const gas::Matrix ratings = matrix_of(context);
           const double mean = gas::mean_rating(context, ratings);
           const gas::AlsFit fit = gas::als(context, ratings,
                                            {.rank = rank,
                                             .lambda = 0.5,
                                             .mean = mean,
                                             .tolerance = 1e-9,
                                             .run = {.iterations = 3000}});
           gas::Communicator& comm = context.transport();
           Centred centred{mean,
                           fit.score->objective,
                           fit.model.measure(context, ratings).objective,
                           {},
                           gas::whole(comm, fit.model.users),
                           fit.model.items,
                           gas::whole(comm, fit.model.fold_in(context, ratings).users)};
           std::vector<double> mine;
           for (std::size_t u = 0; u < fit.model.users.size() / rank; ++u)
             for (std::size_t i = 0; i < items; ++i) mine.push_back(fit.model.predict(u, i));
           centred.predicted = gas::whole(comm, mine);
           return centred;
         })) {
      INFO(ranks << " ranks");
      CHECK(found.mean == Approx(sum / count).epsilon(1e-6));
      double error = 0, penalty = 0;
      REQUIRE(found.predicted.size() == users * items);
      for (std::size_t u = 0; u < users; ++u)
        for (std::size_t i = 0; i < items; ++i)
          if (rates(u, i)) error += std::pow(rating_of(u, i) - found.predicted[u * items + i], 2);
      for (const auto* rows : {&found.users, &found.items})
        for (const float x : *rows) penalty += static_cast<double>(x) * static_cast<double>(x);
      CHECK(found.objective == Approx(error + 0.5 * penalty).epsilon(1e-6));
      CHECK(found.measured == Approx(found.objective).epsilon(1e-12));
      for (std::size_t i = 0; i < found.users.size(); ++i)
        CHECK(found.folded[i] == Approx(found.users[i]).margin(1e-2));
    }
}

TEST_CASE("als: implicit feedback, the objective is that of all pairs, at a minimum",
          "[calls][als][ranks]") {
  struct Implicit {
    std::vector<float> users, items, folded;
    double objective = 0, measured = 0;
    bool converged = false, rmse = false;
  };
  constexpr double alpha = 2.5, lambda = 0.5;
  for (const int ranks : rank_counts())
    for (const Implicit& found : run_ranks<Implicit>(ranks, [&](gas::Transport& transport) {
           const gas::Context context(transport, gas_test::make_executor(2));
           const gas::Matrix counts = matrix_of(context, count_of);
           const gas::AlsFit fit = gas::als(context, counts,
                                            {.rank = rank,
                                             .lambda = lambda,
                                             .alpha = alpha,
                                             .tolerance = 1e-10,
                                             .run = {.iterations = 3000}});
           const gas::AlsScore measured = fit.model.measure(context, counts);
           return Implicit{gas::whole(transport, fit.model.users),
                           fit.model.items,
                           gas::whole(transport, fit.model.fold_in(context, counts).users),
                           fit.score->objective,
                           measured.objective,
                           fit.outcome.converged,
                           fit.score->rmse || measured.rmse};
         })) {
      INFO(ranks << " ranks");
      CHECK(found.converged);
      CHECK(!found.rmse);
      REQUIRE(found.users.size() == users * rank);
      double error = 0, penalty = 0;
      std::vector<double> slope(rank * (users + items));  // of the objective, halved
      for (std::size_t u = 0; u < users; ++u)
        for (std::size_t i = 0; i < items; ++i) {
          const double count = rates(u, i) ? count_of(u, i) : 0;
          double lacks = count > 0 ? 1 : 0;
          for (std::size_t k = 0; k < rank; ++k)
            lacks -= double{found.users[u * rank + k]} * double{found.items[i * rank + k]};
          const double weight = 1 + alpha * count;
          for (std::size_t k = 0; k < rank; ++k) {
            slope[u * rank + k] -= weight * lacks * double{found.items[i * rank + k]};
            slope[(users + i) * rank + k] -= weight * lacks * double{found.users[u * rank + k]};
          }
          error += weight * lacks * lacks;
        }
      std::vector<float> all = found.users;
      all.insert(all.end(), found.items.begin(), found.items.end());
      for (std::size_t i = 0; i < all.size(); ++i) {
        penalty += double{all[i]} * double{all[i]};
        CHECK(slope[i] + lambda * double{all[i]} == Approx(0).margin(0.02));
      }
      CHECK(found.objective == Approx(error + lambda * penalty).epsilon(1e-5));
      CHECK(found.measured == Approx(found.objective).epsilon(1e-10));
      for (std::size_t i = 0; i < found.users.size(); ++i)
        CHECK(found.folded[i] == Approx(found.users[i]).margin(1e-3));
    }
}

TEST_CASE("als: a model is read as it was written", "[calls][als][ranks]") {
  struct Kept {
    std::vector<float> items, read, users;
    std::vector<double> file;  // users.npy
    std::string refusal;
  };
  for (const int ranks : rank_counts())
    for (const Kept& kept : run_ranks<Kept>(ranks, [](gas::Transport& transport) {
           const gas::Context context(transport, gas_test::make_executor(2));
           const gas_test::TemporaryFolder folder(transport);
           const gas::AlsModel model =
               gas::als(context, matrix_of(context), {.rank = rank, .run = {.iterations = 2}})
                   .model;
           model.write(context, folder / "");
           const std::string file = folder / "items.npy";
           return Kept{model.items, gas::AlsModel::read(context, file, rank).items,
                       gas::whole(transport, model.users),
                       gas::loaders::read_npy(transport, folder / "users.npy").values,
                       thrown([&] { gas::AlsModel::read(context, file, rank + 1); })};
         })) {
      CHECK(kept.items.size() == items * rank);
      CHECK(kept.read == kept.items);
      CHECK(std::vector<float>(kept.file.begin(), kept.file.end()) == kept.users);
      CHECK_THAT(kept.refusal,
                 Catch::Contains("found an array of shape (20, 2), expected (items, 3)"));
    }
}

TEST_CASE("als: alone, without MPI; ends where it is told to; starts from items", "[calls][als]") {
  const gas::Context context(2);
  const gas::Matrix ratings = matrix_of(context);
  std::vector<double> objectives;
  const auto fit = gas::als(
      context, ratings, {.rank = rank, .tolerance = 0, .on_round = [&](const gas::RoundTold& told) {
                           objectives.push_back(told.objective.value());
                           return told.round < 3;
                         }});
  CHECK(fit.outcome.interrupted);
  CHECK(fit.outcome.rounds <= 4);
  REQUIRE(objectives.size() == fit.outcome.rounds);
  for (std::size_t i = 1; i < objectives.size(); ++i) CHECK(objectives[i] <= objectives[i - 1]);
  CHECK(objectives.back() == fit.score->objective);
  double product = 0;
  for (std::size_t k = 0; k < rank; ++k)
    product += static_cast<double>(fit.model.users[4 * rank + k]) *
               static_cast<double>(fit.model.items[7 * rank + k]);
  CHECK(fit.model.predict(4, 7) == Approx(product));

  gas::AlsOptions options{.rank = rank, .run = {.iterations = 0}};
  options.items.assign(items * rank, std::numeric_limits<float>::quiet_NaN());
  const auto drawn = gas::als(context, ratings, options);
  options.items = {};
  CHECK(gas::als(context, ratings, options).model.items == drawn.model.items);
  options.items = fit.model.items;
  CHECK(gas::als(context, ratings, options).model.items == fit.model.items);
}

TEST_CASE("als: refuses what makes no sense", "[calls][als]") {
  const gas::Context context(1);
  const gas::Matrix ratings = matrix_of(context);
  const auto refused = [&](const gas::AlsOptions& options) {
    return thrown([&] { gas::als(context, ratings, options); });
  };
  CHECK(refused({.rank = 0}) == "found rank 0, expected at least 1");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double lambda : {0.0, infinity})
    CHECK(refused({.lambda = lambda}) == "lambda must be a number above 0");
  CHECK(refused({.tolerance = std::nan("")}) == "tolerance must be a number of at least 0");
  CHECK(refused({.items = {1, 2}}) ==
        "found 2 numbers as initial items, expected 10 for each of 20 columns");
  for (const double alpha : {-1.0, infinity})
    CHECK(refused({.alpha = alpha}) == "alpha must be a number of at least 0");
  CHECK(refused({.alpha = 1}) ==
        "the matrix: found a rating of -7, expected ratings of at least 0, as implicit feedback "
        "needs");
  CHECK_THAT(refused({.alpha = 1, .run = {.staleness = {2}}}),
             Catch::Contains("implicit feedback needs staleness 0"));
  CHECK(!refused({.keep_items = true}).empty());
  CHECK(!refused({.run = {.order = gas::Order::priority}}).empty());

  // A model of other users, of fewer items, or of none.
  gas::AlsModel model = gas::als(context, ratings, {.rank = 2, .run = {.iterations = 1}}).model;
  const auto measured = [&] { return thrown([&] { model.measure(context, ratings); }); };
  CHECK(measured().empty());
  model.items.resize(model.items.size() - 2);
  CHECK_THAT(measured(), Catch::Contains("found rows of 30 users and 19 items, expected 30"));
  model.users.clear();
  CHECK_THAT(measured(), Catch::Contains("found rows of 0 users and 19 items"));
  model = {};
  CHECK_THAT(measured(), Catch::Contains("rows of 0 numbers"));
  CHECK_THAT(thrown([&] { model.predict(0, 0); }), Catch::Contains("found user 0"));
}
