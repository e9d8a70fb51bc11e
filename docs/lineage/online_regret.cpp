// Online logistic regression by stochastic gradient descent with steps ∝ 1/√t, under any staleness,
// and its regret: the loss so far above that of the best fixed weights in hindsight.
//
//     mpirun -n 4 online_regret ROWS [STALENESS|async] [STEP] [STREAMS] [DELAY_MS]
//
// reads rows of numbers, the last of each a label 0 or 1, deals them to streams, and prints of T =
// 32, 64, … rounds the regret and the loss, both summed over the rounds and per stream; then by how
// many rounds reads lagged. With DELAY_MS a rank sleeps so long in a tenth of its rounds.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gas/gas.hpp"
#include "gas/l_bfgs.hpp"
#include "loaders/load_points.hpp"
#include "programs/networks/slices.hpp"

using Eigen::VectorXd;

/// On the complete bipartite topology: a stream meets the only parameter, the weights, with one
/// example per round, and pushes to them what its gradient moves.
///
/// Stands any staleness: the loss is convex, each push is added exactly once, and reads miss the
/// pushes of a bounded number of rounds, each of which moves by O(1/√t). So the regret is
/// O(√T), with a factor that grows with the bound (Ho et al. 2013, theorem 1; Zinkevich 2003).
/// Pushes are added in 64-bit fixed point: at staleness 0 the weights are the same bits on any
/// ranks.
struct OnlineLogistic {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::size_t columns = 0;  // of a row, with its label
  double step = 1;          // of round t: this by √t

  struct Stream {
    double loss = 0;
    float move = 0;  // by which times the example the weights move
    static constexpr auto activity = gas::Active::every_round;
    using Input = gas::RowOf<float>;  // its rows, one after the other
    using Published =
        std::uint32_t;  // the bits of `move`; the last tells odd rounds from even ones
    using Accumulator = gas::Sum<double>;
  };
  struct Sum : gas::VectorSum<std::int64_t> {
    static constexpr bool running = true;
    using VectorSum::VectorSum;
  };
  struct Weights {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = Sum;
  };
  using Data = Stream;
  using Parameter = Weights;
  using Summary = gas::Sum<double>;       // of the round's losses
  static constexpr double unit = 0x1p40;  // of the fixed point
  std::uint64_t round = 0;

  std::size_t width(gas::PublishedOf<Weights>) const { return columns - 1; }
  std::size_t width(gas::AccumulatorOf<Weights>) const { return columns - 1; }
  std::uint32_t init(Stream&, auto&) const { return 0; }
  void init(Weights&, gas::RowView<double> out, auto&) const { std::ranges::fill(out, 0.0); }
  void before_step(gas::Step at, const auto&) { round = at.round; }
  gas::RowView<const float> example(gas::RowView<const float> rows) const {
    return rows.subspan((round - 1) * columns, columns);
  }
  void gather_block(gas::RowsView<float> streams, const gas::ParameterBlock<double>& weights,
                    std::span<gas::Sum<double>>, auto& v, std::span<Stream> states) const {
    const double rate =
        step / std::sqrt(static_cast<double>(round)) / static_cast<double>(v.count());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const auto x = example(streams[i]);
      double margin = 0;
      for (std::size_t k = 0; k + 1 < columns; ++k) margin += double{x[k]} * weights.rows[0][k];
      const double sign = x.back() > 0.5F ? 1 : -1;
      states[i].loss = std::max(0.0, -sign * margin) + std::log1p(std::exp(-std::abs(margin)));
      states[i].move = static_cast<float>(rate * sign / (1 + std::exp(sign * margin)));
    }
  }
  std::uint32_t apply(Stream& stream, const gas::Sum<double>&, auto& v) const {
    v.summary() += stream.loss;
    return (std::bit_cast<std::uint32_t>(stream.move) & ~1U) | (round % 2);
  }
  void push(auto& to, gas::RowView<const float> rows, std::uint32_t, std::uint32_t now) const {
    const double move = double{std::bit_cast<float>(now)};
    auto&& sum = to[0];
    const auto x = example(rows);
    for (std::size_t k = 0; k + 1 < columns; ++k)
      sum.elements()[k] += static_cast<std::int64_t>(std::round(move * double{x[k]} * unit));
  }
  void apply(Weights&, const Sum& sum, gas::RowView<double> out, auto&) const {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = static_cast<double>(sum.elements()[k]) / unit;
  }
};

/// The least sum of losses of the streams' first `rounds` examples that fixed weights have.
double best_loss(const gas::Context& context, const gas::Slices& streams, std::size_t rounds) {
  const auto d = static_cast<Eigen::Index>(streams.columns - 1);
  const auto here = std::views::iota(std::size_t{0}, streams.ids.size());
  const auto loss = [&](const VectorXd& w, VectorXd& gradient) {
    const VectorXd sum = gas::map_reduce(context, here, [&](std::size_t s) -> VectorXd {
      VectorXd one = VectorXd::Zero(1 + d);
      for (std::size_t i = 0; i < rounds; ++i) {
        const Eigen::Map<const Eigen::VectorXf> row(
            (*streams.values)[s].data() + i * streams.columns, d + 1);
        const VectorXd x = row.head(d).cast<double>();
        const double sign = row[d] > 0.5F ? 1 : -1, margin = sign * x.dot(w);
        one[0] += std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
        one.tail(d) -= sign / (1 + std::exp(margin)) * x;
      }
      return one;
    });
    gradient = sum.tail(d);
    return sum[0];
  };
  return gas::l_bfgs(loss, VectorXd::Zero(d), {.tolerance = 1e-6, .iterations = 500}).value();
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    std::vector<std::string> given(argv + 1, argv + argc);
    const auto text = [&](std::size_t i, const char* otherwise) {
      return given.size() > i ? given[i] : std::string(otherwise);
    };
    const std::string bound = text(1, "0");
    const auto count = std::stoull(text(3, "8"));
    const double delay = std::stod(text(4, "0")) / 1000;
    const gas::Context context(ranks, 1);
    const auto points = gas::loaders::load_points(ranks, text(0, "-"));
    const std::uint64_t rounds = points.rows / std::max<std::uint64_t>(count, 1);
    if (count == 0 || rounds == 0 || points.columns < 2)
      throw gas::UsageError("found too few rows or columns for the streams");
    const gas::Slices streams =
        cut_slices(ranks, gas::Points<float>{points.values, points.columns, text(0, "-")}, rounds);
    if (streams.count != count) throw gas::UsageError("the rows are no multiple of the streams");
    gas::Engine engine(context, streams.graph(ranks, 1),
                       OnlineLogistic{.columns = points.columns, .step = std::stod(text(2, "1"))});
    engine.local_set_inputs(streams.values);
    gas::RunOptions options{.iterations = rounds};
    options.staleness.bound =
        bound == "async" ? gas::Staleness::async : std::uint64_t{std::stoull(bound)};
    const gas::Random slow = gas::Random(7).stream(std::uint64_t(ranks.rank()));
    if (delay > 0)
      options.delay = [&](std::uint64_t round) { return slow.uniform(round) < 0.1 ? delay : 0.0; };
    std::vector<double> losses;  // Σ up to each round
    engine.run(options, [&](const auto& round) {
      losses.push_back((losses.empty() ? 0 : losses.back()) + round.summaries.data().value);
    });
    for (std::size_t t = 32; t <= losses.size(); t *= 2) {
      const double regret = (losses[t - 1] - best_loss(context, streams, t)) / double(count);
      if (ranks.rank() == 0)
        fmt::print("{} {:.17g} {:.17g}\n", t, regret, losses[t - 1] / double(count));
    }
    const gas::StalenessSeen& seen = engine.local_staleness_seen();
    const std::uint64_t most = gas::all_max(ranks, seen.most),
                        reads = gas::all_sum(ranks, seen.reads);
    const std::uint64_t lag = gas::all_sum(ranks, seen.sum);
    if (ranks.rank() == 0)
      fmt::print("lag mean {:.3f} most {}\n",
                 double(lag) / double(std::max<std::uint64_t>(reads, 1)), most);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
