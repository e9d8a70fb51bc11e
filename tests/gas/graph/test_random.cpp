#include <Random123/philox.h>

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "gas/base/random.hpp"

namespace {

/// χ² of `bits(i)` over 256 cells, for each byte and for differences of neighbours.
template <class Bits>
double worst_chi_square(Bits bits) {
  constexpr std::size_t draws = 1U << 18U;
  double worst = 0;
  for (unsigned byte = 0; byte < 8; ++byte)
    for (const bool differences : {false, true}) {
      std::array<double, 256> cells{};
      std::uint64_t last = 0;
      for (std::size_t i = 0; i < draws; ++i) {
        const std::uint64_t x = bits(i);
        ++cells[((differences ? x - last : x) >> (8 * byte)) & 255U];
        last = x;
      }
      double chi = 0;
      for (const double c : cells)
        chi += (c - draws / 256.0) * (c - draws / 256.0) / (draws / 256.0);
      worst = std::max(worst, chi);
    }
  return worst;
}

}  // namespace

TEST_CASE("keyed random numbers are as even as Philox's", "[random]") {
  const gas::Random random = gas::Random(5).stream(3).stream(77);
  r123::Philox4x32 philox;
  const double theirs = worst_chi_square([&](std::uint64_t i) {
    const auto block = philox({{static_cast<std::uint32_t>(i), 0, 0, 0}}, {{7, 7}});
    return (std::uint64_t{block[0]} << 32U) | block[1];
  });
  // 255 degrees of freedom: mean 255, deviation 23; the worst of 16 statistics stays below 355.
  CHECK(theirs < 355);
  CHECK(worst_chi_square([&](std::uint64_t i) { return random.bits(i); }) < 355);
  // Neighbouring keys, same counter.
  CHECK(worst_chi_square([&](std::uint64_t i) { return gas::Random(9).stream(i).bits(0); }) < 355);
}

TEST_CASE("below(n) stays below n and reaches everything", "[random]") {
  const gas::Random random(1);
  std::vector<int> seen(7, 0);
  for (std::uint64_t i = 0; i < 7000; ++i) ++seen.at(random.below(7, i));
  for (const int count : seen) CHECK((count > 850 && count < 1150));
}
