// How much there is of everything in a file, by a sample of it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "loaders/sample/input_sizes.hpp"
#include "tests/loaders/files.hpp"

using namespace gas::loaders;
using gas_test::TemporaryFolder;

TEST_CASE("how many scattered ids there are follows from a sample, if they are alike") {
  const TemporaryFolder folder;
  std::mt19937_64 random(3);
  constexpr std::size_t edges = 300'000;
  std::vector<std::uint64_t> names(40'000);
  for (std::uint64_t& name : names) name = random() >> 2U;
  // Drawn alike, and the more often the lower their number is: by a power of a uniform number.
  for (const double power : {1.0, 3.0}) {
    std::string text;
    std::set<std::size_t> drawn;
    const auto draw = [&] {
      const double u = static_cast<double>(random() >> 11U) * 0x1p-53;
      const auto id = static_cast<std::size_t>(std::pow(u, power) * double(names.size()));
      drawn.insert(id);
      return names[id];
    };
    for (std::size_t e = 0; e < edges; ++e) text += fmt::format("{} {}\n", draw(), draw());
    const std::string file = folder.file("edges", text);
    const GraphSizes found = graph_sizes(std::span(&file, 1), {});
    INFO("power " << power);
    CHECK(found.edges == Approx(edges).epsilon(0.01));
    CHECK_FALSE(found.source.dense);
    const auto all = static_cast<double>(drawn.size());
    CHECK(found.source.count > 0.8 * all);
    CHECK(found.source.count < (power == 1 ? 1.2 : 2.5) * all);
    CHECK(found.source.least > 0.1 * all);
    CHECK(found.source.least < all);
  }
  // Columns that have no id in common, of names and of numbers.
  for (const char* const line : {"u{} v{}\n", "1{:09} 2{:09}\n"}) {
    std::string text;
    std::set<std::uint64_t> sources, targets;
    for (std::size_t e = 0; e < edges; ++e) {
      const std::uint64_t source = random() % 60'000 * 10'007, target = random() % 60'000 * 10'007;
      sources.insert(source);
      targets.insert(target);
      text += fmt::format(fmt::runtime(line), source, target);
    }
    const std::string file = folder.file("edges", text);
    const auto all = static_cast<double>(sources.size() + targets.size());
    CHECK(graph_sizes(std::span(&file, 1), {}).source.count == Approx(all).epsilon(0.2));
  }
  // Headers as the loaders read them.
  for (const char* const header : {"%%MatrixMarket matrix coordinate pattern general\n",
                                   "\xef\xbb\xbf%%MatrixMarket matrix "
                                   "coordinate pattern general\n% by hand\n\n \n  % more\n"}) {
    const std::string matrix = folder.file("a.mtx", std::string(header) + "3 3 2\n1 2\n3 1\n");
    const GraphSizes sizes = graph_sizes(std::span(&matrix, 1), {});
    CHECK(sizes.source.count == 3);
    CHECK(sizes.edges == 2);
  }
  // Numbers that follow one another are counted up to the largest.
  std::string text;
  for (std::size_t e = 0; e < edges; ++e)
    text += fmt::format("{} {}\n", random() % 40'000, random() % 40'000);
  const std::string file = folder.file("dense", text);
  const GraphSizes dense = graph_sizes(std::span(&file, 1), {});
  CHECK(dense.source.dense);
  CHECK(dense.source.least == 0);
  CHECK(dense.source.count == Approx(40'000).epsilon(0.01));
}
