// Inner loops alone, on data that a core's caches hold unless the argument says otherwise: what a
// change of one of them does, without a program around it. See Google Benchmark's options.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <random>

#include "gas/base/random.hpp"
#include "gas/engine/gather/gather.hpp"
#include "gas/exchange/encoding.hpp"
#include "loaders/text/scan.hpp"
#include "programs/k_means/exact_sum.hpp"
#include "programs/k_means/kernels/argmin_columns.hpp"
#include "programs/lda/draw_kernel.hpp"
#include "programs/logistic_regression/log_product.hpp"
#include "programs/page_rank/program.hpp"

namespace gas {
namespace {

void items(benchmark::State& state, std::size_t each) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(each));
}

/// Sums of 16 random values out of `range(0)`.
template <class Share>
void gather(benchmark::State& state) {
  constexpr std::size_t degree = 16, count = std::size_t{1} << 16;
  const auto size = static_cast<std::uint32_t>(state.range(0));
  const std::vector<Share> values(size, Share{1});
  std::vector<LocalId> neighbours(count + detail::prefetch_ahead);
  std::mt19937 random(1);
  for (LocalId& v : neighbours) v = std::uniform_int_distribution(0U, size - 1)(random);
  const PageRank<Share> program;
  using Vertex = typename PageRank<Share>::Vertex;
  struct None {};
  for (auto _ : state)
    for (std::size_t e = 0; e < count; e += degree)
      benchmark::DoNotOptimize(gather_small<PageRank<Share>, Vertex, false, const Share*, None>(
          program, values.data(), neighbours.data() + e, nullptr, nullptr, degree));
  items(state, count);
}
BENCHMARK(gather<float>)->Arg(1 << 12)->Arg(1 << 17)->Arg(1 << 22);
BENCHMARK(gather<double>)->Arg(1 << 12)->Arg(1 << 17)->Arg(1 << 22);

/// Nearest of `range(1)` rows of `range(0)` numbers, for 1024 points; an item is a pair.
void argmin(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const auto rows = static_cast<std::size_t>(state.range(1));
  constexpr std::size_t points = 1024;
  const std::size_t stride = row_stride(width);
  std::vector<float> x(points * stride), centroids(rows * stride), scratch;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (std::vector<float>* values : {&x, &centroids})
    for (std::size_t i = 0; i < values->size(); ++i)
      (*values)[i] = i % stride < width ? normal(random) : 0;
  PackedColumns columns;
  columns.assign({centroids.data(), rows, width, stride});
  std::vector<ArgMin> nearest(points);
  for (auto _ : state) {
    argmin_columns({x.data(), points, width, stride}, columns, nearest, scratch);
    benchmark::ClobberMemory();
  }
  items(state, points * rows);
}
BENCHMARK(argmin)->Args({32, 100})->Args({128, 1000})->Args({784, 100});

/// Draws from `range(0)` things; an item is a draw.
void draw(benchmark::State& state) {
  const auto things = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t blocks = (things + DrawCounts::lanes - 1) / DrawCounts::lanes;
  struct alignas(64) Line {
    float values[DrawCounts::lanes];
  };
  std::vector<Line> factor(blocks, Line{}), row(blocks, Line{});
  for (std::uint32_t k = 0; k < things; ++k) {
    factor[k / DrawCounts::lanes].values[k % DrawCounts::lanes] = 2;
    row[k / DrawCounts::lanes].values[k % DrawCounts::lanes] = 1.0F / static_cast<float>(1 + k);
  }
  DrawCounts counts{.factor = factor[0].values, .things = things};
  const Draw one = draw_kernel().draw[blocks - 1];
  const Random random(1);
  std::uint64_t i = 0;
  std::uint32_t own = 0;
  for (auto _ : state) own = one(counts, row[0].values, own, 1, 0.9F, random.bits(i++));
  benchmark::DoNotOptimize(own);
  items(state, 1);
}
BENCHMARK(draw)->Arg(16)->Arg(100)->Arg(256);

template <class Sum, class Number, void (*add)(Sum&, Number)>
void sum_of(benchmark::State& state) {
  std::vector<Number> numbers(4096);
  std::mt19937 random(1);
  for (Number& x : numbers) x = std::uniform_real_distribution<Number>(0, 1)(random);
  for (auto _ : state) {
    Sum sum;
    for (const Number x : numbers) add(sum, x);
    benchmark::DoNotOptimize(sum);
  }
  items(state, numbers.size());
}
void multiply(LogProduct& sum, double x) { sum.multiply_one_plus(x); }
void add_exactly(ExactSum& sum, float x) { sum += x; }
BENCHMARK(sum_of<LogProduct, double, multiply>)->Name("log_product");
BENCHMARK(sum_of<ExactSum, float, add_exactly>)->Name("exact_sum");

void random_bits(benchmark::State& state) {
  const Random random(1);
  for (auto _ : state)
    for (std::uint64_t i = 0; i < 4096; ++i) benchmark::DoNotOptimize(random.bits(i));
  items(state, 4096);
}
BENCHMARK(random_bits);

/// Lines of 0 … 10⁷ in text; an item is a number.
void scan_integers(benchmark::State& state) {
  std::string text;
  std::mt19937 random(1);
  for (int i = 0; i < 4096; ++i) text += fmt::format("{}\n", random() % 10'000'000);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (loaders::Scanner scan(text); !scan.at_end(); scan.next_line())
      sum += scan.integer(loaders::largest_id, "a number");
    benchmark::DoNotOptimize(sum);
  }
  items(state, 4096);
}
BENCHMARK(scan_integers);

/// Lines of numbers in (0, 1) with `range(0)` digits.
void scan_reals(benchmark::State& state) {
  std::string text;
  std::mt19937 random(1);
  for (int i = 0; i < 4096; ++i)
    text += fmt::format("{:.{}f}\n", std::uniform_real_distribution(0.0, 1.0)(random),
                        static_cast<int>(state.range(0)));
  for (auto _ : state) {
    float sum = 0;
    for (loaders::Scanner scan(text); !scan.at_end(); scan.next_line())
      sum += scan.real<float>("a number");
    benchmark::DoNotOptimize(sum);
  }
  items(state, 4096);
}
BENCHMARK(scan_reals)->Arg(3)->Arg(8)->Arg(17);

/// A message of 65,536 floats of which `range(0)` in 1000 changed, written and read back.
void wire(benchmark::State& state) {
  constexpr std::size_t count = 65536;
  std::vector<float> values(count, 1), found(count);
  std::vector<std::uint8_t> changed(count);
  std::mt19937 random(1);
  for (std::uint8_t& c : changed) c = random() % 1000 < static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    const Bytes message = encode_entries(
        count, sizeof(float), [&](std::size_t i) { return changed[i] != 0; },
        [&](std::size_t i, std::byte* at) { std::memcpy(at, &values[i], sizeof(float)); });
    decode_entries(message, count, [&](std::size_t i, const std::byte*& at) {
      found[i] = detail::read_at<float>(at);
    });
    benchmark::ClobberMemory();
  }
  items(state, count);
}
BENCHMARK(wire)->Arg(10)->Arg(300)->Arg(1000);

/// A row of 100 counts of which `range(0)` in 100 are not zero, written and read back.
void wire_row(benchmark::State& state) {
  std::vector<std::int32_t> row(100), found(100);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = i * 37 % 100 < static_cast<std::size_t>(state.range(0)) ? 1 : 0;
  Bytes message;
  for (auto _ : state) {
    message.clear();
    append_row<std::int32_t>(message, row);
    const std::byte* at = message.data();
    read_row<std::int32_t>(at, found);
    benchmark::ClobberMemory();
  }
  items(state, row.size());
}
BENCHMARK(wire_row)->Arg(5)->Arg(100);

}  // namespace
}  // namespace gas

BENCHMARK_MAIN();
