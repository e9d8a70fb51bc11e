// A network with one hidden layer that tells two classes apart, trained by gradient descent.
//
//     mpirun -n 4 two_layer_network EXAMPLES.svm
//
// reads examples labelled 0 and 1, in libsvm format, and prints of each the probability of label 1.
#include <fmt/format.h>

#include "gas/eigen.hpp"
#include "gas/gas.hpp"
#include "programs/calls/matrix.hpp"

/// p = sigmoid(Σ_h u_h tanh(Σ_f x_f w_fh)). A feature publishes its row of w, an example the slopes
/// of its loss where that row enters the hidden units. All examples need u, so before_step moves it
/// by a Summary. Above staleness 0 u would differ from rank to rank: staleness 0 only.
struct Network {
  double step = 0.5;      // divided by the number of examples
  Eigen::ArrayXd u = {};  // of each hidden unit

  struct Example {
    double label = 0, probability = 0.5;  // the label is handed over
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = gas::VectorSum<double>;
  };
  struct Feature {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = gas::VectorSum<double>;
  };
  using Data = Example;
  using Parameter = Feature;
  using Edge = float;
  using Summary = gas::VectorSum<double>;                          // of examples: the gradient of u
  std::size_t width(auto) const { return std::size_t(u.size()); }  // of all these rows

  void init(auto&, gas::RowView<double> out, auto& v) const {
    for (std::size_t h = 0; h < out.size(); ++h) out[h] = v.random().uniform(h) - 0.5;
  }
  void before_step(gas::Step at, const auto& last) {
    if (!at.is_parameter()) u -= step * gas::as_vector(last.data()).array();
  }
  void gather(gas::VectorSum<double>& sum, gas::RowView<const double> row, float x) const {
    gas::as_vector(sum) += static_cast<double>(x) * gas::as_vector(row);
  }
  void apply(Example& example, gas::VectorSum<double>& in, gas::RowView<double> out,
             auto& v) const {
    const Eigen::ArrayXd unit = gas::as_vector(in).array().tanh();
    example.probability = 1 / (1 + std::exp(-(u * unit).sum()));
    const double slope = example.probability - example.label;
    gas::as_vector(v.summary()).array() += slope * unit;
    gas::as_vector(out) = slope * u * (1 - unit.square());
  }
  void apply(Feature&, gas::VectorSum<double>& slopes, gas::RowView<double> out, auto&) const {
    gas::as_vector(out) -= step * gas::as_vector(slopes);
  }
};

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    const gas::Context context(ranks);
    const auto data = gas::Matrix::load(context, argc > 1 ? argv[1] : "-", {},
                                        {.fallback = gas::loaders::Format::libsvm});
    Network network{.step = 1 / static_cast<double>(data.rows())};
    network.u = Eigen::ArrayXd::LinSpaced(8, -1, 1);
    gas::Engine engine(context, data.laid_out(context).graph, network);
    const auto labels = gas::whole(ranks, data.labels());
    engine.local_for_each<Network::Example>(
        [&](gas::VertexId id, auto& e) { e.label = labels[id]; });
    engine.run({.iterations = 300});
    const auto found =
        gas::whole(ranks, engine.by_id<Network::Example>([](auto& e) { return e.probability; }));
    for (std::size_t id = 0; ranks.rank() == 0 && id < found.size(); ++id)
      fmt::print("{} {:.9f}\n", id + 1, found[id]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
