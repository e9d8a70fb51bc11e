// How far above others each user rates, and each item is rated: x and y at the minimum of
// Σ (r − x_u − y_i)² + penalty · (Σ x² + Σ y²), each in turn where the others stand.
#include "gas/engine/engine.hpp"
#include "gas/tool.hpp"
struct Biases {
  double penalty = 1, tolerance = 0;
  struct User {
    double bias = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Item : User {};
  using Data = User;
  using Parameter = Item;
  using Edge = float;
  using Summary = gas::Max<double>;
  double init(const auto&, const auto&) const { return 0; }
  void gather(gas::Sum<double>& total, double other, float r) const { total += double(r) - other; }
  double apply(auto& at, const gas::Sum<double>& total, auto& v) const {
    const double bias = total.value / (penalty + double(v.degree()));
    v.summary() += std::abs(bias - at.bias);
    return at.bias = bias;
  }
  bool converged(const auto& last) const { return last.parameter().value <= tolerance; }
};
int main(int argc, char* argv[]) {
  using namespace gas::tools;
  Biases program;
  const auto setup = [&](Options& options) {
    options.describe("Finds the biases of users and items.", "biases ratings.txt -o biases");
    options.take_input({"edges"});
    options.take_rounds(100, 1e-9);
    options.take_threads();
    options.take_partition(partition_methods(), "auto");
    options.take_output({"items.npy"});
    options.take_text();
    options.real("--penalty", program.penalty, {.least = 0}, "How much to hold biases down");
  };
  return run_tool("biases", argc, argv, setup, [&](Run& run) {
    const GraphWish wish{.kinds = Kinds::two, .repeats = gas::Repeats::add};
    run.enter(Phase::load);
    const CutGraph input = cut_graph(run, read_graph(run, wish), wish);
    run.enter(Phase::compute);
    program.tolerance = run.options.tolerance;
    const auto threads = gas::make_tbb_executor(run.options.threads);
    gas::Engine engine(run.transport, *threads, input.graph, program);
    run.ended(engine.run(run.engine_options(run.options.iterations),
                         [&](const auto& round) { run.round_done(round.round, {}); }));
    run.saw(engine.local_report());
    run.enter(Phase::output);
    std::vector<gas::VertexId> rows;
    std::vector<double> biases;
    engine.local_for_each<Biases::Item>(
        [&](gas::VertexId row, auto& at) { rows.push_back(row), biases.push_back(at.bias); });
    run.write_files([&](const std::filesystem::path& folder) {
      write_rows<double>(run, folder, "items", input.target_labels, 0, rows, biases);
    });
  });
}
