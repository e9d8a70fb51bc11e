#include <catch2/catch.hpp>
#include <cmath>

#include "gas/base/random.hpp"
#include "programs/logistic_regression/log_product.hpp"

TEST_CASE("a log product is the sum of logarithms, however it was put together", "[log_product]") {
  const gas::Random random(7);
  long double expected = 0;
  gas::LogProduct whole, parts;
  for (std::uint64_t part = 0; part < 50; ++part) {
    gas::LogProduct one;
    for (std::uint64_t i = 0; i < part * 97; ++i) {
      const double x = static_cast<double>(random.bits(10000 * part + i) >> 11U) * 0x1p-53;
      expected += std::log1p(static_cast<long double>(x));
      whole.multiply_one_plus(x);
      one.multiply_one_plus(x);
    }
    parts += one;
  }
  CHECK(whole.log() == Approx(static_cast<double>(expected)).epsilon(1e-14));
  CHECK(parts.log() == Approx(static_cast<double>(expected)).epsilon(1e-14));
}

TEST_CASE("a log product does not overflow, and keeps what is small", "[log_product]") {
  gas::LogProduct twos, ones, tiny, small;
  for (int i = 0; i < 100000; ++i) {
    twos.multiply_one_plus(1);
    ones.multiply_one_plus(0);
    tiny.multiply_one_plus(1e-30);
    small.multiply_one_plus(0x1p-8);
  }
  CHECK(twos.log() == Approx(100000 * std::log(2.0)).epsilon(1e-14));
  CHECK(ones.log() == 0);
  CHECK(tiny.log() == Approx(1e-25).epsilon(1e-10));
  CHECK(small.log() == Approx(100000 * std::log1p(0x1p-8)).epsilon(1e-13));
}
