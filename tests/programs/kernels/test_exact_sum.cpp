#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

#include "programs/k_means/exact_sum.hpp"

TEST_CASE("exact sums are right over the whole range of floats, in any order", "[exact_sum]") {
  std::mt19937 random(3);
  std::vector<float> values{std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::min(),
                            0x1p-100F,
                            1.0F,
                            0x1p60F,
                            0.0F};
  for (int i = 0; i < 2000; ++i)
    values.push_back(
        std::ldexp(static_cast<float>(random() % 1000), static_cast<int>(random() % 80) - 60));
  long double expected = 0;
  gas::ExactSum forwards, backwards, halves, other;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expected += static_cast<long double>(values[i]);
    forwards += values[i];
    backwards += values[values.size() - 1 - i];
    (i % 2 == 0 ? halves : other) += values[i];
  }
  halves += other;
  CHECK(forwards.value() == Approx(static_cast<double>(expected)).epsilon(1e-15));
  CHECK(forwards.limbs == backwards.limbs);
  CHECK(forwards.limbs == halves.limbs);
}

TEST_CASE("a small value is not lost beside none", "[exact_sum]") {
  for (const float x : {1e-45F, 1e-38F, 3e-30F, 2e-24F, 0.1F, 7.0F, 1e20F}) {
    gas::ExactSum sum;
    for (int i = 0; i < 3; ++i) sum += x;
    CHECK(sum.value() == Approx(3 * static_cast<double>(x)).epsilon(1e-15));
  }
}
