#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace gas_test {

/// A small classification task in rows; what is to be compared with knows nothing of graphs.
struct Task {
  struct Entry {
    std::uint64_t column;
    float value;
  };
  std::uint64_t columns = 0;
  std::vector<std::vector<Entry>> rows;
  std::vector<double> labels;  // −1 or +1
  std::vector<double> truth;   // the weights that the labels were made with
};

/// What a Task is made of. Values are normal, of scale 10^(±orders) by column; every fifth column
/// is zero if `gaps`, every odd one a copy of its neighbour if `copies`.
struct TaskSpec {
  std::uint64_t examples = 100, columns = 10, nonzeros = 10;
  double noise = 1, orders = 0, common = 0;
  bool gaps = false, copies = false, one_label = false;
  unsigned seed = 1;
};

inline Task make_task(const TaskSpec& spec) {
  std::mt19937 random(spec.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  Task task;
  task.columns = spec.columns;
  std::vector<double> scale;
  for (std::uint64_t j = 0; j < spec.columns; ++j) {
    scale.push_back(std::pow(10, spec.orders * uniform(random)));
    task.truth.push_back(j % 3 == 0 ? normal(random) / scale[j] : 0);
  }
  std::vector<std::uint64_t> order(spec.columns);
  for (std::uint64_t j = 0; j < spec.columns; ++j) order[j] = j;
  for (std::uint64_t i = 0; i < spec.examples; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::uint64_t> chosen = order;
    chosen.resize(std::min(spec.nonzeros, spec.columns));
    std::sort(chosen.begin(), chosen.end());
    const double shared = normal(random);
    double margin = spec.noise * normal(random);
    std::vector<Task::Entry> row;
    for (const std::uint64_t j : chosen) {
      if (spec.gaps && j % 5 == 0) continue;
      const bool copy = spec.copies && j % 2 == 1 && !row.empty() && row.back().column == j - 1;
      const double own =
          spec.common > 0 ? shared * spec.common + 0.01 * normal(random) : normal(random);
      row.push_back({j, copy ? row.back().value : static_cast<float>(scale[j] * own)});
      margin += task.truth[j] * double{row.back().value};
    }
    task.rows.push_back(row);
    task.labels.push_back(spec.one_label || margin > 0 ? 1 : -1);
  }
  return task;
}

/// P(w), and (P − D) / P for the dual point that w gives, by the definitions, in long double.
struct Certificate {
  double objective = 0, gap = 0;
};

inline Certificate certify(const Task& task, const std::vector<double>& w, double cost, bool l1) {
  using Real = long double;
  std::vector<Real> miss, pull(task.columns, 0);
  Real primal = 0;
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    Real product = 0;
    for (const auto& [j, x] : task.rows[i]) product += Real{w[j]} * Real{x};
    const Real margin = Real{task.labels[i]} * product;
    primal += Real{cost} *
              (margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin);
    miss.push_back(1 / (1 + std::exp(margin)));
    for (const auto& [j, x] : task.rows[i])
      pull[j] += Real{cost} * miss[i] * Real{task.labels[i]} * Real{x};
  }
  Real steepest = 1, squares = 0;
  for (std::uint64_t j = 0; j < task.columns; ++j) {
    primal += l1 ? std::abs(Real{w[j]}) : Real{w[j]} * Real{w[j]} / 2;
    steepest = std::max(steepest, std::abs(pull[j]));
    squares += pull[j] * pull[j];
  }
  Real dual = l1 ? 0 : -squares / 2;
  for (const Real m : miss) {
    const Real a = l1 ? m / steepest : m;
    if (a > 0) dual -= Real{cost} * a * std::log(a);
    if (a < 1) dual -= Real{cost} * (1 - a) * std::log1p(-a);
  }
  return {static_cast<double>(primal), static_cast<double>((primal - dual) / primal)};
}

/// The optimum by cyclic coordinate descent: per coordinate a Newton step with line search (Yuan,
/// Chang, Hsieh, Lin, JMLR 11, 2010), until a sweep moves no weight by more than 1e-12.
inline std::vector<double> descend_coordinates(const Task& task, double cost, bool l1) {
  std::vector<std::vector<std::pair<std::size_t, double>>> column(task.columns);
  for (std::size_t i = 0; i < task.rows.size(); ++i)
    for (const auto& [j, x] : task.rows[i]) column[j].emplace_back(i, task.labels[i] * double{x});
  std::vector<double> w(task.columns, 0), margin(task.rows.size(), 0);
  const auto loss = [](double m) {
    return m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
  };
  const auto penalty = [&](double v) { return l1 ? std::abs(v) : v * v / 2; };
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::uint64_t j = 0; j < task.columns; ++j) {
      double slope = 0, bend = 1e-12;
      for (const auto& [i, x] : column[j]) {
        const double miss = 1 / (1 + std::exp(margin[i]));
        slope -= cost * miss * x;
        bend += cost * miss * (1 - miss) * x * x;
      }
      double to = 0;
      if (!l1) {
        to = w[j] - (slope + w[j]) / (bend + 1);
      } else if (std::abs(bend * w[j] - slope) > 1) {
        const double center = bend * w[j] - slope;
        to = (center - std::copysign(1.0, center)) / bend;
      }
      double change = to - w[j];
      for (int halvings = 0; change != 0 && halvings < 50; ++halvings, change /= 2) {
        double difference = penalty(w[j] + change) - penalty(w[j]);
        for (const auto& [i, x] : column[j])
          difference += cost * (loss(margin[i] + change * x) - loss(margin[i]));
        if (difference <= 0) break;
      }
      w[j] += change;
      for (const auto& [i, x] : column[j]) margin[i] += change * x;
      moved = std::max(moved, std::abs(change));
    }
    if (moved < 1e-12) break;
  }
  return w;
}

}  // namespace gas_test
