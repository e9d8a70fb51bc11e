// A network with one hidden layer that tells pictures apart, learned by mini-batches with momentum.
//
//     mpirun -n 4 image_classifier IMAGES LABELS TEST_IMAGES TEST_LABELS [HIDDEN] [EPOCHS] [BATCH]
//         [RATE] [MOMENTUM] [STREAMS] [SEED]
//
// reads arrays (idx, npy, text; plain or gzip), a row per picture and its class from 0, and prints
// of each epoch the mean loss while it was learned and the seconds so far, and in the end the share
// of the test pictures that it classifies right.
#include <fmt/format.h>

#include <numeric>

#include "gas/eigen.hpp"
#include "gas/gas.hpp"
#include "loaders/load_points.hpp"
#include "programs/networks/layers.hpp"
#include "programs/networks/slices.hpp"

/// A data vertex is a stream of examples, which gives a part of every batch, as the replicas of a
/// model do in DistBelief (Dean et al. 2012); in an epoch it takes all of its examples, in a new
/// random order. A parameter is a unit, which publishes its weights. All streams meet all units.
/// Each round is a step w += u, u ← momentum · u − rate · mean gradient of the batch, which needs
/// the batch whole: staleness 0 only.
///
/// A stream's part of the gradient is floats. Parts are added in double, which is exact unless two
/// parts of a number differ by 2²⁶ times: so the steps have the same bits on any ranks.
struct ImageClassifier {
  gas::Layers layers;
  const gas::Slices* streams;  // of rows: a picture, and its class
  double rate, momentum;
  std::size_t part;  // examples of a stream in a batch
  const gas::LayerKernel* kernel = gas::layer_kernels().front();

  struct Stream {
    std::vector<std::uint32_t> order;  // of the examples in this epoch
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;        // the gradient's sum over its part of the batch
    using Accumulator = gas::VectorSum<float>;  // all weights
  };
  struct Unit {
    std::vector<float> velocity;
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
    using Accumulator = gas::VectorSum<double>;
  };
  using Data = Stream;
  using Parameter = Unit;
  using Edge = std::uint32_t;  // the unit
  struct Summary {             // of the batch
    double loss = 0, examples = 0;
    void operator+=(const Summary& s) { loss += s.loss, examples += s.examples; }
  };
  std::size_t width(gas::PublishedOf<Stream>) const { return layers.weights(); }
  std::size_t width(gas::AccumulatorOf<Stream>) const { return layers.weights(); }
  std::size_t width(gas::PublishedOf<Unit>) const { return layers.width(); }
  std::size_t width(gas::AccumulatorOf<Unit>) const { return layers.width(); }
  std::uint64_t batches() const { return (streams->rows + part - 1) / part; }  // of an epoch

  void init(Stream&, gas::RowView<float> out, auto&) const { std::ranges::fill(out, 0.0F); }
  void init(Unit& unit, gas::RowView<float> out, auto& v) const {
    unit.velocity.assign(out.size(), 0);
    std::ranges::fill(out, 0.0F);
    if (v.id() == layers.hidden) return;  // the outputs' biases
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t meet = i < layers.inputs ? layers.inputs : layers.hidden + layers.outputs;
      const double most = std::sqrt(6 / static_cast<double>(meet));
      if (i != layers.inputs) out[i] = static_cast<float>(most * (2 * v.random().uniform(i) - 1));
    }
  }
  void gather(gas::VectorSum<float>& all, gas::RowView<const float> weights,
              std::uint32_t unit) const {
    std::ranges::copy(weights, all.elements().begin() + std::ptrdiff_t(unit * layers.width()));
  }
  void gather(gas::VectorSum<double>& sum, gas::RowView<const float> gradient,
              std::uint32_t unit) const {
    gas::as_vector(sum) += gas::as_vector(gradient.subspan(unit * layers.width(), layers.width()))
                               .template cast<double>();
  }
  void apply(Stream& stream, gas::VectorSum<float>& all, gas::RowView<float> out, auto& v) const {
    const std::uint64_t batch = (v.round() - 1) % batches();
    const std::size_t count = streams->rows_of(static_cast<gas::VertexId>(v.id()));
    auto& order = stream.order;
    if (batch == 0) {
      order.resize(count);
      std::iota(order.begin(), order.end(), 0U);
      for (std::size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[v.random().below(i, i)]);
    }
    const float* const examples = (*streams->values)[v.id() - streams->ids.front()].data();
    std::vector<const float*> rows;
    for (std::size_t i = batch * part; i < std::min(count, (batch + 1) * part); ++i)
      rows.push_back(examples + order[i] * streams->columns);
    if (rows.empty()) return void(std::ranges::fill(out, 0.0F));
    const float loss = kernel->learn(
        layers, {all.elements().data(), layers.units(), layers.width(), layers.width()}, rows, out);
    v.summary() += Summary{double{loss}, static_cast<double>(rows.size())};
  }
  void apply(Unit& unit, const gas::VectorSum<double>& sum, gas::RowView<float> out,
             auto& v) const {
    auto velocity = gas::as_vector(std::span(unit.velocity));
    const double step = rate / v.last().data().examples;
    velocity = float(momentum) * velocity - (step * gas::as_vector(sum)).template cast<float>();
    gas::as_vector(out) += velocity;
  }
};

namespace {

/// By slices of one `streams`-th. Numbers are divided by `largest`, that of all if 0. Adds to
/// `classes` the largest class.
gas::Slices load(gas::Transport& ranks, const std::string& images, const std::string& labels,
                 std::size_t streams, float& largest, std::size_t& classes) {
  auto points = gas::loaders::load_points(ranks, images);
  const auto given = gas::loaders::load_points(ranks, labels);
  gas::together(ranks, [&] {
    if (points.rows == 0 || given.rows != points.rows || given.columns != 1)
      throw gas::located_error(labels, 0, 0,
                               fmt::format("{} rows of {} columns", given.rows, given.columns),
                               fmt::format("a class for each of {} pictures", points.rows));
    for (const float label : given.values)
      if (!(label >= 0 && label <= 255 && label == std::floor(label)))
        throw gas::located_error(labels, 0, 0, fmt::format("{}", label), "classes from 0 to 255");
  });
  float most = 0;
  for (const float x : points.values) most = std::max(most, std::abs(x));
  if (largest == 0) largest = std::max(gas::all_max(ranks, most), 1e-30F);
  std::vector<float> rows;
  rows.reserve(points.values.size() + given.values.size());
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    for (std::size_t k = 0; k < points.columns; ++k)
      rows.push_back(points.values[i * points.columns + k] / largest);
    rows.push_back(given.values[i]);
    classes = std::max(classes, static_cast<std::size_t>(given.values[i]) + 1);
  }
  classes = gas::all_max(ranks, classes);
  return cut_slices(ranks, gas::Points<float>{rows, points.columns + 1, images},
                    (points.rows + streams - 1) / streams);
}

/// The share of these pictures whose class is the most probable.
double accuracy(gas::Transport& ranks, const gas::Layers& layers, const std::vector<float>& weights,
                const gas::Slices& test) {
  std::uint64_t right = 0;
  std::vector<float> probabilities(layers.outputs);
  for (std::size_t s = 0; s < test.ids.size(); ++s)
    for (std::size_t i = 0; i < test.rows_of(test.ids[s]); ++i) {
      const float* const row = (*test.values)[s].data() + i * test.columns;
      gas::layer_kernels().front()->classify(
          layers, {weights.data(), layers.units(), layers.width(), layers.width()}, {&row, 1},
          probabilities);
      const auto best = std::ranges::max_element(probabilities) - probabilities.begin();
      right += best == static_cast<std::ptrdiff_t>(row[layers.inputs]) ? 1 : 0;
    }
  return static_cast<double>(gas::all_sum(ranks, right)) / static_cast<double>(test.points);
}

/// The edges from all streams to all units, of which each rank holds those of its streams.
/// Collective.
std::shared_ptr<const gas::LocalGraph> complete(gas::Transport& ranks, const gas::Slices& streams,
                                                std::size_t units) {
  gas::EdgeList edges;
  for (const gas::VertexId stream : streams.ids)
    for (std::size_t unit = 0; unit < units; ++unit) {
      edges.source.push_back(stream);
      edges.target.push_back(gas::to_vertex_id(unit));
      edges.value.push_back(static_cast<float>(unit));
    }
  const auto rank = static_cast<gas::Part>(ranks.rank());
  gas::Partition partition;
  partition.parts = static_cast<gas::Part>(ranks.size());
  partition.edge_part.assign(edges.size(), rank);
  partition.source_master.assign(streams.ids.size(), rank);
  partition.target_master.assign(gas::ids_of_block(ranks, units).size(), rank);
  return std::make_shared<const gas::LocalGraph>(
      gas::build_graph(ranks, {streams.count, units, true}, std::move(edges), std::move(partition),
                       gas::Repeats::keep));
}

}  // namespace

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    const std::vector<std::string> given(argv + 1, argv + argc);
    if (given.size() < 4) throw gas::UsageError("found fewer than 4 files");
    const auto number = [&](std::size_t i, double otherwise) {
      return given.size() > i ? std::stod(given[i]) : otherwise;
    };
    const auto batch = static_cast<std::size_t>(number(6, 100));
    const auto streams = static_cast<std::size_t>(number(9, 4));
    if (streams == 0 || batch == 0 || batch % streams != 0)
      throw gas::UsageError("BATCH must be a multiple of STREAMS, and both at least 1");
    const gas::Context context(ranks, 1);
    float largest = 0;
    std::size_t classes = 0, test_classes = 0;
    const gas::Slices train = load(ranks, given[0], given[1], streams, largest, classes);
    const gas::Slices test = load(ranks, given[2], given[3], 64, largest, test_classes);
    if (test.columns != train.columns || test_classes > classes)
      throw gas::UsageError("test pictures are of other sizes, or of other classes");
    const gas::Layers layers{train.columns - 1, static_cast<std::size_t>(number(4, 100)), classes};
    const ImageClassifier program{.layers = layers,
                                  .streams = &train,
                                  .rate = number(7, 0.05),
                                  .momentum = number(8, 0.9),
                                  .part = batch / streams};
    gas::Engine engine(context, complete(ranks, train, layers.units()), program,
                       static_cast<std::uint64_t>(number(10, 1)));
    double loss = 0, examples = 0;
    engine.run({.iterations = program.batches() * static_cast<std::uint64_t>(number(5, 15))},
               [&](const auto& round) {
                 loss += round.summaries.data().loss, examples += round.summaries.data().examples;
                 if (round.round % program.batches() != 0) return;
                 if (ranks.rank() == 0)
                   fmt::print("epoch {} loss {:.17g} seconds {:.4f}\n",
                              round.round / program.batches(), loss / examples, round.seconds);
                 loss = examples = 0;
               });
    const auto weights = gas::whole(ranks, engine.published_by_id<ImageClassifier::Unit>());
    const double share = accuracy(ranks, layers, weights, test);
    if (ranks.rank() == 0) fmt::print("test accuracy {:.4f}\n", share);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
