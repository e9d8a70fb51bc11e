#include "programs/logistic_regression/online.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gas/base/error.hpp"
#include "loaders/labels.hpp"
#include "programs/calls/matrix.hpp"
#include "programs/logistic_regression/online_learner.hpp"

namespace gas {
namespace {

using loaders::BadLabel;
using loaders::ExampleBlock;

/// What one rank learns.
class Learning {
 public:
  explicit Learning(const OnlineOptions& options) : learner_(options.rate, options.bias) {
    learner_.grow(options.columns);
  }

  void learn(const ExampleBlock& block) {
    std::uint32_t largest = 0;
    for (const std::uint32_t column : block.column) largest = std::max(largest, column);
    if (!block.column.empty()) learner_.grow(std::size_t{largest} + 1);
    std::size_t begin = 0, end = 0;
    for (std::size_t row = 0; row < block.labels.size(); ++row, begin = end) {
      while (end < block.row.size() && block.row[end] == row) ++end;
      learner_.learn(sign(block, row), block.column.subspan(begin, end - begin),
                     block.value.subspan(begin, end - begin));
    }
    entries_ += block.column.size();
  }

  const OnlineLearner& learner() const { return learner_; }
  std::uint64_t entries() const { return entries_; }
  std::span<const double> labels() const { return labels_; }
  double mean_loss() const {
    return learner_.loss() / static_cast<double>(std::max<std::uint64_t>(1, learner_.examples()));
  }

 private:
  /// The first label counts as +1 until all are known: the other way round, all weights would have
  /// the other sign and no more.
  double sign(const ExampleBlock& block, std::size_t row) {
    const double label = block.labels[row];
    const auto known = std::ranges::find(labels_, label);
    if (known != labels_.end()) return known == labels_.begin() ? 1 : -1;
    if (labels_.size() == 2)
      throw BadLabel{row, fmt::format("the label {}", label),
                     fmt::format("{} or {}, as in the examples before", labels_[0], labels_[1])};
    labels_.push_back(label);
    return labels_.size() == 1 ? 1 : -1;
  }

  OnlineLearner learner_;
  std::vector<double> labels_;  // as they came, at most two
  std::uint64_t entries_ = 0;
};

/// A weight and what it counts.
struct Voice {
  double sum = 0, squares = 0;

  double value() const { return squares > 0 ? sum / squares : 0; }
};

Voice voice_of(const OnlineLearner::Weight& weight, double turn) {
  const double squares = weight.squares * double{weight.scale} * double{weight.scale};
  return {turn * weight.value() * squares, squares};
}

/// The weights of all ranks, this one's times `turn`, as one model. Collective.
std::vector<double> merged(Communicator& comm, const OnlineLearner& mine, bool bias, double turn) {
  std::vector<double> all;
  const std::uint64_t columns = all_max(comm, std::uint64_t{mine.columns()});
  if (comm.size() == 1) {
    all.reserve(columns + 1);
    for (const OnlineLearner::Weight& weight : mine.weights())
      all.push_back(turn * weight.value() + 0.0);  // no −0
    if (bias) all.push_back(turn * mine.bias().value() + 0.0);
    return all;
  }
  const BlockDistribution blocks{columns, comm.size()};
  std::vector<std::vector<Voice>> out(static_cast<std::size_t>(comm.size()));
  for (std::size_t column = 0; column < mine.columns(); ++column)
    out[static_cast<std::size_t>(blocks.owner(column))].push_back(
        voice_of(mine.weights()[column], turn));
  std::vector<Voice> sums(blocks.count(comm.rank()));
  for (const std::vector<Voice>& voices : all_to_all(comm, std::move(out)))
    for (std::size_t i = 0; i < voices.size(); ++i) {
      sums[i].sum += voices[i].sum;
      sums[i].squares += voices[i].squares;
    }
  std::vector<double> block;
  for (const Voice& sum : sums) block.push_back(sum.value());
  all = whole(comm, block);
  const Voice of_bias = all_reduce(comm, voice_of(mine.bias(), turn), [](Voice a, const Voice& b) {
    return Voice{a.sum + b.sum, a.squares + b.squares};
  });
  if (bias) all.push_back(of_bias.value());
  return all;
}

}  // namespace

OnlineFit online_logistic_regression(const Context& context, const ExampleSource& source,
                                     const OnlineOptions& options, const std::string& name) {
  Communicator& comm = context.transport();
  together(comm, [&] {
    if (!(options.rate > 0 && std::isfinite(options.rate)))
      throw UsageError("rate must be a number above 0");
    if (options.columns > max_vertices)
      throw UsageError(fmt::format("columns must be at most {}", max_vertices));
  });
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  Learning learning(options);
  std::uint64_t rounds = 0;
  bool ended = false;
  source([&](const ExampleBlock& block) {
    learning.learn(block);
    ++rounds;
    ended = options.on_round && !options.on_round({rounds, seconds(), learning.mean_loss()});
    return !ended;
  });
  const loaders::BinaryLabels classes = loaders::binary_labels(comm, name, learning.labels());
  const OnlineLearner& learner = learning.learner();
  OnlineFit fit;
  fit.bias = options.bias;
  fit.labels = {classes.smaller, classes.larger};
  const bool turned = !learning.labels().empty() && learning.labels()[0] == classes.smaller;
  fit.weights = merged(comm, learner, options.bias, turned ? -1 : 1);
  fit.examples = all_sum(comm, learner.examples());
  fit.entries = all_sum(comm, learning.entries());
  fit.progressive_loss = all_sum(comm, learner.loss()) / static_cast<double>(fit.examples);
  fit.outcome.rounds = all_max(comm, rounds);
  fit.outcome.interrupted = all_max(comm, ended ? 1 : 0) == 1;
  fit.outcome.seconds = seconds();
  return fit;
}

OnlineFit detail::learn_rows(const Context& context, GivenEdges given, std::vector<double> labels,
                             const OnlineOptions& options) {
  Communicator& comm = context.transport();
  const EdgeList& edges = given.edges;
  std::vector<float> values(edges.value.begin(), edges.value.end());
  for (const double wide : edges.wide_value) values.push_back(static_cast<float>(wide));
  if (edges.value_bytes() == 0) values.assign(edges.size(), 1);
  if (given.problem.empty()) given.problem = miscounted(labels.size(), given.rows, "labels");
  if (given.problem.empty()) given.problem = not_finite(labels, "label");
  if (given.problem.empty() &&
      !std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
    given.problem =
        "found a value beyond the range of 32-bit floats, expected at most 3.4e38 in size";
  check(comm, given.problem);
  const ExampleSource source = [&](const loaders::TakeExamples& take) {
    together(comm, [&] {
      try {
        take({labels, edges.source, edges.target, values});
      } catch (const BadLabel& bad) {
        throw InputError(fmt::format("row {} of a rank's share: found {}, expected {}", bad.row,
                                     bad.found, bad.expected));
      }
    });
  };
  return online_logistic_regression(context, source, options);
}

}  // namespace gas
