#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loaders/stream_examples.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"

namespace gas {

struct OnlineOptions {
  double rate = 1.2;  // that steps are scaled by; above 0
  bool bias = false;  // every example has a feature of 1 besides
  /// There are at least so many weights; more if a column needs them.
  std::uint64_t columns = 0;
  /// Told after every block of examples: on this rank how many blocks there were, and as objective
  /// the mean loss of its examples so far, each before it was learned. If it returns false, the
  /// pass of this rank alone ends.
  OnRound on_round = {};
};

struct OnlineFit : LogisticModel {
  std::uint64_t examples = 0, entries = 0;  // of all ranks
  /// Mean over all examples of log(1 + exp(−y w·x)) by the weights that its rank had before it
  /// learned the example.
  double progressive_loss = 0;
  Outcome outcome;  // `rounds`: blocks, of the rank that had most; never `converged`
};

/// Gives this rank's examples to `take`, block by block, until it returns false; may throw.
using ExampleSource = std::function<void(const loaders::TakeExamples& take)>;

namespace detail {

OnlineFit learn_rows(const Context& context, GivenEdges given, std::vector<double> labels,
                     const OnlineOptions& options);

}  // namespace detail

/// Logistic regression by one pass over examples that are not kept (OnlineLearner). Labels are of
/// two different values, which nobody need know before; the larger is +1. There is no penalty: what
/// keeps weights small is that there is one pass. On several ranks each learns its own examples;
/// then the weights of a feature are averaged, each counting by the sum of its squared gradients
/// (Agarwal, Chapelle, Dudík, Langford, JMLR 15, 2014), which is another model than one rank
/// learns. Fixed ranks and examples give the same weights. An example takes O(entries); a rank
/// keeps 16 bytes per weight. `name` is the examples' in messages. BadLabel, thrown into `source`,
/// for a third label, for a source that knows where it is; InputError for one of another rank, or
/// fewer than two; UsageError for options that make no sense. Collective.
OnlineFit online_logistic_regression(const Context& context, const ExampleSource& source,
                                     const OnlineOptions& options = {},
                                     const std::string& name = "the examples");

/// The same for this rank's compressed rows: the i-th has entries in columns[offsets[i]] …
/// columns[offsets[i + 1] − 1]. InputError for lists that do not fit each other, columns that are
/// no ids, values and labels that are not finite. Takes 8 bytes per entry.
template <Ids Offsets, Ids Columns, Numbers Values, Numbers Labels>
OnlineFit online_logistic_regression(const Context& context, const Offsets& offsets,
                                     const Columns& columns, const Values& values,
                                     const Labels& labels, const OnlineOptions& options = {}) {
  detail::GivenEdges given = detail::given_rows(offsets, columns, std::span(values));
  return detail::learn_rows(context, std::move(given), {labels.begin(), labels.end()}, options);
}

}  // namespace gas
