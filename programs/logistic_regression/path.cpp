#include "programs/logistic_regression/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/random.hpp"
#include "programs/logistic_regression/roc_area.hpp"

namespace gas {
namespace {

void check(const LogisticRegressionOptions& options, const std::vector<double>& ascending,
           double held_out) {
  if (ascending.empty() || !(ascending.front() > 0) || !std::isfinite(ascending.back()) ||
      std::ranges::adjacent_find(ascending) != ascending.end())
    throw UsageError("costs must be different numbers above 0");
  if (!(held_out > 0 && held_out < 1))
    throw UsageError("the share that is held out must be between 0 and 1");
  if (!options.run.checkpoint.folder.empty())
    throw UsageError("a path of costs cannot write checkpoints: leave out the checkpoint folder");
  if (!options.left_out.empty())
    throw UsageError(
        "a path of costs chooses the held-out examples itself: left_out must be empty");
}

/// What products w·x say of the examples that are held out. Collective.
void judge(Communicator& comm, std::span<const double> products, std::span<const char> larger,
           std::span<const char> held_out, LogisticOfCost& of) {
  std::vector<double> scores;
  std::vector<char> those;
  double loss = 0;
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (held_out[i] == 0) continue;
    const bool is_larger = larger[i] != 0;
    const double margin = is_larger ? products[i] : -products[i];
    loss += std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
    right += (products[i] > 0) == is_larger ? 1 : 0;
    scores.push_back(products[i]);
    those.push_back(larger[i]);
  }
  const auto count = static_cast<double>(all_sum(comm, std::uint64_t{scores.size()}));
  of.log_loss = all_sum(comm, loss) / count;
  of.accuracy = static_cast<double>(all_sum(comm, right)) / count;
  of.auc = roc_area(comm, scores, those);
}

}  // namespace

LogisticPath logistic_path(const Context& context, const Matrix& examples,
                           std::span<const double> labels, std::span<const double> costs,
                           double held_out, const LogisticRegressionOptions& given) {
  Communicator& comm = context.transport();
  std::vector<double> ascending(costs.begin(), costs.end());
  std::ranges::sort(ascending);
  together(comm, [&] { check(given, ascending, held_out); });

  LogisticRegressionOptions options = given;
  const Random random = Random(given.seed).stream(0x68656c64U);
  const std::uint64_t first = examples.shares(context).first(context.rank());
  std::uint64_t mine = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    options.left_out.push_back(random.uniform(first + i) < held_out ? 1 : 0);
    mine += options.left_out.back() != 0 ? 1 : 0;
  }
  LogisticPath path{.held_out = all_sum(comm, mine)};
  together(comm, [&] {
    if (path.held_out == 0)
      throw located_error(examples.name(), 0, 0, "no example that is held out",
                          "at least one: give more examples, or a greater held-out share");
  });
  options.measure = false;
  RoundTold before, newest;
  options.on_round = detail::counting_on(given.on_round, before, newest);
  std::vector<double> chosen;
  for (const double cost : ascending) {
    options.cost = cost;
    path.fit = logistic_regression(context, examples, labels, options);
    before = newest;
    options.start = path.fit.weights;
    LogisticOfCost of{.cost = cost,
                      .nonzeros = path.fit.nonzeros(),
                      .rounds = path.fit.outcome.rounds,
                      .converged = path.fit.outcome.converged};
    std::vector<char> larger;
    for (const double label : labels) larger.push_back(label == path.fit.labels[1] ? 1 : 0);
    judge(comm, path.fit.decide(context, examples), larger, options.left_out, of);
    path.tried.push_back(of);
    const bool best = std::ranges::all_of(path.tried, [&](const LogisticOfCost& other) {
      return &other == &path.tried.back() || of.log_loss < other.log_loss;
    });
    if (best) {
      path.cost = cost;
      chosen = path.fit.weights;
    }
    if (path.fit.outcome.interrupted) {
      path.cost = cost;
      return path;
    }
  }
  options.cost = path.cost;
  options.start = std::move(chosen);
  options.left_out = {};
  options.measure = given.measure;
  path.fit = logistic_regression(context, examples, labels, options);
  return path;
}

}  // namespace gas
