// A linear support vector machine, by sub-gradient descent (Shalev-Shwartz, Singer, Srebro 2011).
//
//     mpirun -n 4 linear_svm EXAMPLES.svm
//
// reads examples with labels -1 and +1 in libsvm format, and prints a line per feature: its number
// and its weight.
#include <fmt/format.h>

#include <vector>

#include "gas/gas.hpp"
#include "programs/calls/matrix.hpp"

/// The weights w that make λ/2 |w|² + mean of max(0, 1 − y w·x) small. In round t an example whose
/// margin y w·x is below 1 publishes its label y, and a weight goes 1/(λt) down the sub-gradient.
/// The steps shrink with the round, and a sum that is stale belongs to other weights: it is argued
/// for staleness 0 only.
struct LinearSvm {
  double lambda = 0.01;

  struct Example {
    double label = 0;  // handed over
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Feature {
    double weight = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Data = Example;
  using Parameter = Feature;
  using Edge = float;  // the value of a feature in an example

  // Both kinds gather a sum of products: w·x, and Σ y x.
  void gather(gas::Sum<double>& sum, double published, float x) const {
    sum += published * static_cast<double>(x);
  }
  double apply(Example& example, const gas::Sum<double>& product, auto&) const {
    return example.label * product.value < 1 ? example.label : 0.0;
  }
  double apply(Feature& feature, const gas::Sum<double>& pull, auto& v) const {
    const auto t = static_cast<double>(v.round());
    const auto examples = static_cast<double>(v.template count<Example>());
    return feature.weight = (1 - 1 / t) * feature.weight + pull.value / (lambda * t * examples);
  }
};

void learn(gas::Transport& ranks, const char* file) {
  const gas::Context context(ranks);
  const gas::Matrix examples =
      gas::Matrix::load(context, file, {}, {.fallback = gas::loaders::Format::libsvm});
  gas::Engine engine(context, examples.laid_out(context).graph, LinearSvm{});
  const auto labels = gas::whole(ranks, examples.labels());  // of all examples, on every rank
  engine.local_for_each<LinearSvm::Example>(
      [&](gas::VertexId id, auto& example) { example.label = labels[id]; });
  engine.run({.iterations = 200});

  using Feature = LinearSvm::Feature;
  const auto weights = gas::whole(
      ranks, engine.by_id<Feature>([](const Feature& feature) { return feature.weight; }));
  examples.column_ids().for_each(ranks, weights, [](std::string_view id, double weight) {
    fmt::print("{} {:.9g}\n", id, weight);  // on rank 0
  });
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    learn(ranks, argc > 1 ? argv[1] : "-");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
