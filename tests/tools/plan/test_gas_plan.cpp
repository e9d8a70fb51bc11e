// gas-plan from the command line, beside the runs that it foretells.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/tools/support/arguments.hpp"

using namespace gas_test;
using Json = nlohmann::ordered_json;

namespace {

const Arguments tool = {"gas-kmeans",  "--generate", "blobs:n=20000,d=8,k=10,spread=40", "-k", "10",
                        "--tolerance", "0"};

Json plan(Arguments options, const Arguments& of) {
  options.insert(options.end(), {"--repeats", "1", "--summary", "json", "--quiet", "--"});
  options.insert(options.end(), of.begin(), of.end());
  const Finished finished = run("gas-plan", 0, options);
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  CHECK(finished.err == "");
  return Json::parse(finished.out);
}

}  // namespace

TEST_CASE("bytes and memory are near those of the run", "[gas-plan]") {
  const Json found = plan({"--ranks", "1,2,4", "--rounds", "30", "--mpirun", "--bind-to none"},
                          tool);  // as run() does
  CHECK(found.at("tool") == "gas-kmeans");
  CHECK(found.at("rounds") == 30);
  REQUIRE(found.at("plans").size() == 3);
  std::size_t i = 0;
  for (const int ranks : {1, 2, 4}) {
    const Json& one = found.at("plans")[i++];
    INFO(ranks << " ranks");
    Arguments arguments(tool.begin() + 1, tool.end());
    arguments.insert(arguments.end(), {"--iterations", "30", "--summary", "json", "--quiet"});
    const Json real = Json::parse(run("gas-kmeans", ranks == 1 ? 0 : ranks, arguments).out);
    REQUIRE(real.at("iterations") == 30);
    CHECK(one.at("ranks") == ranks);
    CHECK(one.at("run") == true);
    // Later rounds change fewer centroids, and send fewer.
    const double bytes = real.at("bytes_sent");
    CHECK(one.at("bytes_sent").get<double>() == Approx(bytes).epsilon(0.3));
    CHECK(one.at("exact_bytes") == (ranks == 1));
    const double held = real.at("peak_memory_bytes");
    const double estimated = real.at("estimated_memory_bytes");
    CHECK(one.at("memory_bytes").get<double>() == Approx(std::max(held, estimated)).epsilon(0.05));
    CHECK(one.at("seconds").at("round") > 0);
  }
  CHECK(found.at("best").get<int>() >= 1);
}

TEST_CASE("bytes of a cut graph are those of the cut of the whole", "[gas-plan]") {
  const Arguments ranked = {"--generate", "kronecker:scale=12,degree=8", "--tolerance", "0"};
  const Json found = plan({"--ranks", "2,6", "--rounds", "20"}, with({"gas-pagerank"}, ranked));
  std::size_t i = 0;
  for (const int ranks : {2, 6}) {
    const Json& one = found.at("plans")[i++];
    INFO(ranks << " ranks");
    const Json real = Json::parse(run("gas-pagerank", ranks,
                                      with(ranked, {"--iterations", "20", "--partition", "auto",
                                                    "--summary", "json", "--quiet"}))
                                      .out);
    REQUIRE(real.at("iterations") == 20);
    CHECK(one.at("bytes_sent").get<double>() ==
          Approx(real.at("bytes_sent").get<double>()).epsilon(0.1));
    CHECK(one.at("memory_bytes").get<double>() ==
          Approx(real.at("peak_memory_bytes").get<double>()).epsilon(0.2));
  }
}

TEST_CASE("rounds are those of the tool if no tolerance ends them", "[gas-plan]") {
  const Arguments lda = {"gas-lda", "--generate",
                         "lda:documents=200,words=100,topics=3,length=20,alpha=0.1,beta=0.1",
                         "--topics", "3"};
  CHECK(plan({"--ranks", "1"}, lda).at("rounds") == 200);
}

TEST_CASE("other hosts, deadlines and prices", "[gas-plan]") {
  const Json found = plan(
      {"--ranks", "1,2,64", "--rounds", "1000000", "--host", "cores=2,price=1,latency=0"}, tool);
  REQUIRE(found.at("plans").size() == 3);
  const auto seconds = [&](std::size_t i) {
    return found.at("plans")[i].at("seconds").at("total").get<double>();
  };
  // Without a limit of bandwidth 64 hosts share the work.
  CHECK(seconds(2) == Approx(seconds(0) / 64).epsilon(1e-6));
  CHECK(found.at("plans")[2].at("run") == false);
  const auto price = [&](std::size_t i) { return found.at("plans")[i].at("price").get<double>(); };
  CHECK(price(0) == Approx(seconds(0) / 3600));

  Arguments late = {"--ranks", "1", "--deadline", "1e-9"};
  CHECK(plan(late, tool).at("best").is_null());
  late.insert(late.end(), {"--repeats", "1", "--"});
  late.insert(late.end(), tool.begin(), tool.end());
  CHECK_THAT(run("gas-plan", 0, late).out, Catch::Contains("none of these ends within 1e-09 s"));
}

TEST_CASE("gas-plan ends where its parent ignores the ends of processes", "[gas-plan]") {
  // It asks gas-kcore for its help, and refuses it then.
  CHECK(Process(with({"env", "--ignore-signal=CHLD"},
                     command("gas-plan", 0, {"--", "gas-kcore", "/no/such/file"})))
            .wait()
            .code == 2);
}

TEST_CASE("what a run would write is left out, what it reads is kept", "[gas-plan]") {
  const TemporaryFolder folder;
  Arguments writing = tool;
  writing.insert(writing.end(),
                 {"-o", folder / "o", "--force", "--log", folder / "log", "--iterations=40",
                  "--require-convergence", "--text", "--top", "3"});
  const Json found = plan({"--ranks", "1"}, writing);
  CHECK(found.at("rounds") == 40);
  CHECK(run("ls", 0, {"-A", folder.path()}).out == "");
}

TEST_CASE("gas-plan passes a signal on and ends with it", "[gas-plan]") {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM}) {
    // A sample takes minutes, longer than wait() does.
    Process process(
        command("gas-plan", 0,
                {"--ranks", "1", "--share", "0.5", "--sample-rounds", "1000", "--", "gas-lda",
                 "--generate", "lda:documents=20000,words=2000,topics=10,length=100", "--topics",
                 "2000", "--sampler", "mh", "--log", folder / "log"}));
    const auto samples = [&] {
      const std::string id = std::to_string(process.id());
      const std::string child = read_text("/proc/" + id + "/task/" + id + "/children");
      return !child.empty() &&
             read_text("/proc/" + child.substr(0, child.find(' ')) + "/cmdline").find("--sample") !=
                 std::string::npos;
    };
    for (int i = 0; i < 5000 && !samples(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(samples());
    kill(process.id(), signal);
    const Finished finished = process.wait();
    CHECK(finished.code == 130);
    CHECK_THAT(finished.err, Catch::Contains("gas-plan: interrupted"));
    CHECK(finished.out == "");
  }
}

TEST_CASE("gas-plan refuses what it cannot plan", "[gas-plan]") {
  const auto refused = [](Arguments arguments, int code, const std::string& part) {
    const Finished finished = run("gas-plan", 0, arguments);
    CAPTURE(finished.err);
    CHECK(finished.code == code);
    CHECK_THAT(finished.err, Catch::Contains(part));
    CHECK(finished.out == "");
  };
  refused({}, 2, "the tool is missing: gas-plan -- gas-TOOL INPUT ...");
  refused({"--", "gas-no-such-tool"}, 2, "there is no such program");
  refused({"--ranks", "2,x", "--", "gas-kmeans", "-"}, 2, "--ranks: found '2,x'");
  refused({"--ranks", ",", "--", "gas-kmeans", "points"}, 2, "--ranks");
  refused({"--host", "cores=0", "--", "gas-kmeans", "points"}, 2, "--host: found 'cores=0'");
  refused({"--host", "speed=3", "--", "gas-kmeans", "points"}, 2, "--host: found 'speed=3'");
  for (const char* rounds : {"12x", "-7", "0"})
    refused({"--", "gas-kmeans", "points", "--iterations", rounds}, 2,
            std::string("--iterations: found '") + rounds + "', expected a whole number");
  refused({"--", "gas-kmeans", "-"}, 2, "standard input can be read only once");
  refused({"--", "gas-kmeans", "/no/such/file", "-k", "3"}, 3, "/no/such/file");
  refused({"--", "gas-pagerank", "/no/such/file", "--damping", "7"}, 2, "--damping: found '7'");
  refused({"--", "gas-pagerank", "g", "--sample=0.5"}, 2,
          "--sample: gas-plan takes samples itself");
  refused({"--", "gas-pagerank", "g", "--partition", "p/"}, 2, "--partition: samples are cut anew");
  refused({"--", "gas-logreg", "g", "--online"}, 2, "--online: a pass over a stream has no rounds");
  refused({"--", "gas-lda", "g", "--topics", "10,20"}, 2, "--topics: a plan is of one fit");
  refused({"--", "gas-kmeans", "g", "--scan", "2:5"}, 2, "--scan: a plan is of one fit");
  refused({"--", "gas-kmeans", "g", "-k", "2", "--restarts=3"}, 2, "--restarts: a plan is of");
  refused({"--", "gas-logreg", "g", "--costs", "1,2"}, 2, "--costs: a plan is of one fit");
  refused({"--", "gas-logreg", "g", "--multiclass", "rest"}, 2, "--multiclass: a plan is of one");
  refused({"--", "gas-pagerank", "--help"}, 2, "gas-plan: gas-pagerank wrote no summary");
  refused({"--", "gas-plan", "--", "gas-pagerank", "g"}, 2,
          "gas-plan cannot run on a sample of INPUT");
  refused(with({"--ranks", "2", "--mpirun", "--no-such-option", "--"}, tool), 1,
          "exit code 1: mpirun");
  refused({"--", "gas-kcore", "/no/such/file"}, 2,
          "gas-kcore cannot run on a sample of INPUT, which a plan needs");
}
