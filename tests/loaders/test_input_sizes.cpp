// How much there is of everything in a file, by a sample of it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "loaders/sample/count_whole.hpp"
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

TEST_CASE("what one pass over all of the input counts is what is there") {
  const TemporaryFolder folder;
  std::mt19937_64 random(9);
  struct Sets {
    std::set<std::string> source, target, both;
    double edges = 0, units = 0;
    std::string add(const std::string& a, const std::string& b, double value) {
      source.insert(a), target.insert(b), both.insert({a, b});
      ++edges, units += value;
      return a;
    }
  };
  const auto check = [&](const std::vector<std::string>& files, const Sets& sets,
                         GraphOptions options) {
    options.excerpt = true;
    for (const std::size_t piece : {std::size_t{700}, std::size_t{1} << 20U}) {
      const WholeCount found = count_whole(files, options, piece);
      INFO(piece << " bytes of " << files[0]);
      CHECK(found.edges == sets.edges);
      CHECK(found.units == Approx(sets.units));
      CHECK(found.source.different == Approx(double(sets.source.size())).epsilon(0.01));
      CHECK(found.target.different == Approx(double(sets.target.size())).epsilon(0.01));
      if (!options.bipartite)
        CHECK(found.both.different == Approx(double(sets.both.size())).epsilon(0.01));
    }
  };
  // Numbers with gaps; the same as a pair of files, one packed.
  Sets numbers;
  std::string text, more;
  for (int e = 0; e < 4000; ++e) {
    const std::string a = std::to_string(random() % 900 * 1000), b = std::to_string(random() % 50);
    (e < 2500 ? text : more) += numbers.add(a, b, 1) + " " + b + "\n";
  }
  check({folder.file("n", text + more)}, numbers, {.format = Format::edges});
  check({folder.file("n1", text), folder.file("n2.gz", gas_test::gzip(more))}, numbers,
        {.format = Format::edges});
  // Names, some of which are numbers, below a header; with values, and columns by name.
  Sets names;
  text = "km,from,to\n";
  for (int e = 0; e < 3000; ++e) {
    const std::string a = (e % 3 == 0 ? "" : "\"x, ") + std::to_string(random() % 300) +
                          (e % 3 == 0 ? "" : "\""),
                      b = e % 2 == 0 ? "b" : std::to_string(e);
    text += fmt::format("{},{},{}\n", e % 5, names.add(a, b, e % 5), b);
  }
  GraphOptions columns{.format = Format::edges, .bipartite = true};
  columns.table.columns = {"from", "to", "km"};
  check({folder.file("names.csv", text)}, names, columns);
  // Examples.
  Sets features;
  text.clear();
  for (int row = 0; row < 900; ++row) {
    const std::string a = std::to_string(row);
    text += row % 2 == 0 ? "1" : "-1";
    for (std::uint64_t column = 1 + random() % 9; column < 500; column += 1 + random() % 200) {
      features.add(a, std::to_string(column), 0.5);
      text += fmt::format(" {}:0.5", column);
    }
    text += "\n";
  }
  check({folder.file("x.svm", text)}, features, {.format = Format::libsvm, .bipartite = true});
  // A table with line ends in quotes.
  Sets table;
  text = "age,place,y\n";
  for (int row = 0; row < 900; ++row) {
    const std::string place = fmt::format("a\nb {}", random() % 60), id = std::to_string(row);
    text += fmt::format("{},\"{}\",{}\n", 1 + row % 80, place, row % 2);
    table.add(id, "age", 1 + row % 80);
    table.add(id, place, 1);
  }
  GraphOptions csv{.format = Format::csv, .bipartite = true};
  csv.examples.label = "y";
  check({folder.file("t.csv", text)}, table, csv);
}
