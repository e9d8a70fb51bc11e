// Runs from a partition folder: INPUT is not read again, and what comes out is the same.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <random>
#include <sstream>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

namespace {

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void set_time(const std::string& path, int hours_ago = 24) {
  static const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(path, now - std::chrono::hours(hours_ago));
}

void write_input(const std::string& path, const std::string& text) {
  write_text(path, text);
  set_time(path);
}

/// Of the same size and time, and nothing that any format allows.
void garble(const std::string& path) { write_input(path, std::string(fs::file_size(path), '?')); }

std::string links(const std::string& before) {
  std::minstd_rand draw(7);
  std::ostringstream text;
  for (int i = 0; i < 600; ++i)
    for (const char* end : {" ", "\n"}) text << before << draw() % 90 << end;
  return text.str();
}

std::string examples() {
  std::minstd_rand draw(8);
  std::ostringstream text;
  for (int i = 0; i < 80; ++i) {
    text << (i % 2 == 0 ? "+1" : "-1");
    for (int column = 1; column <= 20; ++column)
      if (draw() % 4 == 0)
        text << " " << column << ":" << ((i % 2 == 0 ? column : 21 - column) * 0.125);
    text << "\n";
  }
  return text.str();
}

std::string documents() {
  std::minstd_rand draw(9);
  std::ostringstream text("40\n30\n400\n", std::ios::ate);
  for (int d = 1; d <= 40; ++d)
    for (int w = 0; w < 10; ++w)
      text << d << " " << 1 + (d * 7 + w * 3) % 30 << " " << 1 + draw() % 4 << "\n";
  return text.str();
}

std::string ratings() {
  std::ostringstream text;
  for (int u = 0; u < 30; ++u)
    for (int i = 0; i < 8; ++i)
      text << "u" << u << " i" << (u + i * i) % 20 << " " << 1 + (u * i) % 5 << "\n";
  return text.str();
}

struct Case {
  std::string tool, text;
  Arguments tool_options, cut_options;
};

std::vector<Case> cases() {
  return {
      {"gas-pagerank", links("page"), {}, {}},
      {"gas-pagerank", links("1"), {"--undirected"}, {"--undirected"}},
      {"gas-components", links(""), {}, {}},
      {"gas-kcore", links("x"), {}, {}},
      {"gas-harmonic", links("x"), {}, {}},
      {"gas-labels", links(""), {}, {}},
      {"gas-triangles", links(""), {}, {}},
      {"gas-paths", links("9"), {"--source", "937"}, {}},
      {"gas-bfs", links(""), {"--source", "37"}, {}},
      {"gas-logreg", examples(), {"--bias"}, {"--format", "libsvm"}},
      {"gas-lda",
       documents(),
       {"--format", "docword", "--topics", "4", "--iterations", "30", "--heldout", "0.25"},
       {"--format", "docword"}},
      {"gas-als", ratings(), {"--rank", "3", "--iterations", "5"}, {"--bipartite"}},
  };
}

/// The files of a folder, by name, as one text; the manifest, which names the command, left out.
std::string contents(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "manifest.json") names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names)
    all += fs::path(name).filename().string() + "\n" + read_text(name);
  return all;
}

void check_done(const Finished& finished) {
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
}

}  // namespace

TEST_CASE("tools run from a partition folder without a look into INPUT", "[partition-folder]") {
  for (const Case& each : cases()) {
    INFO(each.tool << ", first line " << each.text.substr(0, each.text.find('\n')));
    const TemporaryFolder folder;
    const std::string input = folder / "in";
    write_input(input, each.text);
    const Arguments given = with({input, "--quiet"}, each.tool_options);
    check_done(run(each.tool, 2, with(given, {"--partition", "range", "-o", folder / "read"})));
    check_done(run("gas-partition", 0,
                   with({input, "--parts", "2", "--method", "range", "-o", folder / "p", "--quiet"},
                        each.cut_options)));
    garble(input);
    check_done(run(each.tool, 2, with(given, {"--partition", folder / "p", "-o", folder / "run"})));
    CHECK(contents(folder / "run") == contents(folder / "read"));
  }
}

TEST_CASE("tools run where INPUT is not at hand, if told so", "[partition-folder]") {
  for (const Case& each : cases()) {
    INFO(each.tool << ", first line " << each.text.substr(0, each.text.find('\n')));
    const TemporaryFolder folder;
    const std::string input = folder / "in";
    write_input(input, each.text);
    const std::string cut = folder / "p";
    check_done(run(each.tool, 2,
                   with(with({input, "--quiet"}, each.tool_options),
                        {"--partition", "range", "-o", folder / "read"})));
    check_done(run("gas-partition", 0,
                   with({input, "--parts", "2", "--method", "range", "-o", cut, "--quiet"},
                        each.cut_options)));
    fs::remove(input);
    const Arguments given = with({"--quiet", "--partition", cut}, each.tool_options);
    check_done(run(each.tool, 2, with(given, {"--without-input", "-o", folder / "run"})));
    CHECK(contents(folder / "run") == contents(folder / "read"));
    check_done(run(each.tool, 0, with(given, {input, "--without-input"})));
    CHECK(run(each.tool, 0, given).code == 2);
    CHECK(run(each.tool, 0, with(given, {input})).code == 3);
  }
}

TEST_CASE("what --without-input needs", "[partition-folder]") {
  const TemporaryFolder folder;
  const auto refused = [&](const Arguments& arguments, int code, const std::string& part) {
    const Finished finished =
        run("gas-pagerank", 0, with(arguments, {"--without-input", "--quiet"}));
    CHECK(finished.code == code);
    CHECK_THAT(finished.err, Catch::Contains(part));
  };
  refused({}, 2, "--without-input needs --partition DIR");
  refused({"--partition", "metis"}, 2, "--without-input needs --partition DIR");
  const std::string spec = "kronecker:scale=6,degree=4";
  const std::string made = folder / "made";
  check_done(run("gas-partition", 0, {"--generate", spec, "--parts", "2", "-o", made, "--quiet"}));
  refused({"--generate", spec, "--partition", made}, 2, "exclude each other");
  refused({"--partition", made, "--format", "mtx"}, 3, "found an input read as edges");
  const Arguments common{"--tolerance", "0", "--iterations", "9", "--partition", made, "--quiet"};
  check_done(run("gas-pagerank", 2,
                 with(common, {"--generate", spec, "--seed", "1", "-o", folder / "a"})));
  check_done(run("gas-pagerank", 2, with(common, {"--without-input", "-o", folder / "b"})));
  CHECK(contents(folder / "a") == contents(folder / "b"));
}

TEST_CASE("a folder that is called as a method breaks nothing", "[partition-folder]") {
  const TemporaryFolder folder;
  write_input(folder / "in", links("1"));
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  for (const char* name : {"metis", "range", "auto"}) fs::create_directory(folder / name);
  check_done(run("gas-pagerank", 2, {"in", "--quiet"}));
  check_done(run("gas-pagerank", 0, {"in", "--partition", "metis", "--quiet"}));
  check_done(
      run("gas-kmeans", 0, {"--generate", "blobs:n=50,d=2,k=2,spread=0.1", "-k", "2", "--quiet"}));
  CHECK(run("gas-pagerank", 0, {"in", "--partition", "./metis", "--quiet"}).code == 3);
  check_done(run("gas-partition", 0, {"in", "--parts", "2", "-o", "mine", "--quiet"}));
  check_done(run("gas-pagerank", 2, {"in", "--partition", "mine", "--quiet"}));
  fs::current_path(before);
}

TEST_CASE("a folder serves one rank and as many as it has parts", "[partition-folder]") {
  const TemporaryFolder folder;
  const std::string input = folder / "in";
  write_input(input, documents());
  const Arguments given{input, "--format",     "docword", "--topics",
                        "4",   "--iterations", "20",      "--quiet"};
  check_done(run("gas-lda", 0, with(given, {"-o", folder / "read"})));
  check_done(run("gas-partition", 2,
                 {input, "--format", "docword", "--parts", "4", "-o", folder / "p", "--quiet"}));
  garble(input);
  for (const int ranks : {0, 2, 3, 4}) {
    check_done(run("gas-lda", ranks,
                   with(given, {"--partition", folder / "p", "-o", folder / "run", "--force"})));
    CHECK(contents(folder / "run") == contents(folder / "read"));
  }
  const Finished many = run("gas-lda", 5, with(given, {"--partition", folder / "p"}));
  CHECK(many.code == 3);
  CHECK_THAT(many.err, Catch::Contains("found 4 parts, expected at least one for each of 5 ranks"));
}

TEST_CASE("a folder goes with its INPUT, read as it was", "[partition-folder]") {
  const TemporaryFolder folder;
  const std::string input = folder / "in";
  write_input(input, links(""));
  check_done(run("gas-partition", 0, {input, "--parts", "2", "-o", folder / "p", "--quiet"}));
  check_done(run("gas-partition", 0,
                 {input, "--parts", "2", "-o", folder / "pairs", "--undirected", "--quiet"}));
  const auto refused = [&](const Arguments& arguments, const std::string& part) {
    for (const int ranks : {0, 2}) {
      const Finished finished = run("gas-pagerank", ranks, with(arguments, {"--quiet"}));
      CHECK(finished.code == 3);
      CHECK(tool_lines(finished.err).size() == 1);
      CHECK_THAT(finished.err, Catch::Contains(part));
    }
  };
  write_input(folder / "copy", links(""));
  set_time(folder / "copy", 25);
  check_done(run("gas-pagerank", 0, {folder / "copy", "--partition", folder / "p", "--quiet"}));
  garble(folder / "copy");
  set_time(folder / "copy", 25);
  refused({folder / "copy", "--partition", folder / "p"}, "the partition of another input");
  refused({folder / "copy", "--partition", folder / "p", "--dry-run"},
          "the partition of another input");
  refused({"--generate", "kronecker:scale=5,degree=4", "--partition", folder / "p"},
          "the partition of another input");
  refused({input, "--format", "mtx", "--partition", folder / "p"}, "found an input read as edges");
  refused({input, "--partition", folder / "pairs"}, "cut with --undirected");
  refused({input, "--undirected", "--partition", folder / "p"}, "cut without --undirected");
  refused({folder / "none", "--partition", folder / "p"}, "none");

  const std::string spec = "kronecker:scale=6,degree=4";
  check_done(run("gas-partition", 0,
                 {"--generate", spec, "--parts", "2", "-o", folder / "made", "--quiet"}));
  check_done(
      run("gas-pagerank", 2, {"--generate", spec, "--partition", folder / "made", "--quiet"}));
  const Finished piped =
      run("gas-partition", 0, {"-", "--parts", "2", "-o", folder / "s"}, links(""));
  check_done(piped);
  check_done(run("gas-pagerank", 0, {"-", "--partition", folder / "s", "--quiet"}, links("")));
  refused({input, "--partition", folder / "s"}, "the partition of another input (standard input)");
}
