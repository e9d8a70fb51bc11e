// Keys and values, as on a parameter server: examples pull the weights of their features, and push
// differences to them. The weights come to be those of linear least squares (Widrow and Hoff 1960).
//
//     mpirun -n 4 key_value EXAMPLES.svm STEP [STALENESS]
//
// reads examples with a number as label in libsvm format, and prints a line per feature: its number
// and its weight.
#include <fmt/format.h>

#include "gas/gas.hpp"
#include "programs/calls/matrix.hpp"

/// A key has no apply: its value is the sum of what was pushed to it. The program goes down the
/// gradient of ½ Σ (label − w·x)². With L the largest eigenvalue of Σ x xᵀ it converges at
/// staleness s if the step is below 1/((2s + 1) L), which the caller sees to.
struct KeyValue {
  static constexpr gas::Stands stands{.bound = gas::Stands::any};
  double step = 0;

  struct Example {
    double label = 0;  // handed over
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;  // the difference that it pushes, per unit of a feature
    using Accumulator = gas::Sum<double>;
  };
  struct Key {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;  // the value that it is pulled with
    using Accumulator = gas::RunningSum<double>;
  };
  using Data = Example;
  using Parameter = Key;
  using Edge = float;  // the value of a feature in an example

  // Pulls, where it is a key's value, and pushes, where it is an example's difference.
  void gather(gas::Sum<double>& sum, double published, float x) const {
    sum += published * static_cast<double>(x);
  }
  double apply(Example& example, const gas::Sum<double>& pulled, auto&) const {
    return step * (example.label - pulled.value);
  }
};

void learn(gas::Transport& ranks, const char* file, double step, std::uint64_t staleness) {
  const gas::Context context(ranks);
  const gas::Matrix examples =
      gas::Matrix::load(context, file, {}, {.fallback = gas::loaders::Format::libsvm});
  gas::Engine engine(context, examples.laid_out(context).graph, KeyValue{.step = step});
  const auto labels = gas::whole(ranks, examples.labels());  // of all examples, on every rank
  engine.local_for_each<KeyValue::Example>(
      [&](gas::VertexId id, auto& example) { example.label = labels[id]; });
  engine.run({.iterations = 2000, .staleness = {.bound = staleness}});
  if (staleness > 0) engine.run_at_rest();  // adds what was pushed last

  const auto values = gas::whole(ranks, engine.published_by_id<KeyValue::Key>());
  examples.column_ids().for_each(ranks, values, [](std::string_view id, double value) {
    fmt::print("{} {:.9g}\n", id, value);  // on rank 0
  });
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    if (argc < 3) throw gas::UsageError("key_value EXAMPLES.svm STEP [STALENESS]");
    learn(ranks, argv[1], std::stod(argv[2]), argc > 3 ? std::stoull(argv[3]) : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
