// What --dry-run says of memory, beside what runs take; runs that cannot fit; memory that runs out.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

namespace {

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Json summary_of(const std::string& tool, int ranks, const Arguments& arguments) {
  const Finished finished =
      run(tool, ranks, with(arguments, {"--summary", "json", "--quiet", "--threads", "1"}));
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

void generate(const std::string& spec, const std::string& folder) {
  REQUIRE(run("gas-generate", 0, {spec, "-o", folder, "--quiet"}).code == 0);
}

/// The command under a limit of address space in KiB.
Finished limited(std::uint64_t kib, const Arguments& command) {
  return Process(with({"sh", "-c", "ulimit -v " + std::to_string(kib) + " && exec \"$@\"", "sh"},
                      command))
      .wait();
}

}  // namespace

TEST_CASE("a dry run says what a run takes and leaves nothing behind", "[memory]") {
  const TemporaryFolder folder;
  write_text(folder / "graph.txt", "1 2\n2 3\n3 1\n3 4\n");
  write_text(folder / "points.csv", "1,2\n3,4\n5,6\n");
  write_text(folder / "docword.txt", "2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n");
  write_text(folder / "data.svm", "+1 1:1\n-1 2:1\n");
  REQUIRE(run("gas-partition", 0,
              {folder / "graph.txt", "--parts", "2", "-o", folder / "parts", "--quiet"})
              .code == 0);
  struct Case {
    std::string tool;
    Arguments arguments;
  };
  for (const int ranks : {0, 2})
    for (const Case& each : std::vector<Case>{
             {"gas-pagerank", {folder / "graph.txt"}},
             {"gas-components", {folder / "graph.txt"}},
             {"gas-kcore", {folder / "graph.txt"}},
             {"gas-harmonic", {folder / "graph.txt"}},
             {"gas-triangles", {folder / "graph.txt"}},
             {"gas-labels", {folder / "graph.txt"}},
             {"gas-bfs", {folder / "graph.txt", "--source", "1"}},
             {"gas-paths", {folder / "graph.txt", "--source", "1"}},
             {"gas-als", {folder / "graph.txt", "--unweighted"}},
             {"gas-kmeans", {folder / "points.csv", "-k", "2"}},
             {"gas-lda", {folder / "docword.txt", "--topics", "2"}},
             {"gas-logreg", {folder / "data.svm"}},
             {"gas-partition", {folder / "graph.txt", "--parts", "2"}},
             {"gas-evaluate", {folder / "graph.txt", "--partition", folder / "parts"}},
             {"gas-generate", {"blobs:n=1000"}}}) {
      CAPTURE(each.tool, ranks);
      Arguments arguments = with(each.arguments, {"--dry-run"});
      if (each.tool != "gas-evaluate") arguments = with(arguments, {"-o", folder / "out"});
      const Finished finished = run(each.tool, ranks, arguments);
      INFO(finished.err);
      CHECK(finished.code == 0);
      CHECK_THAT(finished.out, Catch::Contains("largest rank, about"));
      CHECK_FALSE(std::filesystem::exists(folder / "out"));
      const Json summary =
          Json::parse(run(each.tool, ranks, with(arguments, {"--summary", "json"})).out);
      CHECK(summary.at("estimated_memory_bytes").get<double>() > 1e6);
      CHECK(summary.at("objective").is_null());
    }
  const Finished standard_input = run("gas-pagerank", 0, {"-", "--dry-run"});
  CHECK(standard_input.code == 2);
  CHECK_THAT(standard_input.err, Catch::Contains("cannot read standard input"));
  // A pipe would have to be read to the end. Nobody writes to this one: it is not even opened.
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const auto& [tool, arguments] :
       std::map<std::string, Arguments>{{"gas-pagerank", {}},
                                        {"gas-kmeans", {"-k", "2"}},
                                        {"gas-partition", {"--parts", "2"}}}) {
    const Finished pipe = run(tool, 2, with({folder / "pipe", "--dry-run"}, arguments));
    CAPTURE(tool, pipe.err);
    CHECK(pipe.code == 2);
    CHECK(tool_lines(pipe.err).size() == 1);
    CHECK_THAT(pipe.err, Catch::Contains("--dry-run needs regular files, and "));
  }
  write_text(folder / "bad.txt", "1 2\n3 x\n");
  const Finished bad = run("gas-pagerank", 0, {folder / "bad.txt", "--dry-run"});
  CHECK(bad.code == 3);
  CHECK_THAT(bad.err, Catch::Contains("bad.txt: in a part of it found"));
  // A line of sizes above three columns, which only the whole file bears out.
  std::string sized = "1000 100000\n";
  for (int i = 0; i < 100'000; ++i) sized += std::to_string(i % 1000) + " 7 1.5000\n";
  write_text(folder / "sized.txt", sized);
  const Finished paths = run("gas-paths", 0, {folder / "sized.txt", "--source", "0", "--dry-run"});
  CAPTURE(paths.err);
  CHECK(paths.code == 0);
  // A limit on the size of files, which a sample in memory counts as: there is no estimate then.
  const auto within = [&](const Arguments& more) {
    return Process(with({"sh", "-c", "ulimit -f 100 && exec \"$0\" \"$@\"", GAS_BIN "/gas-paths",
                         folder / "sized.txt", "--source", "0", "--quiet"},
                        more))
        .wait();
  };
  CHECK(within({}).code == 0);
  CHECK_THAT(within({"--dry-run"}).err,
             Catch::Contains("cannot be kept in memory: File too large"));
  // Lines that are longer than a piece of a sample, and no line's end behind the last one.
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    lines += (i == 0 ? "" : "\n") + std::to_string(i % 2) + " |f";
    for (int j = 0; j < 9000; ++j) lines += " x" + std::to_string(j) + ":1.5";
  }
  write_text(folder / "long.vw", lines);
  CHECK(run("gas-logreg", 0, {folder / "long.vw", "--dry-run"}).code == 0);
  std::string table = "y";
  for (int j = 0; j < 20000; ++j) table += ",column" + std::to_string(j);
  for (int i = 0; i < 4; ++i) {
    table += "\n" + std::to_string(i % 2);
    for (int j = 0; j < 20000; ++j) table += "," + std::to_string(i * j % 7);
  }
  write_text(folder / "long.csv", table + "\n");
  CHECK(run("gas-logreg", 0, {folder / "long.csv", "--label", "y", "--dry-run"}).code == 0);
}

TEST_CASE("estimates are near what runs take", "[memory]") {
  // A process that holds nothing takes some 12 MB, on several ranks 20: part of both numbers.
  const TemporaryFolder folder;
  generate("uniform:scale=17,degree=12", folder / "graph");
  generate("lda:documents=20000,words=5000,topics=10,length=100,alpha=0.1,beta=0.01",
           folder / "lda");
  generate("lda:documents=8000,words=30000,topics=10,length=100,alpha=0.1,beta=0.1",
           folder / "many");
  generate("logistic:examples=40000,features=5000,nonzeros=40,informative=100,noise=0.1",
           folder / "logistic");
  generate("blobs:n=200000,d=24,k=5,spread=1", folder / "blobs");
  generate("ratings:users=10000,items=3000,rank=5,density=0.05,noise=0.1", folder / "ratings");
  const std::string graph = folder / "graph/graph.txt";
  write_text(folder / "isolated.txt", "0 1\n1 2\n2 0\n");
  write_text(folder / "wide.svm", "+1 10000000:1\n-1 1:1\n");
  write_text(folder / "far.svm", "+1 2000000000:1\n-1 1:1\n");
  std::string row = "1.5";
  for (int i = 0; i < 60'000; ++i) row += ",2.25";
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += row + "\n";
  write_text(folder / "long.csv", rows);
  REQUIRE(Process({"gzip", "-k", graph}).wait().code == 0);
  REQUIRE(run("gas-partition", 0,
              {graph, "--undirected", "--parts", "2", "--method", "hash", "-o", folder / "parts",
               "--quiet"})
              .code == 0);
  struct Case {
    std::string tool;
    int ranks;
    Arguments arguments;
  };
  const Arguments few = {"--iterations", "2"};
  for (const Case& each : std::vector<Case>{
           {"gas-pagerank", 0, with({graph, "--undirected"}, few)},
           {"gas-pagerank", 2, with({graph + ".gz"}, few)},
           {"gas-pagerank", 2,
            with({graph, "--undirected", "--partition", (folder / "parts") + "/"}, few)},
           {"gas-components", 0, {folder / "isolated.txt", "--vertices", "2000000"}},
           {"gas-labels", 0, {folder / "isolated.txt", "--vertices", "2000000"}},
           {"gas-triangles", 0, {folder / "isolated.txt", "--vertices", "2000000"}},
           {"gas-kcore", 0, {folder / "isolated.txt", "--vertices", "2000000"}},
           {"gas-logreg", 0, {folder / "wide.svm"}},
           {"gas-logreg", 0, {folder / "wide.svm", "-o", folder / "weights"}},
           {"gas-logreg", 0, {folder / "far.svm", "--hash", "20"}},
           {"gas-logreg", 2, {folder / "far.svm", "--hash", "22", "-o", folder / "hashed"}},
           {"gas-kmeans", 0, with({folder / "blobs/points.npy", "-k", "5"}, few)},
           {"gas-kmeans", 0, with({folder / "lda/docword.txt", "-k", "100"}, few)},
           {"gas-kmeans", 0, with({folder / "long.csv", "-k", "1"}, few)},
           {"gas-kmeans", 0, with({"--generate", "blobs:n=100,d=5000,k=1500", "-k", "2"}, few)},
           {"gas-kmeans", 2, with({folder / "logistic/data.svm", "-k", "20"}, few)},
           {"gas-lda", 2, with({folder / "lda/docword.txt", "--topics", "10"}, few)},
           {"gas-lda", 0, with({folder / "many/docword.txt", "--topics", "1000"}, few)},
           {"gas-logreg", 0, with({folder / "logistic/data.svm"}, few)},
           {"gas-logreg", 0, {folder / "logistic/data.svm", "--online", "--hash", "21"}},
           {"gas-logreg", 2, {folder / "logistic/data.svm", "--online", "--hash", "21"}},
           {"gas-als", 2, with({folder / "ratings/ratings.txt"}, few)}}) {
    CAPTURE(each.tool, each.ranks, each.arguments);
    const double told = summary_of(each.tool, each.ranks, with(each.arguments, {"--dry-run"}))
                            .at("estimated_memory_bytes");
    const Json done = summary_of(each.tool, each.ranks, each.arguments);
    const double taken = done.at("peak_memory_bytes");
    CHECK(told > 0.85 * taken);
    CHECK(told < 1.15 * taken);
    CHECK(done.at("estimated_memory_bytes").get<double>() == Approx(told).epsilon(0.05));
  }
}

TEST_CASE("a run that cannot fit says what would", "[memory]") {
  const TemporaryFolder folder;
  std::string text = "2\n60000\n60000\n";
  for (int word = 1; word <= 60000; ++word)
    text += std::to_string(1 + word % 2) + " " + std::to_string(word) + " 1\n";
  write_text(folder / "docword.txt", text);
  const auto lda = [&](const std::string& topics, const Arguments& more) {
    return command(
        "gas-lda", 0,
        with({folder / "docword.txt", "--topics", topics, "--sampler", "gibbs", "--threads", "1"},
             more));
  };
  constexpr std::uint64_t kib = 1'000'000;
  const Finished refused = limited(kib, lda("8000", {}));
  INFO(refused.err);
  CHECK(refused.code == 3);
  REQUIRE(tool_lines(refused.err).size() == 1);
  CHECK_THAT(refused.err, Catch::Contains("docword.txt: found a run that takes about"));
  const std::string offer = "--topics ";
  const std::size_t at = refused.err.find(offer);
  REQUIRE(at != std::string::npos);
  const int fitting = std::stoi(refused.err.substr(at + offer.size()));
  CHECK(fitting > 100);
  CHECK(fitting < 8000);
  const Finished fits = limited(kib, lda(std::to_string(fitting), {"--dry-run"}));
  CHECK(fits.code == 0);
  CHECK(occurrences(fits.out, "does not fit") == 0);
  CHECK_THAT(limited(kib, lda("8000", {"--dry-run"})).out, Catch::Contains("does not fit"));
}

TEST_CASE("a run of which a sample does not tell whether it fits is not refused", "[memory]") {
  const TemporaryFolder folder;
  std::uint64_t state = 1;
  const auto draw = [&] {  // Knuth's generator
    state = state * 6364136223846793005U + 1442695040888963407U;
    return std::to_string((state >> 33U) % 30'000 * 1'000'000'007'000U);
  };
  std::string text;
  for (int e = 0; e < 150'000; ++e) text += draw() + " " + draw() + " 1\n";
  write_text(folder / "ratings", text);
  const auto als = [&](int rank, const Arguments& more) {
    return limited(300'000, command("gas-als", 0,
                                    with({folder / "ratings", "--rank", std::to_string(rank),
                                          "--iterations", "0", "--threads", "1"},
                                         more)));
  };
  // --dry-run counts the ids, so that it can tell.
  std::vector<std::string> said;
  int first = 0;  // that does not fit
  for (int rank = 100; rank <= 1000; rank += 100) {
    const std::string out = als(rank, {"--dry-run"}).out;
    CHECK(occurrences(out, "may not fit") == 0);
    const std::string now = occurrences(out, "does not fit") > 0 ? "does not" : "does";
    if (said.empty() || said.back() != now) said.push_back(now);
    if (now == "does not" && first == 0) first = rank;
  }
  CHECK(said == std::vector<std::string>{"does", "does not"});
  CHECK_THAT(als(first, {}).err, Catch::Contains("a sample of the ids does not tell"));
}

TEST_CASE("memory that runs out on one rank ends all, with one message", "[memory]") {
  // Standard input is not looked into beforehand, so the limit is met while loading, cutting, or in
  // rounds, wherever it lies.
  const TemporaryFolder folder;
  generate("uniform:scale=17,degree=40", folder / "graph");
  const std::string text = read_text(folder / "graph/graph.txt");
  const Arguments pagerank = {std::string(GAS_BIN) + "/gas-pagerank",
                              "-",
                              "--undirected",
                              "--iterations",
                              "3",
                              "--quiet",
                              "--threads",
                              "1",
                              "--tolerance",
                              "0"};
  int ended = 0;
  bool done = false;
  // With one arena of malloc the memory that a rank maps does not depend on its threads' timing.
  // MPI needs about 50 MiB to start, and may crash with less.
  for (std::uint64_t mib = 90; mib <= 600 && !done; mib += 5) {
    CAPTURE(mib);
    Arguments all = {"mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "1"};
    all = with(with(all, pagerank), {":", "-n", "1", "sh", "-c",
                                     "export MALLOC_ARENA_MAX=1 && ulimit -v " +
                                         std::to_string(mib * 1024) + " && exec \"$@\"",
                                     "sh"});
    const Finished finished = Process(with(all, pagerank), text).wait();
    INFO(finished.err);
    REQUIRE(finished.code != timed_out);
    done = finished.code == 0;
    if (done || tool_lines(finished.err).empty()) continue;  // MPI itself did not start
    CHECK(finished.code == 1);
    CHECK(tool_lines(finished.err).size() == 1);
    CHECK_THAT(finished.err, Catch::Contains("gas-pagerank: rank 1: out of memory while "));
    ++ended;
  }
  CHECK(ended > 2);
  CHECK(done);
}
