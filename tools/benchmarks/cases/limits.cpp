// What the machine can do: bandwidth of reading, random reads, matrix products. A JSON line each.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Keeps the compiler from leaving work out.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// Seconds until `threads` calls work(thread) are done, the least of five goes.
double best(int threads, const std::function<void(int)>& work) {
  double least = 1e300;
  for (int go = 0; go < 5; ++go) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    others.clear();
    least = std::min(
        least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

void print(std::string_view limit, int threads, double value, std::string_view unit) {
  const nlohmann::json line = {
      {"limit", limit}, {"threads", threads}, {"value", value}, {"unit", unit}};
  fmt::print("{}\n", line.dump());
}

/// Every thread sums its own part of an array that no cache holds.
void read_bandwidth(int threads, std::size_t bytes) {
  const std::vector<double> values(bytes / sizeof(double), 1.0);
  const std::size_t part = values.size() / static_cast<std::size_t>(threads);
  const double seconds = best(threads, [&](int thread) {
    const double* const from = values.data() + static_cast<std::size_t>(thread) * part;
    keep(Eigen::Map<const Eigen::ArrayXd>(from, static_cast<Eigen::Index>(part)).sum());
  });
  print("read bandwidth", threads, static_cast<double>(bytes) / seconds / 1e9, "GB/s");
}

/// Sums of floats of a table at random places, known beforehand, as a gather reads them.
void random_gather(int threads, std::size_t bytes, std::size_t reads) {
  const std::vector<float> table(bytes / sizeof(float), 1.0F);
  std::vector<std::uint32_t> places(reads);
  std::uint64_t state = 1;
  for (std::uint32_t& place : places) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    place = static_cast<std::uint32_t>((state >> 33U) % table.size());
  }
  const double seconds = best(threads, [&](int) {
    float sums[8] = {};
    for (std::size_t i = 0; i + 8 <= places.size(); i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += table[places[i + lane]];
    keep(sums);
  });
  print(fmt::format("random gather from {} MB", bytes >> 20U), threads,
        seconds * 1e9 / static_cast<double>(reads) / threads, "ns");
}

void matrix_product(int threads, Eigen::Index size) {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Constant(size, size, 0.5F);
  std::vector<Eigen::MatrixXf> products(static_cast<std::size_t>(threads),
                                        Eigen::MatrixXf::Zero(size, size));
  const double seconds = best(
      threads, [&](int thread) { products[static_cast<std::size_t>(thread)].noalias() = a * a; });
  const double flops = 2.0 * static_cast<double>(size * size * size) * threads;
  print("float matrix product (Eigen)", threads, flops / seconds / 1e9, "Gflop/s");
}

/// Multiply-adds between registers only.
void multiply_add(int threads, std::int64_t steps) {
  using Register = Eigen::internal::packet_traits<float>::type;
  constexpr int lanes = Eigen::internal::packet_traits<float>::size, chains = 12;
  const double seconds = best(threads, [&](int) {
    Register sums[chains];
    for (Register& sum : sums) sum = Eigen::internal::pset1<Register>(0.0F);
    Register factor = Eigen::internal::pset1<Register>(0.999F);
    for (std::int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
      for (int c = 0; c < chains; ++c) sums[c] = Eigen::internal::pmadd(sums[c], factor, factor);
    }
    for (const Register& sum : sums) keep(sum);
  });
  const double flops = 2.0 * lanes * chains * static_cast<double>(steps) * threads;
  print("float multiply-add", threads, flops / seconds / 1e9, "Gflop/s");
}

}  // namespace

/// `--tiny` for a test: no figure of it means anything.
int main(int argc, char* argv[]) {
  const bool tiny = argc > 1 && std::string_view(argv[1]) == "--tiny";
  for (const int threads : {1, 2}) {
    read_bandwidth(threads, tiny ? 1U << 20U : 1U << 29U);
    for (const std::size_t megabytes : {4, 16, 64})
      random_gather(threads, megabytes << 20U, tiny ? 1U << 12U : 1U << 24U);
    matrix_product(threads, tiny ? 64 : 2048);
    multiply_add(threads, tiny ? 1000 : 10000000);
  }
}
