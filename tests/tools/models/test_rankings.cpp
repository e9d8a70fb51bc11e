// gas-pagerank and gas-harmonic: ranked tables, and what they say at the end, beside plain loops.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/tools/support/npy.hpp"
#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;

namespace {

struct Links {
  std::size_t vertices = 0;
  std::vector<std::pair<std::size_t, std::size_t>> arcs;

  std::string text(const char* form) const {
    std::string all;
    for (const auto& [u, v] : arcs)
      all += fmt::format(fmt::runtime(form), u) + " " + fmt::format(fmt::runtime(form), v) + "\n";
    return all;
  }
};

/// A tenth of the vertices have no links, and some none that leads to them.
Links some_links(std::size_t vertices, std::size_t arcs) {
  std::mt19937 random(61);
  Links links{vertices, {}};
  for (std::size_t i = 0; i < arcs; ++i)
    links.arcs.emplace_back(random() % (vertices * 9 / 10), random() % vertices * (random() % 2));
  for (std::size_t v = 0; v < vertices; ++v) links.arcs.emplace_back(v * 9 / 10, v);
  return links;
}

struct Ranks {
  std::vector<double> ranks;
  double dangling = 0;
};

Ranks page_ranks(const Links& links) {
  const auto n = static_cast<double>(links.vertices);
  std::vector<double> out(links.vertices), ranks(links.vertices, 1 / n);
  for (const auto& [u, v] : links.arcs) ++out[u];
  double dangling = 0;
  for (int round = 0; round < 300; ++round) {
    dangling = 0;
    for (std::size_t v = 0; v < links.vertices; ++v) dangling += out[v] == 0 ? ranks[v] : 0;
    std::vector<double> next(links.vertices, 0.15 / n + 0.85 * dangling / n);
    for (const auto& [u, v] : links.arcs) next[v] += 0.85 * ranks[u] / out[u];
    ranks = next;
  }
  return {ranks, dangling};
}

/// Σ 1/d of those that lead to each, by distances from all to all (Floyd, Warshall).
std::vector<double> harmonic(const Links& links, bool undirected) {
  const std::size_t n = links.vertices;
  std::vector<std::vector<double>> d(n, std::vector<double>(n, INFINITY));
  for (const auto& [u, v] : links.arcs) {
    d[u][v] = 1;
    if (undirected) d[v][u] = 1;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < n; ++v) d[u][v] = std::min(d[u][v], d[u][k] + d[k][v]);
  std::vector<double> all(n);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v) all[v] += u != v ? 1 / d[u][v] : 0;
  return all;
}

/// What --top writes of these values: ties, to six digits, by vertex.
std::string top_lines(const std::vector<double>& values, std::size_t count, const char* value,
                      const char* form) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t v = 0; v < values.size(); ++v)
    order.emplace_back(-std::stod(fmt::format("{:.5e}", values[v])), v);
  std::ranges::sort(order);
  std::string text = fmt::format("place\tvertex\t{}\n", value);
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i)
    text += fmt::format("{}\t{}\t{}\n", i + 1, fmt::format(fmt::runtime(form), order[i].second),
                        values[order[i].second]);
  return text;
}

}  // namespace

TEST_CASE("gas-pagerank writes the highest ranks, ties by id, under the names of a file",
          "[rankings]") {
  const TemporaryFolder folder;
  const Links links = some_links(60, 150);
  write_text(folder / "numbers", links.text("{}"));
  write_text(folder / "words", links.text("w{:02}"));
  std::string names;
  for (int v = 0; v < 60; ++v) names += fmt::format("{} name of {:02}\n", v, v);
  write_text(folder / "names", names);
  struct Case {
    std::string file;
    Arguments options;
    const char* form;
  };
  const Ranks exact = page_ranks(links);
  for (const Case& each : {Case{"numbers", {}, "{}"}, Case{"words", {}, "w{:02}"},
                           Case{"numbers", {"--vertices", folder / "names"}, "name of {:02}"}})
    for (const int ranks : {0, 2, 4}) {
      INFO(each.form << " on " << ranks);
      Arguments arguments = {
          folder / each.file, "--top",   "20",           "--tolerance", "1e-13", "-o",
          folder / "o",       "--force", "--iterations", "1000"};
      arguments.insert(arguments.end(), each.options.begin(), each.options.end());
      REQUIRE(run("gas-pagerank", ranks, arguments).code == 0);
      const auto found = npy_values<double>(folder / "o/ranks.npy", {"'<f8'"});
      for (std::size_t v = 0; v < 60; ++v) CHECK(found[v] == Approx(exact.ranks[v]).epsilon(1e-9));
      CHECK(read_text(folder / "o/top.tsv") == top_lines(found, 20, "rank", each.form));
    }
  REQUIRE(run("gas-pagerank", 2, {folder / "words", "--top", "99", "-o", folder / "all"}).code ==
          0);
  CHECK(occurrences(read_text(folder / "all/top.tsv"), "\n") == 61);
}

TEST_CASE("gas-pagerank says what it found in five lines", "[rankings]") {
  const TemporaryFolder folder;
  const Links links = some_links(60, 150);
  write_text(folder / "links", links.text("{}"));
  const Ranks exact = page_ranks(links);
  std::vector<double> sorted = exact.ranks;
  std::ranges::sort(sorted, std::greater<>());
  double squares = 0, ten = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    squares += sorted[i] * sorted[i];
    ten += i < 10 ? sorted[i] : 0;
  }
  for (const Arguments& options :
       {Arguments{}, {"--order", "priority", "--staleness", "async", "--iterations", "1000000"}})
    for (const int ranks : {0, 2, 4}) {
      Arguments arguments = {folder / "links", "-o", folder / "o", "--force"};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const Arguments lines = told(run("gas-pagerank", ranks, arguments));
      CHECK_THAT(lines[0], Catch::StartsWith("ranked 60 vertices by 210 links in "));
      CHECK_THAT(lines[0], Catch::EndsWith(", converged"));
      const auto highest = std::ranges::max_element(exact.ranks) - exact.ranks.begin();
      CHECK_THAT(lines[1], Catch::StartsWith(fmt::format("highest: {} (0.", highest)));
      const auto share = numbers(lines[2], "concentration: the highest 10 vertices have " + number +
                                               " % of the rank; it is as uneven as if " + number +
                                               " vertices had it all, alike");
      CHECK(share[0] == Approx(100 * ten).margin(0.06));
      CHECK(share[1] == Approx(1 / squares).margin(0.06));
      CHECK(numbers(lines[3], "vertices without links have " + number +
                                  " % of the rank: what they pass on goes to all alike")[0] ==
            Approx(100 * exact.dangling).margin(0.06));
      const double bound =
          numbers(lines[4], "how exact: the differences from the exact ranks add up to " + number +
                                " at most")[0];
      const auto found = npy_values<double>(folder / "o/ranks.npy", {"'<f8'"});
      double error = 0;
      for (std::size_t v = 0; v < 60; ++v) error += std::abs(found[v] - exact.ranks[v]);
      CHECK(error <= 1.05 * bound + 1e-15);
      CHECK(bound < 1e-5);
    }
  // A star whose ends have no links: of what is not lost they have nearly all.
  write_text(folder / "star", "0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 8\n0 9\n0 10\n");
  const double end = 1 + 0.85 / 10;
  CHECK(numbers(told(run("gas-pagerank", 2, {folder / "star", "--dangling", "ignore"}))[3],
                "vertices without links have " + number +
                    " % of the rank: what they pass on is lost")[0] ==
        Approx(100 * 10 * end / (1 + 10 * end)).margin(0.06));
  CHECK(run("gas-pagerank", 0, {folder / "links", "--quiet"}).err == "");
  CHECK(told(run("gas-pagerank", 0, {folder / "links", "--iterations", "1"}))[0] ==
        "ranked 60 vertices by 210 links in 1 round, not converged yet");
}

TEST_CASE("gas-harmonic is near the sums of 1/d, and the same on any ranks and partitions",
          "[rankings]") {
  const TemporaryFolder folder;
  const Links links = some_links(60, 70);
  write_text(folder / "links", links.text("{}"));
  for (const bool undirected : {false, true}) {
    const std::vector<double> exact = harmonic(links, undirected);
    std::string first;
    for (const int ranks : {0, 2, 4})
      for (const std::string partition : {"hash", "hdrf"}) {
        INFO(ranks << " ranks, " << partition);
        Arguments arguments = {
            folder / "links", "--registers", "65536", "--partition", partition, "-o", folder / "o",
            "--force",        "--top",       "7"};
        if (undirected) arguments.push_back("--undirected");
        const Arguments lines = told(run("gas-harmonic", ranks, arguments));
        const auto found = npy_values<double>(folder / "o/centrality.npy", {"'<f8'", "(60,)"});
        for (std::size_t v = 0; v < 60; ++v) CHECK(found[v] == Approx(exact[v]).epsilon(0.005));
        const std::string bytes =
            read_text(folder / "o/centrality.npy") + read_text(folder / "o/reached_by.npy");
        if (first.empty()) first = bytes;
        CHECK(bytes == first);
        CHECK(read_text(folder / "o/top.tsv") == top_lines(found, 7, "centrality", "{}"));
        CHECK_THAT(lines[0], Catch::StartsWith("measured 60 vertices by "));
        CHECK_THAT(lines[0], Catch::EndsWith(", to the end"));
        const auto highest = std::ranges::max_element(exact) - exact.begin();
        CHECK_THAT(lines[1], Catch::StartsWith(fmt::format("most central: {} (", highest)));
        double sum = 0;
        for (const double value : exact) sum += value / 60;
        const auto near = numbers(
            lines[2], "how near: the most central is as near to all as if " + number +
                          " % of the others linked to it; the mean vertex " + number + " %");
        CHECK(near[0] == Approx(100 * *std::ranges::max_element(exact) / 59).margin(0.3));
        CHECK(near[1] == Approx(100 * sum / 59).margin(0.3));
        CHECK_THAT(lines[3], Catch::EndsWith(fmt::format(
                                 "no path leads to about {} vert{}", std::ranges::count(exact, 0.0),
                                 std::ranges::count(exact, 0.0) == 1 ? "ex" : "ices")));
        CHECK_THAT(lines[4], Catch::StartsWith("how exact: a number is off by 0.4 % as a rule"));
      }
  }
  for (const int ranks : {0, 2}) {
    const Finished odd = run("gas-harmonic", ranks, {folder / "links", "--registers", "48"});
    CHECK(odd.code == 2);
    CHECK(tool_lines(odd.err).size() == 1);
    CHECK_THAT(odd.err, Catch::Contains("--registers: found 48, expected a power of two"));
    const Finished late = run("gas-harmonic", ranks, {folder / "links", "--staleness", "1"});
    CHECK(late.code == 2);
    CHECK_THAT(late.err, Catch::Contains("each round adds one arc to the distances"));
  }
}
