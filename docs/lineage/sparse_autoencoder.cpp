// A sparse autoencoder, learned by L-BFGS in two ways that go the same way to the last bit: its
// loss as a map_reduce over slices of patches, and as a vertex program.
//
//     mpirun -n 4 sparse_autoencoder PATCHES [map_reduce|vertex] [ITERATIONS] [HIDDEN] [THREADS]
//
// reads rows of numbers between 0 and 1, and prints the loss after each step. `auto` in front of
// the other arguments first finds out how many of the ranks make it faster, and lets the rest
// sleep.
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "gas/exchange/first_ranks.hpp"
#include "gas/gas.hpp"
#include "gas/l_bfgs.hpp"
#include "loaders/load_points.hpp"
#include "programs/networks/autoencoder.hpp"
#include "programs/networks/slices.hpp"

using Eigen::VectorXd;
using Numbers = std::vector<std::int64_t>;
using OnStep = std::function<void(const gas::Lbfgs&)>;

/// As qjam would: each rank maps its slices, the default + reduces.
void by_map_reduce(const gas::Context& context, const gas::Slices& patches,
                   const gas::AutoencoderLoss& loss, gas::Lbfgs search, const OnStep& on_step) {
  const auto slices = std::views::iota(std::size_t{0}, patches.ids.size());
  VectorXd gradient;
  while (!search.done()) {
    const VectorXd& weights = search.point();
    const double scale = loss.scale(weights);
    const Numbers sums = gas::map_reduce(context, slices, [&](std::size_t i) {
      Numbers of_slice(loss.sums());
      loss.add(loss.rows(weights), scale, (*patches.values)[i].data(), loss.rows_of(patches.ids[i]),
               of_slice);
      return of_slice;
    });
    const double value = loss.loss(weights, scale, sums, gradient);
    search.tell(value, gradient);
    on_step(search);
  }
}

/// On the complete bipartite topology: a data vertex is a slice of patches, a parameter a unit,
/// which publishes its weights. Each round evaluates the loss where L-BFGS wants it, which all
/// ranks run alike, in before_step. So staleness 0 only.
struct Autoencoder {
  const gas::AutoencoderLoss* loss;
  gas::Lbfgs search;
  double scale = 1;

  struct Slice {
    static constexpr auto activity = gas::Active::every_round;
    using Input = gas::RowOf<float>;
    using Published = std::uint32_t;
    using Accumulator = gas::Sum<std::uint32_t>;
  };
  struct Unit {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = gas::RunningSum<std::int64_t>;
  };
  using Data = Slice;
  using Parameter = Unit;
  using Summary = gas::VectorSum<std::int64_t>;  // of the slices: sums for loss and gradient
  std::size_t width(gas::PublishedOf<Unit>) const { return loss->layers().width(); }
  std::size_t width(gas::SummaryOf) const { return loss->sums(); }

  std::uint32_t init(Slice&, auto&) const { return 0; }
  void init(Unit&, gas::RowView<double> out, auto& v) const { write(out, v.id()); }
  void before_step(gas::Step at, const auto& last) {
    if (!at.is_parameter()) return void(scale = loss->scale(search.point()));
    VectorXd gradient;
    const double value = loss->loss(search.point(), scale, last.data().elements(), gradient);
    search.tell(value, gradient);
  }
  void gather_block(gas::RowsView<float> slices, const gas::ParameterBlock<double>& units,
                    std::span<gas::Sum<std::uint32_t>>, auto& v) const {
    for (std::size_t i = 0; i < slices.size(); ++i)
      loss->add(units.rows, scale, slices[i].data(), loss->rows_of(v.id() + i),
                v.summary().elements());
  }
  std::uint32_t apply(Slice&, const gas::Sum<std::uint32_t>&, auto&) const { return 0; }
  void push(auto&, gas::RowView<const float>, std::uint32_t, std::uint32_t) const {}
  void apply(Unit&, const gas::RunningSum<std::int64_t>&, gas::RowView<double> out, auto& v) const {
    write(out, v.id());
  }
  bool converged(const auto&) const { return search.done(); }

  void write(gas::RowView<double> out, std::uint64_t unit) const {
    const auto width = static_cast<std::ptrdiff_t>(out.size());
    std::copy_n(search.point().data() + static_cast<std::ptrdiff_t>(unit) * width, width,
                out.data());
  }
};

void as_vertex_program(const gas::Context& context, const gas::Slices& patches,
                       const gas::AutoencoderLoss& loss, gas::Lbfgs search, const OnStep& on_step) {
  gas::Engine engine(context, patches.graph(context.transport(), loss.layers().units()),
                     Autoencoder{&loss, std::move(search)});
  engine.local_set_inputs(patches.values);
  engine.run({}, [&](const auto&) { on_step(engine.program().search); });
}

struct Settings {
  std::string file;
  bool vertex = false;
  std::uint64_t iterations = 400;
  std::size_t hidden = 25;
  unsigned threads = 0;
};

/// Seconds of an evaluation of made-up patches, as many as this job's on one rank, or 16384.
double trial(gas::Transport& ranks, const Settings& settings, std::uint64_t count,
             std::size_t columns) {
  const gas::Context context(ranks, settings.threads);
  count = std::min<std::uint64_t>(count, 16384);
  const gas::AutoencoderLoss loss({.hidden = settings.hidden}, count, columns, 1);
  const gas::BlockDistribution blocks{count, ranks.size()};
  const std::vector<float> grey(blocks.count(ranks.rank()) * columns, 0.5F);
  const gas::Slices patches =
      cut_slices(ranks, gas::Points<float>{grey, columns}, gas::AutoencoderLoss::slice_rows);
  double least = std::numeric_limits<double>::infinity();
  auto begin = std::chrono::steady_clock::now();
  by_map_reduce(context, patches, loss, gas::Lbfgs(loss.start(1), {.iterations = 8}),
                [&](const gas::Lbfgs&) {
                  const auto now = std::chrono::steady_clock::now();
                  least = std::min(least, std::chrono::duration<double>(now - begin).count());
                  begin = now;
                });
  return least;
}

void learn(gas::Transport& ranks, const Settings& settings) {
  const gas::Context context(ranks, settings.threads);
  const auto points = gas::loaders::load_points(ranks, settings.file);
  float largest = 0;
  for (const float x : points.values) largest = std::max(largest, std::abs(x));
  largest = gas::all_max(ranks, largest);
  const gas::Slices patches =
      cut_slices(ranks, gas::Points<float>{points.values, points.columns, settings.file},
                 gas::AutoencoderLoss::slice_rows);
  const gas::AutoencoderLoss loss({.hidden = settings.hidden}, patches.points, patches.columns,
                                  double{largest});
  gas::Lbfgs search(loss.start(1), {.tolerance = 0, .iterations = settings.iterations});
  std::uint64_t steps = 0;
  const auto print = [&](const gas::Lbfgs& now) {
    if (ranks.rank() == 0 && now.iterations() > steps)
      fmt::print("{} {:.17g}\n", now.iterations(), now.value());
    if (ranks.rank() == 0 && now.done())
      fmt::print("after {} evaluations on {} ranks\n", now.evaluations(), ranks.size());
    steps = now.iterations();
  };
  const auto begin = std::chrono::steady_clock::now();
  (settings.vertex ? as_vertex_program : by_map_reduce)(context, patches, loss, std::move(search),
                                                        print);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (ranks.rank() == 0)
    fmt::print(stderr, "{:.6f} seconds per iteration\n",
               spent.count() / static_cast<double>(std::max<std::uint64_t>(steps, 1)));
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    std::vector<std::string> given(argv + 1, argv + argc);
    const bool advised = !given.empty() && given[0] == "auto";
    if (advised) given.erase(given.begin());
    given.resize(5);
    Settings settings{.file = given[0], .vertex = given[1] == "vertex"};
    if (!given[2].empty()) settings.iterations = std::stoull(given[2]);
    if (!given[3].empty()) settings.hidden = std::stoull(given[3]);
    if (!given[4].empty()) settings.threads = static_cast<unsigned>(std::stoul(given[4]));
    if (!advised) {
      learn(ranks, settings);
    } else {
      const auto points = gas::loaders::load_points(ranks, settings.file);
      const int use = gas::ranks_to_use(MPI_COMM_WORLD, [&](gas::Transport& some) {
        return trial(some, settings, points.rows, points.columns);
      });
      gas::on_first_ranks(MPI_COMM_WORLD, use,
                          [&](gas::Transport& some) { learn(some, settings); });
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
